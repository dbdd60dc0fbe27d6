import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, createApi, defineDatabases } from "../api.ts";

const AGGREGATED = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };

describe("Discovery", () => {
  it("lists groups, versions and resources, defined ones included", async () => {
    const api = createApi();
    await defineDatabases(api);
    assert.deepEqual((await api.ok("GET", "/api")).versions, ["v1"]);
    const { groups } = await api.ok("GET", "/apis");
    const group = groups.find(({ name }: Answer) => name === "example.com");
    assert.deepEqual(group.preferredVersion, { groupVersion: "example.com/v1", version: "v1" });
    const { resources } = await api.ok("GET", "/apis/example.com/v1");
    assert.deepEqual(resources.map(({ name }: Answer) => name), ["databases", "databases/status"]);
    assert.deepEqual(resources[0].shortNames, ["db"]);
    assert.equal((await api.call("GET", "/apis/example.com/v2")).code, 404);
  });

  it("gives the same in one document to those who ask for it", async () => {
    const api = createApi();
    await defineDatabases(api);
    const { kind, items } = await api.ok("GET", "/apis", undefined, AGGREGATED);
    assert.equal(kind, "APIGroupDiscoveryList");
    const group = items.find(({ metadata }: Answer) => metadata.name === "example.com");
    const [resource] = group.versions[0].resources;
    assert.deepEqual([resource.resource, resource.scope, resource.subresources[0].subresource], [
      "databases",
      "Namespaced",
      "status",
    ]);
    const core = await api.ok("GET", "/api", undefined, AGGREGATED);
    const names = core.items[0].versions[0].resources.map((found: Answer) => found.resource);
    assert.ok(names.includes("pods") && names.includes("namespaces"));
  });

  it("puts what kubectl calls all into its category", async () => {
    const api = createApi();
    const { resources } = await api.ok("GET", "/apis/apps/v1");
    const all = resources.filter(({ categories }: Answer) => categories?.includes("all"));
    assert.deepEqual(all.map(({ name }: Answer) => name).sort(), [
      "daemonsets",
      "deployments",
      "replicasets",
      "statefulsets",
    ]);
  });
});
