/** The kind that the soak is about. */

export const GROUP = "soak.lotse.dev";

export const ITEMS = `/apis/${GROUP}/v1/namespaces/default/items`;

export interface ItemSpec {
  /** Grows with each change, over all objects. */
  readonly n: number;
  /** Which key of the index it has. */
  readonly shard: string;
  /** Whether the first attempt of each handler fails. */
  readonly flaky: boolean;
}

export interface ItemStatus {
  state?: string;
  n?: number;
  ticks?: number;
}

export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec: ItemSpec;
}

export const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `items.${GROUP}` },
  spec: {
    group: GROUP,
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
