/**
 * The kinds that every cluster has, as constants for handlers: to be watched, and to be made and changed by `op.api`.
 *
 * Their specs and statuses are typed; the types have names in `@lotse/lotse/kubernetes`, such as `PodSpec`. Kinds
 * without a spec (ConfigMap, Secret, Role) have the types of whole objects there, such as `ConfigMap`.
 */

import { ADDRESSES, type Kinds } from "./builtin_kinds.ts";
import { resource, type ResourceType } from "./resource.ts";

export type { Kinds };

/**
 * Built-in kinds: all that Kubernetes serves in stable versions.
 *
 * @example
 * ```ts
 * import { kinds, operator } from "@lotse/lotse";
 *
 * const op = operator();
 * op.on.event(kinds.Pod, ({ type, status, logger }) => logger.info("Pod", { type, phase: status.phase }));
 * ```
 */
export const kinds: Kinds = declareAll();

function declareAll(): Kinds {
  const declared = Object.entries(ADDRESSES).map(([kind, address]): [string, ResourceType] => {
    const [apiVersion, plural, scope] = address;
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    return [kind, resource({ group, version, plural, kind, namespaced: scope !== "cluster" })];
  });
  // The addresses have exactly the names of `Kinds`, whose types are for the compiler only.
  return Object.freeze(Object.fromEntries(declared)) as unknown as Kinds;
}
