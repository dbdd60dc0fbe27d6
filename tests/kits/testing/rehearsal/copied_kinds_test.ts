import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  chooseKinds,
  definitionsFor,
  withoutConversion,
} from "../../../../lib/kits/testing/rehearsal/copied_kinds.ts";
import type { Resource } from "../../../../lib/model/resource.ts";

function kind(group: string, version: string, plural: string, more: Partial<Resource> = {}): Resource {
  const names = { plural, kind: plural, singular: plural, shortcuts: [], categories: [], subresources: [] };
  return { group, version, ...names, namespaced: true, preferred: true, verbs: ["get", "list"], ...more };
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "widgets", kind: "Widget" },
    conversion: { strategy: "Webhook", webhook: {} },
    versions: [{ name: "v2", served: true, storage: false }, { name: "v1", served: true, storage: true }],
  },
};

describe("chooseKinds()", () => {
  it("takes each kind once, in a version that the server in the process has, custom ones as they are stored", async () => {
    const served = [
      kind("", "v1", "pods"),
      kind("", "v1", "events"),
      kind("autoscaling", "v1", "horizontalpodautoscalers", { preferred: false }),
      kind("autoscaling", "v2", "horizontalpodautoscalers"),
      kind("example.com", "v2", "widgets"),
      kind("example.com", "v1", "widgets", { preferred: false }),
      kind("metrics.k8s.io", "v1beta1", "pods"),
      kind("authorization.k8s.io", "v1", "selfsubjectreviews", { verbs: ["create"] }),
    ];
    const { kinds, foreign } = await chooseKinds(served, [definition]);
    assert.deepEqual(kinds.map(({ version, plural }) => `${plural} ${version}`), [
      "pods v1",
      "horizontalpodautoscalers v2",
      "widgets v1",
    ]);
    assert.deepEqual(foreign, ["pods.metrics.k8s.io"]);
  });
});

describe("withoutConversion()", () => {
  it("takes webhooks off, and leaves other definitions as they are", () => {
    const settled = withoutConversion(definition);
    assert.deepEqual(settled.spec?.conversion, { strategy: "None" });
    assert.equal(withoutConversion(settled), settled);
  });
});

describe("definitionsFor()", () => {
  it("makes definitions of custom kinds alone, and of none that is known", () => {
    const served = [
      kind("", "v1", "pods"),
      kind("apps", "v1", "deployments"),
      kind("example.com", "v1", "widgets"),
      kind("example.com", "v1", "gears", { subresources: ["status"], namespaced: false }),
    ];
    const [made, ...others] = definitionsFor(served, [definition]);
    assert.equal(others.length, 0);
    assert.equal(made?.metadata.name, "gears.example.com");
    assert.equal(made?.spec?.scope, "Cluster");
  });
});
