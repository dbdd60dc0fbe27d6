/**
 * The kind of object that the benchmarks of operators handle.
 */

/** Defines it: anything may stand in it, and its status is a subresource. */
export const ITEM_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "items.bench.lotse.dev" },
  spec: {
    group: "bench.lotse.dev",
    scope: "Namespaced",
    names: { plural: "items", singular: "item", kind: "Item" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
};
