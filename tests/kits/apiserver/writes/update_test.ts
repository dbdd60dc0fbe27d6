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

const A = `${DATABASES}/a`;

async function createDatabase() {
  const api = createApi();
  await defineDatabases(api);
  await api.ok("POST", DATABASES, database("a"));
  const patch = (body: Answer, subresource = "") => api.ok("PATCH", A + subresource, body, MERGE);
  return { api, patch };
}

describe("updateObject()", () => {
  it("counts generations of the spec, and not of status or metadata", async () => {
    const { patch } = await createDatabase();
    const generation = async (answer: Promise<Answer>) => (await answer).metadata.generation;
    assert.equal(await generation(patch({ spec: { replicas: 2 } })), 2);
    assert.equal(await generation(patch({ spec: { replicas: 2 } })), 2);
    assert.equal(await generation(patch({ metadata: { labels: { a: "b" } } })), 2);
    assert.equal(await generation(patch({ status: { x: 1 } }, "/status")), 2);
    assert.equal(await generation(patch({ metadata: { generation: 9 }, spec: { replicas: 3 } })), 3);
  });

  it("counts changes of the status where it is no subresource", async () => {
    const api = createApi();
    const definition = databaseDefinition();
    delete definition.spec.versions[0].subresources;
    await api.ok("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const created = await api.ok("POST", DATABASES, { ...database("a"), status: { x: 1 } });
    assert.deepEqual(created.status, { x: 1 });
    const { metadata } = await api.ok("PATCH", A, { status: { x: 2 } }, MERGE);
    assert.equal(metadata.generation, 2);
    assert.equal((await api.call("PATCH", `${A}/status`, {}, MERGE)).code, 404);
  });

  it("keeps status and the rest apart", async () => {
    const { patch, api } = await createDatabase();
    await patch({ spec: { replicas: 2 }, status: { x: 1 } });
    assert.equal((await api.ok("GET", A)).status, undefined);
    await patch({ spec: { replicas: 5 }, metadata: { labels: { a: "b" } }, status: { x: 1 } }, "/status");
    const { spec, status, metadata } = await api.ok("GET", A);
    assert.deepEqual([spec.replicas, status, metadata.labels], [2, { x: 1 }, undefined]);
    const put = { ...(await api.ok("GET", A)), spec: { engine: "mysql", replicas: 4 }, status: { x: 2 } };
    await api.ok("PUT", `${A}/status`, put);
    const now = await api.ok("GET", A);
    assert.deepEqual([now.spec.replicas, now.status], [2, { x: 2 }]);
  });

  it("refuses an old version, in PUT and in patches", async () => {
    const { api, patch } = await createDatabase();
    const old = await api.ok("GET", A);
    await patch({ spec: { replicas: 2 } });
    assert.equal((await api.call("PUT", A, { ...old, spec: { engine: "mysql", replicas: 3 } })).code, 409);
    const body = { metadata: { resourceVersion: old.metadata.resourceVersion }, spec: { replicas: 3 } };
    assert.equal((await api.call("PATCH", A, body, MERGE)).code, 409);
    assert.equal((await api.call("PUT", A, database("a"))).code, 422, "custom kinds need a version");
    assert.equal((await api.ok("GET", A)).spec.replicas, 2);
  });

  it("keeps what clients cannot change", async () => {
    const { api, patch } = await createDatabase();
    const { metadata: old } = await api.ok("GET", A);
    const { metadata } = await patch({
      metadata: { creationTimestamp: "2000-01-01T00:00:00Z", generation: 9 },
    });
    assert.deepEqual(metadata, old);
    assert.equal((await api.call("PATCH", A, { metadata: { uid: "x" } }, MERGE)).code, 422);
    assert.equal((await api.call("PATCH", A, { metadata: { name: "x" } }, MERGE)).code, 400);
    assert.equal((await api.call("PATCH", A, { metadata: { namespace: "x" } }, MERGE)).code, 400);
  });

  it("does not change what was stored before, when defaults or pruning come into play", async () => {
    const { api, patch } = await createDatabase();
    const watch = await api.watch(`${DATABASES}?watch=true&resourceVersion=${api.server.resourceVersion}`);
    await patch({ spec: { replicas: 2 } });
    await patch({ spec: { replicas: null } });
    await api.host.clock.settle();
    assert.deepEqual(watch.events.map(({ object }) => object.spec.replicas), [2, 1]);
    await watch.stop();
  });

  it("creates on PUT only where the real server does", async () => {
    const { api } = await createDatabase();
    const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    assert.equal((await api.call("PUT", lease, { metadata: { name: "l" }, spec: {} })).code, 201);
    const map = "/api/v1/namespaces/default/configmaps/m";
    assert.equal((await api.call("PUT", map, { metadata: { name: "m" } })).code, 404);
  });
});
