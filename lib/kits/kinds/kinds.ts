/**
 * The kinds that every cluster has, as constants for handlers: to be watched, and to be made and changed by `op.api`.
 *
 * Their objects are typed wherever handlers read and write them: specs, statuses, and fields beside these, such as the `data`
 * of a Secret. The types have names in `@lotse/lotse/kubernetes`, such as `PodSpec` and `Secret`.
 */

import { ADDRESSES, type Kinds } from "./builtin_kinds.ts";
import { resource, type ResourceType } from "../../registry/resource.ts";

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

/** Its group and version, its plural, and its scope. */
type Address = (typeof ADDRESSES)[keyof Kinds];

function declareAll(): Kinds {
  const declared = {};
  for (const [kind, address] of Object.entries(ADDRESSES)) {
    let made: ResourceType | undefined;
    // NB: an operator uses a few of the many; declaring all of them was an eighth of its start.
    const get = (): ResourceType => made ??= declare(kind, address);
    Object.defineProperty(declared, kind, { enumerable: true, get });
  }
  // The addresses have exactly the names of `Kinds`, whose types are for the compiler only.
  return Object.freeze(declared) as unknown as Kinds;
}

function declare(kind: string, [apiVersion, plural, scope]: Address): ResourceType {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return resource({ group, version, plural, kind, namespaced: scope !== "cluster" });
}
