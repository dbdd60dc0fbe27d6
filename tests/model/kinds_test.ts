import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CUSTOM_RESOURCE_DEFINITIONS, INGRESSES, KINDS, PODS, STATEFUL_SETS } from "../../lib/model/kinds.ts";
import { pathOf } from "../../lib/model/resource.ts";

describe("Built-in kinds", () => {
  it("have the paths that every API server serves", () => {
    assert.equal(pathOf(PODS, { namespace: "ns" }), "/api/v1/namespaces/ns/pods");
    assert.equal(
      pathOf(STATEFUL_SETS, { namespace: "ns", name: "a", subresource: "status" }),
      "/apis/apps/v1/namespaces/ns/statefulsets/a/status",
    );
    assert.equal(pathOf(INGRESSES), "/apis/networking.k8s.io/v1/ingresses");
    assert.equal(
      pathOf(CUSTOM_RESOURCE_DEFINITIONS, { name: "a.b" }),
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.b",
    );
  });

  it("are found by kind", () => {
    assert.equal(KINDS.get("Pod"), PODS);
    for (const [kind, resource] of KINDS) assert.equal(resource.kind, kind);
    assert.equal(new Set(KINDS.values()).size, KINDS.size);
  });
});
