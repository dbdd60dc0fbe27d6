/**
 * CustomResourceDefinitions of an operator: of all kinds that it declares with schemas, and Kopf's peering kinds.
 */

import type { KubeObject } from "../../model/object.ts";
import type { DeclaredHandler } from "../../registry/declared.ts";
import type { ResourceOptions } from "../../registry/resource.ts";

/** Where kinds are declared. */
export interface Declarations {
  /** Operators, for the kinds of their handlers. */
  readonly operators: readonly { readonly declared: readonly DeclaredHandler[] }[];
  /** The exports of modules, for kinds that no handler is for. */
  readonly exports?: readonly unknown[];
}

/** Returns all kinds that were declared by `resource()`, each once, in the order of their declaration. */
export function declaredKinds({ operators, exports = [] }: Declarations): ResourceOptions[] {
  const kinds = new Set<ResourceOptions>();
  for (const { declared } of operators) {
    for (const { resource } of declared) if (resource !== undefined) kinds.add(resource);
  }
  for (const value of exports) if (isResourceType(value)) kinds.add(value.options);
  return [...kinds];
}

function isResourceType(value: unknown): value is { readonly options: ResourceOptions } {
  return typeof value === "object" && value !== null && "options" in value && "selector" in value &&
    typeof value.options === "object" && value.options !== null;
}

/**
 * Returns Kopf's definitions of peering objects, `kopf.dev/v1`: namespaced and cluster-wide ones.
 *
 * Source: Kopf, docs/peering.
 */
export function peeringCrds(): KubeObject[] {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const define = (scope: "Namespaced" | "Cluster", prefix: string): KubeObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${prefix.toLowerCase()}kopfpeerings.kopf.dev` },
    spec: {
      group: "kopf.dev",
      scope,
      names: {
        plural: `${prefix.toLowerCase()}kopfpeerings`,
        singular: `${prefix.toLowerCase()}kopfpeering`,
        kind: `${prefix}KopfPeering`,
        listKind: `${prefix}KopfPeeringList`,
      },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { status: open } } },
      }],
    },
  });
  return [define("Cluster", "Cluster"), define("Namespaced", "")];
}
