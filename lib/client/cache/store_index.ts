/**
 * Finds objects of a store by other keys than their identity: by name, by owner, by keys of an author's own.
 *
 * An index is filled when it is first asked, and kept up to date from then on: an index that is not asked costs no time.
 */

import type { KubeObject } from "../../model/object.ts";

/** The keys of an index. Compared by identity. */
export interface IndexBy {
  /** Returns the keys under which an object is found. An error counts as none, and is reported. */
  readonly keysOf: (object: KubeObject) => readonly string[];
  /** Called with the errors of `keysOf`. Default: not called. */
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

/** The keys of one object in one index; undefined: it has none. Nearly always one, and a list of one takes as much as the rest of an index. */
type Keys = string | readonly string[] | undefined;

/** An object that can be found by indexes. */
export interface IndexedEntry {
  readonly object: KubeObject;
  /** Under which keys it is, by the numbers of the indexes. Written by indexes alone. */
  keys: Keys[] | undefined;
}

/** So many objects under one key are kept in a list: a set takes four times as much memory, on JavaScriptCore. */
const MOST_LISTED = 32;

/** The objects of one store by the keys of one index. */
export class StoreIndex<Entry extends IndexedEntry> {
  readonly #by: IndexBy;
  readonly #number: number;
  readonly #objects = new Map<string, Entry | Entry[] | Set<Entry>>();

  /** @param number Tells it from the other indexes of its store: 0, 1, 2 and so on. */
  constructor(by: IndexBy, number: number) {
    this.#by = by;
    this.#number = number;
  }

  /** The objects under a key. */
  get(key: string): Iterable<Entry> {
    const found = this.#objects.get(key);
    if (found === undefined) return [];
    return found instanceof Set || Array.isArray(found) ? found : [found];
  }

  /** Takes an object's newest state. */
  put(cached: Entry): void {
    const keys = this.#keysOf(cached.object);
    if (isSame(cached.keys?.[this.#number], keys)) return;
    this.remove(cached);
    const [first, ...others] = new Set(keys);
    if (first === undefined) return;
    this.#note(cached, others.length === 0 ? first : [first, ...others]);
    for (const key of [first, ...others]) this.#add(key, cached);
  }

  /** Forgets an object. */
  remove(cached: Entry): void {
    const keys = cached.keys?.[this.#number];
    if (keys === undefined || cached.keys === undefined) return;
    for (const key of typeof keys === "string" ? [keys] : keys) this.#drop(key, cached);
    cached.keys[this.#number] = undefined;
  }

  /** A list that grows has room for sixteen more, on V8: this one has none. */
  #note(cached: Entry, keys: Keys): void {
    const known = cached.keys ?? [];
    if (known.length > this.#number) known[this.#number] = keys;
    else {
      const length = this.#number + 1;
      cached.keys = Array.from({ length }, (_, number) => number === this.#number ? keys : known[number]);
    }
  }

  #add(key: string, cached: Entry): void {
    const known = this.#objects.get(key);
    if (known === undefined) this.#objects.set(key, cached);
    else if (known instanceof Set) known.add(cached);
    else if (!Array.isArray(known)) this.#objects.set(key, [known, cached]);
    else if (known.length < MOST_LISTED) known.push(cached);
    else this.#objects.set(key, new Set([...known, cached]));
  }

  #drop(key: string, cached: Entry): void {
    const known = this.#objects.get(key);
    if (known instanceof Set) known.delete(cached);
    else if (Array.isArray(known) && known.includes(cached)) known.splice(known.indexOf(cached), 1);
    if (known === cached || sizeOf(known) === 0) this.#objects.delete(key);
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

function sizeOf(found: unknown): number {
  if (found instanceof Set) return found.size;
  return Array.isArray(found) ? found.length : 1;
}

function isSame(before: Keys, keys: readonly string[]): boolean {
  if (before === undefined) return keys.length === 0;
  if (typeof before === "string") return keys.length === 1 && keys[0] === before;
  return before.length === keys.length && before.every((key, number) => key === keys[number]);
}
