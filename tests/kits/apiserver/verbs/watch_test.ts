import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Answer,
  createApi,
  database,
  databaseDefinition,
  DATABASES,
  defineDatabases,
  MERGE,
} from "../api.ts";

const MAPS = "/api/v1/namespaces/default/secrets";
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

describe("A watch", () => {
  it("does not say that the beginning is complete where a webhook cannot convert it", async () => {
    const api = createApi();
    const definition = databaseDefinition();
    const [v1] = definition.spec.versions;
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await api.ok("POST", definitions, definition);
    await api.ok("POST", DATABASES, database("a"));
    const versions = [{ ...v1, storage: false }, { ...v1, name: "v2" }];
    const webhook = {
      clientConfig: { url: "https://127.0.0.1:1/" },
      conversionReviewVersions: ["v1"],
    };
    const spec = { versions, conversion: { strategy: "Webhook", webhook } };
    await api.ok("PATCH", `${definitions}/databases.example.com`, { spec }, MERGE);
    const path = DATABASES.replace("v1", "v2");
    assert.equal((await api.call("GET", path)).code, 500);
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await api.watch(`${path}?${query}`);
    assert.deepEqual(await watch.take(), ["ERROR 500"]);
    assert.ok(watch.ended);
  });

  it("begins with what there is, and goes on with what comes", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    const watch = await api.watch(`${MAPS}?watch=true`);
    assert.deepEqual(await watch.take(), ["ADDED a"]);
    await api.ok("POST", MAPS, { metadata: { name: "b" } });
    await api.ok("PATCH", `${MAPS}/a`, { data: { x: "MQ==" } }, MERGE);
    await api.ok("DELETE", `${MAPS}/b`);
    assert.deepEqual(await watch.take(), ["ADDED b", "MODIFIED a", "DELETED b"]);
    await watch.stop();
  });

  it("replays from an exact version, and misses nothing in between", async () => {
    const api = createApi();
    const { metadata } = await api.ok("POST", MAPS, { metadata: { name: "a" } });
    for (const x of ["MQ==", "Mg=="]) await api.ok("PATCH", `${MAPS}/a`, { data: { x } }, MERGE);
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`);
    await watch.take();
    await api.ok("DELETE", `${MAPS}/a`);
    assert.deepEqual(await watch.take(), ["DELETED a"]);
    await watch.stop();
  });

  it("does not tell of writes that change nothing", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" }, data: { x: "MQ==" } });
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${api.server.resourceVersion}`);
    const { metadata } = await api.ok("PATCH", `${MAPS}/a`, { data: { x: "MQ==" } }, MERGE);
    await api.ok("PUT", `${MAPS}/a`, { metadata: { name: "a" }, data: { x: "MQ==" } });
    assert.equal(metadata.resourceVersion, api.server.resourceVersion);
    assert.deepEqual(await watch.take(), []);
    await watch.stop();
  });

  it("shows a removed object as it last was, with the version of the removal", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a", finalizers: ["a/b"] } });
    await api.ok("DELETE", `${MAPS}/a`);
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${api.server.resourceVersion}`);
    await api.ok("PATCH", `${MAPS}/a`, { metadata: { finalizers: null } }, MERGE);
    await api.host.clock.settle();
    const [{ type, object }] = watch.events as Answer[];
    assert.equal(type, "DELETED");
    assert.deepEqual(object.metadata.finalizers, ["a/b"]);
    assert.equal(object.metadata.resourceVersion, api.server.resourceVersion);
    await watch.stop();
  });

  it("turns changes at the selector's edge into ADDED and DELETED", async () => {
    const api = createApi();
    const label = (x: string | null) => api.ok("PATCH", `${MAPS}/a`, { metadata: { labels: { x } } }, MERGE);
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    const watch = await api.watch(`${MAPS}?watch=true&labelSelector=x%3D1`);
    assert.deepEqual(await watch.take(), []);
    for (const x of ["1", "2", null, "1"]) await label(x);
    await api.ok("PATCH", `${MAPS}/a`, { data: { y: "eg==" } }, MERGE);
    assert.deepEqual(await watch.take(), ["ADDED a", "DELETED a", "ADDED a", "MODIFIED a"]);
    const [, left] = watch.events;
    assert.equal(left, undefined);
    await watch.stop();
  });

  it("shows what left the selector's sight as it was while it was seen", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a", labels: { x: "1" } } });
    const watch = await api.watch(
      `${MAPS}?watch=true&labelSelector=x%3D1&resourceVersion=${api.server.resourceVersion}`,
    );
    await api.ok("PATCH", `${MAPS}/a`, { metadata: { labels: { x: "2" } } }, MERGE);
    await api.host.clock.settle();
    const [{ type, object }] = watch.events as Answer[];
    assert.deepEqual([type, object.metadata.labels], ["DELETED", { x: "1" }]);
    assert.equal(object.metadata.resourceVersion, api.server.resourceVersion);
    await watch.stop();
  });

  it("of one namespace or one name sees nothing else", async () => {
    const api = createApi();
    const one = await api.watch(`${MAPS}?watch=true&fieldSelector=metadata.name%3Da`);
    const all = await api.watch("/api/v1/secrets?watch=true");
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    await api.ok("POST", MAPS, { metadata: { name: "b" } });
    await api.ok("POST", MAPS.replace("default", "kube-system"), { metadata: { name: "a" } });
    assert.deepEqual(await one.take(), ["ADDED a"]);
    assert.deepEqual(await all.take(), ["ADDED a", "ADDED b", "ADDED a"]);
    await one.stop();
    await all.stop();
  });

  it("gives a bookmark each minute, and one before its timeout", async () => {
    const api = createApi();
    const version = api.server.resourceVersion;
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=150&resourceVersion=${version}`;
    const watch = await api.watch(`${MAPS}?${query}`);
    const quiet = await api.watch(`${MAPS}?watch=true&timeoutSeconds=150&resourceVersion=${version}`);
    await api.host.clock.advance(59);
    assert.deepEqual(await watch.take(), []);
    await api.host.clock.advance(1);
    assert.deepEqual(await watch.take(), [`BOOKMARK ${version}`]);
    await api.ok("POST", "/api/v1/namespaces", { metadata: { name: "x" } });
    await api.host.clock.advance(88);
    const now = `BOOKMARK ${api.server.resourceVersion}`;
    assert.deepEqual(await watch.take(), [now, now], "at 120 s and at 148 s");
    assert.equal(watch.ended, false);
    await api.host.clock.advance(2);
    assert.deepEqual([watch.ended, quiet.ended, quiet.events.length], [true, true, 0]);
  });

  it("ends by itself after half an hour to an hour", async () => {
    const api = createApi();
    const watch = await api.watch(`${MAPS}?watch=true`);
    await api.host.clock.advance(1799);
    assert.equal(watch.ended, false);
    await api.host.clock.advance(1802);
    assert.equal(watch.ended, true);
    assert.equal(api.host.clock.pending, 0, "no timer is left behind");
  });

  it("with sendInitialEvents says where the beginning ends", async () => {
    const api = createApi();
    await defineDatabases(api);
    for (const name of ["b", "a"]) await api.ok("POST", DATABASES, database(name));
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await api.watch(`${DATABASES}?${query}`);
    await api.host.clock.settle();
    const version = api.server.resourceVersion;
    assert.deepEqual(watch.events.at(-1).object.metadata, {
      resourceVersion: version,
      annotations: { "k8s.io/initial-events-end": "true" },
    });
    assert.deepEqual(await watch.take(), ["ADDED a", "ADDED b", `BOOKMARK ${version}`]);
    await watch.stop();
  });

  it("whose reader stays too far behind is ended, and the server goes on", { timeout: 30_000 }, async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    const url = `https://api.test${MAPS}?watch=true&resourceVersion=${api.server.resourceVersion}`;
    const response = await api.server.fetch(new Request(url));
    for (let i = 0; i <= 20_000; i++) {
      await api.server.fetch(
        new Request(`https://api.test${MAPS}/a`, {
          method: "PATCH",
          headers: MERGE,
          body: `{"stringData":{"i":"${i}"}}`,
        }),
      );
    }
    const lines = (await response.text()).trim().split("\n");
    assert.equal(lines.length, 20_001);
    assert.equal(JSON.parse(lines[0] ?? "").object.data.i, btoa("0"));
  });

  it("of tables gives rows, and the columns only once", async () => {
    const api = createApi();
    const watch = await api.watch(`${MAPS}?watch=true`, TABLE);
    for (const name of ["a", "b"]) await api.ok("POST", MAPS, { metadata: { name }, data: { x: "MQ==" } });
    await api.host.clock.settle();
    const [first, second] = watch.events as Answer[];
    assert.deepEqual([first.object.kind, first.object.rows[0].cells.slice(0, 2)], ["Table", ["a", "Opaque"]]);
    assert.equal(first.object.columnDefinitions.length, 4);
    assert.equal(second.object.columnDefinitions, null);
    await watch.stop();
  });
});
