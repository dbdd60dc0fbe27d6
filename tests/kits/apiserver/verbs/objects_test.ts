import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, createApi, database, DATABASES, defineDatabases, JSON_PATCH, MERGE } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

/** The names in a list, but for the ConfigMap that each namespace has. */
function namesIn({ items }: Answer): string[] {
  const names: string[] = items.map(({ metadata }: Answer) => metadata.name);
  return names.filter((name) => name !== "kube-root-ca.crt");
}

describe("A request for a resource", () => {
  it("is refused in Kubernetes' words", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", DATABASES, database("a"));
    const messages: readonly [string, string, unknown, number, string][] = [
      ["GET", `${DATABASES}/x`, undefined, 404, 'databases.example.com "x" not found'],
      ["POST", DATABASES, database("a"), 409, 'databases.example.com "a" already exists'],
      [
        "PUT",
        `${DATABASES}/a`,
        { ...database("a"), metadata: { name: "a", resourceVersion: "1" } },
        409,
        'Operation cannot be fulfilled on databases.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        "POST",
        DATABASES,
        database("b", { engine: "mysql", replicas: 9 }),
        422,
        'Database.example.com "b" is invalid: spec.replicas: Invalid value: 9: spec.replicas in body should be less than or equal to 5',
      ],
      ["POST", `${DATABASES}/a`, {}, 405, "the server does not allow this method on the requested resource"],
      ["GET", `${MAPS}/x`, undefined, 404, 'configmaps "x" not found'],
    ];
    for (const [method, path, body, code, message] of messages) {
      const reply = await api.call(method, path, body);
      assert.deepEqual([reply.code, reply.body.kind, reply.body.status, reply.body.message], [
        code,
        "Status",
        "Failure",
        message,
      ]);
    }
  });

  it("with dryRun=All is answered in full, and writes nothing", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    const before = api.server.resourceVersion;
    assert.ok((await api.ok("POST", `${MAPS}?dryRun=All`, { metadata: { name: "b" } })).metadata.uid);
    const patched = await api.ok("PATCH", `${MAPS}/a?dryRun=All`, { data: { x: "1" } }, MERGE);
    assert.deepEqual(patched.data, { x: "1" });
    await api.ok("DELETE", `${MAPS}/a?dryRun=All`);
    await api.ok("DELETE", `${MAPS}/a`, { dryRun: ["All"] });
    assert.equal(api.server.resourceVersion, before);
    assert.deepEqual(namesIn(await api.ok("GET", MAPS)), ["a"]);
  });

  it("with unknown fields is warned of, refused or let through, as fieldValidation says", async () => {
    const api = createApi();
    await defineDatabases(api);
    const body = database("a", { engine: "mysql", typo: 1 });
    const strict = await api.call("POST", `${DATABASES}?fieldValidation=Strict`, body);
    assert.equal(strict.code, 400);
    assert.match(strict.body.message, /strict decoding error: unknown field "spec.typo"$/);
    const warned = await api.call("POST", `${DATABASES}?dryRun=All`, body);
    assert.equal(warned.headers.get("warning"), '299 - "unknown field \\"spec.typo\\""');
    const ignored = await api.call("POST", `${DATABASES}?fieldValidation=Ignore`, body);
    assert.deepEqual([ignored.code, ignored.headers.get("warning")], [201, null]);
    assert.equal(ignored.body.spec.typo, undefined);
  });

  it("with preconditions that do not hold is a conflict, and deletes nothing", async () => {
    const api = createApi();
    const { metadata } = await api.ok("POST", MAPS, { metadata: { name: "a" } });
    for (const preconditions of [{ uid: "x" }, { resourceVersion: "1" }]) {
      assert.equal((await api.call("DELETE", `${MAPS}/a`, { preconditions })).code, 409);
    }
    const { uid, resourceVersion } = metadata;
    const answer = await api.ok("DELETE", `${MAPS}/a`, { preconditions: { uid, resourceVersion } });
    assert.deepEqual(answer.details, { name: "a", kind: "configmaps", uid });
  });

  it("deletes a collection by selector", async () => {
    const api = createApi();
    for (const name of ["a", "b", "c"]) {
      await api.ok("POST", MAPS, { metadata: { name, labels: { keep: String(name === "b") } } });
    }
    await api.ok("DELETE", `${MAPS}?labelSelector=keep%3Dfalse`);
    assert.deepEqual(namesIn(await api.ok("GET", MAPS)), ["b"]);
  });

  it("takes YAML, and refuses what it does not know", async () => {
    const api = createApi();
    const yaml = "metadata:\n  name: a\ndata:\n  on: 'yes'\n";
    const created = await api.ok("POST", MAPS, yaml, { "content-type": "application/yaml" });
    assert.deepEqual(created.data, { on: "yes" });
    assert.equal((await api.call("POST", MAPS, "x", { "content-type": "text/plain" })).code, 415);
    assert.equal((await api.call("PATCH", `${MAPS}/a`, "{}", { "content-type": "text/plain" })).code, 415);
    assert.equal((await api.call("GET", `${MAPS}/a`, undefined, { accept: "text/html" })).code, 406);
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const request = new Request(`https://api.test${MAPS}`, { method: "POST", body: bytes });
    assert.ok((await api.server.fetch(request)).status >= 400);
  });

  it("gets the metadata alone, where that is asked for", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" }, data: { x: "1" } });
    const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const { kind, data, metadata } = await api.ok("GET", `${MAPS}/a`, undefined, { accept });
    assert.deepEqual([kind, data, metadata.name], ["PartialObjectMetadata", undefined, "a"]);
  });

  it("refuses a timeout that is no duration", async () => {
    const api = createApi();
    const path = "/api/v1/namespaces/default/configmaps";
    const faults: [string, string][] = [
      ["abc", 'invalid duration "abc"'],
      ["10", 'missing unit in duration "10"'],
      ["10x", 'unknown unit "x" in duration "10x"'],
      ["-", 'invalid duration "-"'],
    ];
    for (const [timeout, fault] of faults) {
      const { code, body } = await api.call("GET", `${path}?timeout=${timeout}`);
      const message = `invalid timeout specified in the request URL - time: ${fault}`;
      assert.deepEqual([code, body.message], [400, message]);
    }
    for (const timeout of ["10s", "1h2m3.5s", "0", "-5ms", ".5s"]) {
      await api.ok("GET", `${path}?timeout=${timeout}`);
    }
  });

  it("reads and writes the scale of custom and built-in kinds", async () => {
    const api = createApi();
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/apis/apps/v1/namespaces/default/statefulsets";
    const spec = { serviceName: "s", selector: { matchLabels: { a: "b" } }, template };
    await api.ok("POST", path, { metadata: { name: "s" }, spec });
    const scale = await api.ok("GET", `${path}/s/scale`);
    assert.deepEqual([scale.kind, scale.spec, scale.status], ["Scale", { replicas: 1 }, {
      replicas: 0,
      selector: "a=b",
    }]);
    await api.ok("PATCH", `${path}/s/scale`, { spec: { replicas: 3 } }, MERGE);
    scale.spec.replicas = 4;
    assert.equal((await api.call("PUT", `${path}/s/scale`, scale)).code, 409, "its version is old");
    const { spec: now, metadata } = await api.ok("GET", `${path}/s`);
    assert.deepEqual([now.replicas, metadata.generation], [3, 2]);
  });

  it("answers who one is and what one may do", async () => {
    const api = createApi();
    const spec = { resourceAttributes: { verb: "delete", resource: "nodes" } };
    const may = await api.ok("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec });
    assert.equal(may.status.allowed, true);
    const who = await api.ok("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    assert.ok(who.status.userInfo.groups.includes("system:masters"));
  });

  it("serves Events under both names", async () => {
    const api = createApi();
    const path = "/api/v1/namespaces/default/events";
    const involvedObject = { kind: "Pod", name: "p", namespace: "default" };
    await api.ok("POST", path, { metadata: { name: "e" }, involvedObject, message: "hello", type: "Normal" });
    const other = await api.ok("GET", "/apis/events.k8s.io/v1/namespaces/default/events/e");
    assert.deepEqual([other.apiVersion, other.note, other.regarding], [
      "events.k8s.io/v1",
      "hello",
      involvedObject,
    ]);
    await api.ok("PATCH", `${path}/e`, { message: "bye" }, MERGE);
    const newer = "/apis/events.k8s.io/v1/namespaces/default/events";
    const found = await api.ok("GET", `${newer}?fieldSelector=regarding.name%3Dp`);
    assert.equal(found.items[0].note, "bye");
    // NB: the newer group lets nobody change what an Event says.
    assert.equal((await api.call("PATCH", `${newer}/e`, { note: "hello" }, MERGE)).code, 422);
  });

  it("with a JSON patch that fails changes nothing", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" }, data: { x: "1" } });
    const patch = [{ op: "add", path: "/data/y", value: "2" }, { op: "test", path: "/data/x", value: "9" }];
    assert.equal((await api.call("PATCH", `${MAPS}/a`, patch, JSON_PATCH)).code, 422);
    assert.deepEqual((await api.ok("GET", `${MAPS}/a`)).data, { x: "1" });
  });
});
