/**
 * Wakes the reconciles of objects because of something else than an event of their own.
 *
 * Whoever triggers names an object or its address; what names nothing that is known wakes nobody. Reasons are kept in the
 * object's records until a reconcile takes them, also while the object has to wait.
 */

import type { Caches } from "../client/cache/caches.ts";
import type { CachedObject } from "../client/cache/object_store.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { ReconcileReason } from "../execution/reconcile_record.ts";
import type { Resource } from "../model/resource.ts";
import { matches } from "../model/selector.ts";
import { readTarget, type TriggerTarget } from "../registry/targets.ts";
import type { Registry } from "../registry/registry.ts";
import type { Clock } from "../runtime/host.ts";
import type { WorkQueue } from "./work_queue.ts";

export interface TriggersOptions {
  readonly registry: Registry;
  /** Where objects are looked up. */
  readonly caches: Caches;
  readonly clock: Clock;
  readonly queue: Pick<WorkQueue, "add">;
  /** Returns what is known of an object, if it is there. */
  readonly stateOf: (cached: CachedObject) => ObjectState | undefined;
}

/** Wakes objects because of others. */
export class Triggers {
  readonly #options: TriggersOptions;

  constructor(options: TriggersOptions) {
    this.#options = options;
  }

  /**
   * Wakes the reconciles of an object. Returns whether there is such an object, with a handler that reconciles it.
   *
   * @throws {TypeError} If it is neither an object nor an address.
   */
  trigger(target: TriggerTarget, reason: ReconcileReason): boolean {
    const { selector, apiVersion, kind, address, uid } = readTarget(target);
    const { caches, stateOf } = this.#options;
    let isFound = false;
    for (const resource of caches.resources) {
      if (selector !== undefined && !matches(selector, resource)) continue;
      if (kind !== undefined && !isOfKind(resource, { apiVersion, kind })) continue;
      const cached = caches.find(resource, address);
      if (cached === undefined || (uid !== undefined && cached.object.metadata.uid !== uid)) continue;
      const state = stateOf(cached);
      if (state !== undefined && this.wake(state, reason)) isFound = true;
    }
    return isFound;
  }

  /** Wakes the reconciles of an object that is known. Returns whether there are any. */
  wake(state: ObjectState, reason: ReconcileReason): boolean {
    const { registry, clock, queue } = this.#options;
    const handlers = registry.of(state.resource).reconciles;
    if (handlers.length === 0) return false;
    for (const { id } of handlers) state.recordOf(id).wake(reason, clock.monotonic());
    queue.add(state, "dependency");
    return true;
  }
}

/** Versions do not count: the same object is served in several. */
function isOfKind(
  resource: Resource,
  { apiVersion = "", kind }: { readonly apiVersion?: string; readonly kind: string },
): boolean {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return resource.kind === kind && (apiVersion === "" || resource.group === group);
}
