import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi, database, databaseDefinition, DATABASES, defineDatabases, MERGE } from "../api.ts";

const DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.example.com";

describe("Definitions", () => {
  it("serves a kind as soon as it is defined, and no longer when the definition is gone", async () => {
    const api = createApi();
    assert.equal((await api.call("GET", DATABASES)).code, 404);
    await defineDatabases(api);
    await api.ok("POST", DATABASES, database("a"));
    const answer = await api.ok("DELETE", DEFINITION);
    assert.deepEqual(answer.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
    await api.host.clock.settle();
    assert.equal((await api.call("GET", DEFINITION)).code, 404);
    assert.equal((await api.call("GET", DATABASES)).code, 404);
    await defineDatabases(api);
    assert.equal((await api.ok("GET", DATABASES)).items.length, 0, "objects went with the definition");
  });

  it("waits for the finalizers of objects before the definition goes", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", DATABASES, { ...database("a"), metadata: { name: "a", finalizers: ["a/b"] } });
    await api.ok("DELETE", DEFINITION);
    await api.host.clock.advance(10);
    const { status } = await api.ok("GET", DEFINITION);
    assert.equal(status.conditions.at(-1).type, "Terminating");
    assert.equal((await api.call("POST", DATABASES, database("b"))).code, 403);
    await api.ok("PATCH", `${DATABASES}/a`, { metadata: { finalizers: null } }, MERGE);
    await api.host.clock.settle();
    assert.equal((await api.call("GET", DEFINITION)).code, 404);
  });

  it("ends watches when the definition's spec changes, and not when its labels do", async () => {
    const api = createApi();
    await defineDatabases(api);
    const watch = await api.watch(`${DATABASES}?watch=true`);
    await api.ok("PATCH", DEFINITION, { metadata: { labels: { a: "b" } } }, MERGE);
    await watch.take();
    assert.equal(watch.ended, false);
    const spec = databaseDefinition().spec;
    spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size = {
      type: "string",
      default: "s",
    };
    await api.ok("PATCH", DEFINITION, { spec }, MERGE);
    await watch.take();
    assert.equal(watch.ended, true);
    assert.equal((await api.ok("POST", DATABASES, database("a"))).spec.size, "s");
  });

  it("serves an object in all versions, stored once", async () => {
    const api = createApi();
    const definition = databaseDefinition();
    const [version] = definition.spec.versions;
    definition.spec.versions.push({ ...version, name: "v2", storage: false });
    await api.ok("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const second = DATABASES.replace("/v1/", "/v2/");
    await api.ok("POST", second, { ...database("a"), apiVersion: "example.com/v2" });
    assert.equal((await api.ok("GET", `${DATABASES}/a`)).apiVersion, "example.com/v1");
    assert.equal((await api.ok("GET", `${second}/a`)).apiVersion, "example.com/v2");
    const before = api.server.resourceVersion;
    await api.ok("PATCH", `${second}/a`, { spec: { engine: "mysql" } }, MERGE);
    assert.equal(api.server.resourceVersion, before, "nothing has changed");
  });
});
