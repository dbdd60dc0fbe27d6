/**
 * Finds objects of a store by something else than their identity: by name, by owner, by keys of an author's own.
 *
 * An index is filled when it is first asked, and kept up to date from then on: nobody pays for what nobody asks.
 */

import type { KubeObject } from "../../model/object.ts";

/** The keys of an index. Compared by identity. */
export interface IndexBy {
  /** Returns the keys under which an object is found. What it throws counts as none, and is reported. */
  readonly keysOf: (object: KubeObject) => readonly string[];
  /** Called with what `keysOf` throws. Default: nobody is. */
  readonly onError?: (error: unknown, object: KubeObject) => void;
}

/** By "namespace/name"; "/name" for objects without a namespace. */
export const BY_NAME: IndexBy = { keysOf: ({ metadata }) => [nameKey(metadata ?? {})] };

/** By the uids of owners. */
export const BY_OWNER: IndexBy = {
  keysOf: ({ metadata }) => {
    const owners: unknown = metadata?.ownerReferences;
    // Strangers' objects may hold anything there.
    return Array.isArray(owners)
      ? owners.flatMap((owner) => typeof owner?.uid === "string" ? [owner.uid] : [])
      : [];
  },
};

/** The key of an address in {@link BY_NAME}. */
export function nameKey(
  { namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string },
): string {
  return `${namespace}/${name}`;
}

/** The objects of one store by the keys of one index. */
export class StoreIndex<Entry extends { readonly object: KubeObject }> {
  readonly #by: IndexBy;
  readonly #objects = new Map<string, Set<Entry>>();
  /** Under which keys each object is. */
  readonly #keys = new Map<Entry, readonly string[]>();

  constructor(by: IndexBy) {
    this.#by = by;
  }

  /** The objects under a key. */
  get(key: string): Iterable<Entry> {
    return this.#objects.get(key) ?? [];
  }

  /** Takes an object's newest state. */
  put(cached: Entry): void {
    const keys = this.#keysOf(cached.object);
    const before = this.#keys.get(cached);
    if (before !== undefined && isSame(before, keys)) return;
    this.remove(cached);
    if (keys.length === 0) return;
    this.#keys.set(cached, keys);
    for (const key of keys) {
      const set = this.#objects.get(key);
      if (set === undefined) this.#objects.set(key, new Set([cached]));
      else set.add(cached);
    }
  }

  /** Forgets an object. */
  remove(cached: Entry): void {
    for (const key of this.#keys.get(cached) ?? []) {
      const set = this.#objects.get(key);
      set?.delete(cached);
      if (set?.size === 0) this.#objects.delete(key);
    }
    this.#keys.delete(cached);
  }

  #keysOf(object: KubeObject): readonly string[] {
    try {
      return this.#by.keysOf(object);
    } catch (error) {
      this.#by.onError?.(error, object);
      return [];
    }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, number) => key === b[number]);
}
