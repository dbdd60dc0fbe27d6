import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi, database, defineDatabases, MERGE } from "../api.ts";

describe("Namespaces", () => {
  it("has four from the start, and keeps three of them", async () => {
    const api = createApi();
    const { items } = await api.ok("GET", "/api/v1/namespaces");
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    assert.deepEqual(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
    const { code, body } = await api.call("DELETE", "/api/v1/namespaces/default");
    assert.deepEqual([code, body.message], [
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
  });

  it("refuses content in a namespace that is missing, with the namespace's name", async () => {
    const api = createApi();
    const { code, body } = await api.call("POST", "/api/v1/namespaces/x/configmaps", {
      metadata: { name: "a" },
    });
    assert.deepEqual([code, body.message, body.details], [404, 'namespaces "x" not found', {
      name: "x",
      kind: "namespaces",
    }]);
  });

  it("removes the content, of custom kinds too, and then itself", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", "/api/v1/namespaces", { metadata: { name: "x" } });
    await api.ok("POST", "/api/v1/namespaces/x/configmaps", { metadata: { name: "a" } });
    await api.ok("POST", "/apis/example.com/v1/namespaces/x/databases", database("d"));
    const answer = await api.ok("DELETE", "/api/v1/namespaces/x");
    assert.equal(answer.status.phase, "Terminating");
    await api.host.clock.settle();
    assert.equal((await api.call("GET", "/api/v1/namespaces/x")).code, 404);
    assert.equal((await api.ok("GET", "/apis/example.com/v1/databases")).items.length, 0);
  });

  it("waits for finalizers of its content, and takes nothing new meanwhile", async () => {
    const api = createApi();
    await api.ok("POST", "/api/v1/namespaces", { metadata: { name: "x" } });
    const path = "/api/v1/namespaces/x/configmaps";
    await api.ok("POST", path, { metadata: { name: "a", finalizers: ["a/b"] } });
    await api.ok("DELETE", "/api/v1/namespaces/x");
    await api.host.clock.advance(60);
    assert.ok((await api.ok("GET", `${path}/a`)).metadata.deletionTimestamp);
    const { code, body } = await api.call("POST", path, { metadata: { name: "b" } });
    assert.deepEqual([code, body.details.causes[0].reason], [403, "NamespaceTerminating"]);
    await api.ok("PATCH", `${path}/a`, { metadata: { finalizers: [] } }, MERGE);
    await api.host.clock.settle();
    assert.equal((await api.call("GET", "/api/v1/namespaces/x")).code, 404);
  });
});
