/**
 * The kinds that programs declare by `resource()`: for definitions, roles and manifests of them.
 */

import type { ResourceOptions } from "./resource.ts";

/** Where kinds are declared. */
export interface Declarations {
  /** Operators, for the kinds of their handlers. */
  readonly operators: readonly { readonly declared: readonly { readonly resource?: ResourceOptions }[] }[];
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
