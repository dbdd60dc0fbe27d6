import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { type Answer, apiOf, createApi, database, DATABASES, defineDatabases, MERGE } from "./api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("reset()", () => {
  it("goes back to the beginning: what was made goes, whatever holds it, and what went comes back", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", DATABASES, {
      ...database("a"),
      metadata: { name: "a", finalizers: ["example.com/x"] },
    });
    await api.ok("POST", "/api/v1/namespaces", { metadata: { name: "other" } });
    await api.ok("DELETE", "/api/v1/namespaces/default/serviceaccounts/default");
    api.server.reset();
    await api.host.clock.settle();
    assert.equal((await api.call("GET", DATABASES)).code, 404, "the kind is gone");
    assert.equal((await api.call("GET", "/api/v1/namespaces/other")).code, 404);
    assert.equal((await api.call("GET", "/api/v1/namespaces/default/serviceaccounts/default")).code, 200);
    await defineDatabases(api);
    assert.deepEqual((await api.ok("GET", DATABASES)).items, []);
  });

  it("goes back to the last checkpoint, and tells those who watch", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", MAPS, { metadata: { name: "kept" }, data: { a: "1" } });
    await api.ok("POST", MAPS, { metadata: { name: "same" } });
    api.server.checkpoint();
    const { metadata } = await api.ok("GET", MAPS);
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`);
    await api.ok("POST", MAPS, { metadata: { name: "new" } });
    await api.ok("PATCH", `${MAPS}/kept`, { data: { a: "2" } }, MERGE);
    assert.deepEqual(await watch.take(), ["ADDED new", "MODIFIED kept"]);
    api.server.reset();
    assert.deepEqual(await watch.take(), ["DELETED new", "MODIFIED kept"]);
    assert.equal((await api.ok("GET", `${MAPS}/kept`)).data.a, "1");
    assert.deepEqual((await api.ok("GET", DATABASES)).items, [], "the kind is still there");
    api.server.reset();
    assert.deepEqual(await watch.take(), [], "nothing is written that is as it was");
    await watch.stop();
  });

  it("takes faults back", async () => {
    const api = createApi();
    api.server.faults.inject({ times: Infinity, fault: { type: "refuse", code: 503 } });
    assert.equal((await api.call("GET", MAPS)).code, 503);
    api.server.reset();
    assert.equal((await api.call("GET", MAPS)).code, 200);
  });
});

describe("fork()", () => {
  it("makes a server that begins with the same, and goes its own way", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", DATABASES, database("a"));
    const fork = api.server.fork({ host: virtualHost({ seed: 2 }) });
    const ask = async (method: string, path: string, body?: Answer): Promise<Answer> => {
      const headers = { "content-type": "application/json" };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return await (await fork.fetch(new Request(`https://a.test${path}`, { method, headers, ...text })))
        .json();
    };
    const [before, after] = [await api.ok("GET", `${DATABASES}/a`), await ask("GET", `${DATABASES}/a`)];
    assert.deepEqual(after, before, "with its identity and version");
    await ask("PATCH", `${DATABASES}/a`, undefined);
    assert.equal((await ask("POST", DATABASES, database("b"))).metadata.name, "b");
    assert.equal(
      (await ask("POST", DATABASES, database("c", { engine: "none" }))).code,
      422,
      "with its schema",
    );
    await api.ok("DELETE", `${DATABASES}/a`);
    assert.equal((await ask("GET", `${DATABASES}/a`)).metadata.name, "a");
    assert.equal((await api.call("GET", `${DATABASES}/b`)).code, 404);
  });

  it("shows neither the writes of the fork to the origin, nor the other way: objects, versions, definitions, watches", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", MAPS, { metadata: { name: "one" }, data: { a: "1" } });
    const fork = apiOf(api.server.fork({ host: virtualHost() }));
    assert.equal(fork.server.resourceVersion, api.server.resourceVersion);
    const path = `${MAPS}?watch=true&resourceVersion=${api.server.resourceVersion}`;
    const [here, there] = [await api.watch(path), await fork.watch(path)];
    await fork.ok("PATCH", `${MAPS}/one`, { data: { a: "2" } }, MERGE);
    await api.ok("DELETE", `${MAPS}/one`);
    await fork.ok("DELETE", `${DEFINITIONS}/databases.example.com`);
    assert.deepEqual([await here.take(), await there.take()], [["DELETED one"], ["MODIFIED one"]]);
    assert.equal((await fork.ok("GET", `${MAPS}/one`)).data.a, "2");
    assert.deepEqual((await api.ok("GET", DATABASES)).items, [], "the kind is still there");
    await Promise.all([here.stop(), there.stop()]);
  });

  it("knows the past: watches go on from a version before the fork, and those of forgotten ones are told so", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "forgotten" } });
    const { metadata: { resourceVersion: old } } = await api.ok("GET", MAPS);
    await api.ok("POST", MAPS, { metadata: { name: "gone" } });
    api.server.compact();
    const { metadata: { resourceVersion } } = await api.ok("GET", MAPS);
    await api.ok("POST", MAPS, { metadata: { name: "one" } });
    await api.ok("DELETE", `${MAPS}/gone`);
    const fork = apiOf(api.server.fork({ host: virtualHost() }));
    await fork.ok("POST", MAPS, { metadata: { name: "two" } });
    const watch = await fork.watch(`${MAPS}?watch=true&resourceVersion=${resourceVersion}`);
    assert.deepEqual(await watch.take(), ["ADDED one", "DELETED gone", "ADDED two"]);
    await watch.stop();
    const late = await fork.watch(`${MAPS}?watch=true&resourceVersion=${old}`);
    assert.deepEqual(await late.take(), ["ERROR 410"]);
    assert.deepEqual(
      (await fork.ok("GET", `${MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).items
        .map(({ metadata }: Answer) => metadata.name).filter((name: string) => name !== "kube-root-ca.crt"),
      ["forgotten", "gone"],
    );
  });

  it("writes nothing by itself, and keeps policies, rights and tokens", async () => {
    const server = apiServer({ host: virtualHost(), rbac: true });
    const api = apiOf(server);
    await api.ok("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    const subjects = [{ kind: "ServiceAccount", name: "robot", namespace: "default" }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" };
    await api.ok("POST", roles, { metadata: { name: "robot" }, roleRef, subjects });
    const policies = "/apis/admissionregistration.k8s.io/v1";
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
    await api.ok("POST", `${policies}/validatingadmissionpolicies`, {
      metadata: { name: "short" },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: "object.metadata.name.size() < 4" }],
      },
    });
    await api.ok("POST", `${policies}/validatingadmissionpolicybindings`, {
      metadata: { name: "short" },
      spec: { policyName: "short", validationActions: ["Deny"] },
    });
    const { status } = await api.ok("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", {});
    const fork = server.fork();
    await server.host.clock.settle();
    assert.equal(fork.resourceVersion, server.resourceVersion);
    const post = async (path: string, body: Answer): Promise<number> => {
      const headers = { authorization: `Bearer ${status.token}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fork.fetch(new Request(`https://a.test${path}`, init))).status;
    };
    assert.equal(await post(MAPS, { metadata: { name: "one" } }), 201);
    assert.equal(await post(MAPS, { metadata: { name: "three" } }), 422);
    assert.equal(await post("/api/v1/nodes", { metadata: { name: "one" } }), 403);
  });

  it("keeps the options: who may do what, and whose token is whose", async () => {
    const tokens = { secret: { username: "alice", groups: ["system:authenticated"] } };
    const fork = apiServer({ host: virtualHost(), rbac: true, tokens }).fork();
    const headers = { authorization: "Bearer secret" };
    assert.equal((await fork.fetch(new Request(`https://a.test${MAPS}`, { headers }))).status, 403);
  });

  it("resets to what it began with", async () => {
    const api = createApi();
    await defineDatabases(api);
    const fork = api.server.fork();
    fork.reset();
    assert.equal(
      (await fork.fetch(new Request(`https://a.test${DEFINITIONS}/databases.example.com`))).status,
      200,
    );
  });
});
