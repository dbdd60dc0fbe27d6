/**
 * Remembers which states of objects already are as they were applied, so that applying the same again costs no request.
 *
 * Only for kinds whose changes wake a reconcile (`op.owns` and the like): their known states may be a moment old, and whoever
 * applies is called again when it was. A state is known by identity, so that whatever changes an object, its status included,
 * has the next apply look at the server. After a start no state is remembered: objects that an earlier version of the operator applied,
 * and this one leaves out, only the server's record of managed fields tells.
 */

import { cloneJson, isSameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import { AppliedSpellings } from "./applied_spellings.ts";
import type { Caches } from "./caches.ts";
import type { StoredState } from "./stored_state.ts";

export interface AppliedStatesOptions {
  readonly caches: Caches;
  /** Whether changes of the kind's objects wake a reconcile, and its objects are kept whole. */
  readonly isFollowed: (resource: Resource) => boolean;
}

/** An object that a manager wants to be so. */
export interface Application {
  readonly object: KubeObject & { readonly metadata: { readonly name: string } };
  readonly fieldManager: string;
}

/** The states of one run. */
export class AppliedStates {
  /** For kinds that are not followed as well: the results of applies, by manifest. */
  readonly spellings: AppliedSpellings = new AppliedSpellings();
  readonly #options: AppliedStatesOptions;
  /** By state: the objects that were applied last, by their managers. (A digest of them takes thirty times as long.) */
  readonly #applied = new WeakMap<StoredState, readonly Application[]>();

  constructor(options: AppliedStatesOptions) {
    this.#options = options;
  }

  /** Returns the newest state if it is as the application makes it; "missing" if there is no such object; undefined if that is not known. */
  look(resource: Resource, { object, fieldManager }: Application): KubeObject | "missing" | undefined {
    const { caches, isFollowed } = this.#options;
    if (!isFollowed(resource)) return undefined;
    const known = caches.find(resource, object.metadata)?.state;
    if (known === undefined) return this.isMissing(resource, object) ? "missing" : undefined;
    const applied = this.#applied.get(known)?.find((each) => each.fieldManager === fieldManager);
    return applied !== undefined && isSameJson(applied.object, object) ? cloneJson(known.object) : undefined;
  }

  /** Whether it is known that there is no such object. */
  isMissing(resource: Resource, object: KubeObject): boolean {
    const { caches, isFollowed } = this.#options;
    return isFollowed(resource) && caches.isMissing(resource, object);
  }

  /** Forgets the states of an object, which is being deleted; without a name: of all of the kind. */
  forget(resource: Resource, address?: { readonly namespace?: string; readonly name: string }): void {
    const { caches } = this.#options;
    const found = address === undefined ? caches.values(resource) : [caches.find(resource, address)];
    for (const cached of found) if (cached !== undefined) this.#applied.delete(cached.state);
  }

  /** Notes that a state, which the server has shown, is as the application makes it. */
  note(resource: Resource, { object, fieldManager }: Application, { metadata }: KubeObject): void {
    const { caches, isFollowed } = this.#options;
    if (!isFollowed(resource)) return;
    const known = caches.find(resource, object.metadata)?.state;
    if (known === undefined || known.version !== metadata.resourceVersion) return;
    if (known.object.metadata.uid !== metadata.uid) return;
    const others = this.#applied.get(known)?.filter((each) => each.fieldManager !== fieldManager) ?? [];
    // The author may change his own afterwards.
    this.#applied.set(known, [...others, { object: cloneJson(object), fieldManager }]);
  }
}
