/**
 * All objects of one kind, in etcd's order, with the recent past and its watches.
 *
 * The past is a log of changes. A list at an older version (the later pages of a list, `resourceVersionMatch=Exact`) is
 * the present with the changes since then undone; a watch from an older version replays them.
 */

import { formatJson } from "../../../runtime/json.ts";
import type { SharedParts, Stored } from "./stored.ts";

/** The collection of CustomResourceDefinitions, which make the kinds of others. */
export const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

/** One write. */
export interface Change {
  readonly version: number;
  /** "namespace/name", or "name". */
  readonly key: string;
  /** When it was made, in milliseconds since 1970. */
  readonly time: number;
  /** The object before; absent if it was created. */
  readonly previous: Stored | undefined;
  /** The object after; absent if it was removed. */
  readonly current: Stored | undefined;
}

/** The hooks that a collection tells of its changes. */
export interface ChangeListener {
  offer(change: Change): void;
  /** Ends the listening, because the kind is redefined or the server says so. */
  close?(): void;
}

/** A collection's content at one version. */
export interface Entries {
  /** Sorted. */
  readonly keys: readonly string[];
  get(key: string): Stored | undefined;
}

/** How much of the past is kept: at least 100 changes, and the changes of the last five minutes, but never more than 100,000. */
const KEPT = { least: 100, most: 100_000, milliseconds: 300_000 };

/** How many of the newest objects are kept as objects. */
const FRESH = 200;

/** Groups whose objects are all kept as objects: the server itself reads them with each request, or each definition. */
const READ_OFTEN = ["apiextensions.k8s.io", "rbac.authorization.k8s.io", "admissionregistration.k8s.io"];

/** How many parts that objects have in common are remembered. */
const SHARED = 1000;

export class Collection {
  /** The plural and group as etcd's path has them, such as "databases.example.com". */
  readonly name: string;
  readonly listeners = new Set<ChangeListener>();
  #keys: string[] = [];
  #items = new Map<string, Stored>();
  /** The newest objects, in a ring. */
  readonly #fresh: Stored[] = [];
  #oldest = 0;
  readonly #isReadOften: boolean;
  readonly #shared = new Map<string, SharedParts>();
  #log: Change[] = [];
  #head = 0;
  #trimmed = 0;
  #snapshot: { readonly version: number; readonly entries: Entries } | undefined;

  constructor(name: string) {
    this.name = name;
    this.#isReadOften = READ_OFTEN.some((group) => name.endsWith(`.${group}`));
  }

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): Stored | undefined {
    return this.#items.get(key);
  }

  /** The present objects in order; keys that begin with the prefix only. */
  *values(prefix = ""): Generator<Stored> {
    for (const stored of this.select(this.present(), prefix)) yield stored;
  }

  /** Returns the entries' objects whose keys begin with the prefix, in order, as an own array. */
  select(entries: Entries, prefix: string): Stored[] {
    const found: Stored[] = [];
    const [from, to] = rangeOf(entries.keys, prefix);
    for (let i = from; i < to; i++) {
      const stored = entries.get(entries.keys[i] ?? "");
      if (stored !== undefined) found.push(stored);
    }
    return found;
  }

  /** The content now; it changes under the reader. */
  present(): Entries {
    return { keys: this.#keys, get: (key) => this.#items.get(key) };
  }

  /** The content at a version; undefined if that is no longer known. */
  at(version: number): Entries | undefined {
    if (version < this.#trimmed) return undefined;
    const last = this.#log.at(-1);
    if (last === undefined || last.version <= version) return this.present();
    if (this.#snapshot?.version !== version) this.#snapshot = { version, entries: this.#rewind(version) };
    return this.#snapshot.entries;
  }

  /** The changes after a version; undefined if they are no longer all known. */
  since(version: number): readonly Change[] | undefined {
    if (version < this.#trimmed) return undefined;
    let low = this.#head;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return this.#log.slice(low);
  }

  /** Takes over all objects of another server's collection, and its past. Objects are shared, as none ever changes. */
  take(other: Collection): void {
    this.#keys = other.#keys.slice();
    this.#items = new Map(other.#items);
    this.#log = other.#log.slice(other.#head);
    this.#head = 0;
    this.#trimmed = other.#trimmed;
    this.#snapshot = undefined;
  }

  /** Makes a change, and tells all listeners. */
  apply(change: Change): void {
    const { key, current } = change;
    if (current === undefined) {
      this.#items.delete(key);
      this.#keys.splice(lowerBound(this.#keys, key), 1);
    } else {
      if (!this.#items.has(key)) this.#insertKey(key);
      this.#items.set(key, current);
      if (!this.#isReadOften) this.#refresh(current);
    }
    this.#log.push(change);
    this.#trim(change.time);
    for (const listener of this.listeners) listener.offer(change);
  }

  #refresh(stored: Stored): void {
    this.#fresh[this.#oldest]?.settle((parts) => this.#share(parts));
    this.#fresh[this.#oldest] = stored;
    this.#oldest = (this.#oldest + 1) % FRESH;
  }

  /** Returns the parts that stand for all that are equal to these. */
  #share(parts: SharedParts): SharedParts {
    const key = formatJson(parts);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    if (this.#shared.size >= SHARED) this.#shared.clear();
    this.#shared.set(key, parts);
    return parts;
  }

  /** Forgets the changes before a version. */
  compact(version: number): void {
    this.#trimmed = Math.max(this.#trimmed, version);
    this.#snapshot = undefined;
    while (this.#head < this.#log.length && (this.#log[this.#head]?.version ?? 0) <= version) this.#head++;
    this.#release();
  }

  #insertKey(key: string): void {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) this.#keys.push(key);
    else this.#keys.splice(lowerBound(this.#keys, key), 0, key);
  }

  #rewind(version: number): Entries {
    const items = new Map(this.#items);
    for (let i = this.#log.length - 1; i >= this.#head; i--) {
      const change = this.#log[i];
      if (change === undefined || change.version <= version) break;
      if (change.previous === undefined) items.delete(change.key);
      else items.set(change.key, change.previous);
    }
    const keys = [...items.keys()].sort(compare);
    return { keys, get: (key) => items.get(key) };
  }

  #trim(now: number): void {
    for (;;) {
      const count = this.#log.length - this.#head;
      const oldest = this.#log[this.#head];
      if (oldest === undefined || count <= KEPT.least) break;
      if (count <= KEPT.most && now - oldest.time <= KEPT.milliseconds) break;
      this.#trimmed = oldest.version;
      this.#head++;
    }
    this.#release();
  }

  #release(): void {
    if (this.#head < 1024 || this.#head * 2 < this.#log.length) return;
    this.#log = this.#log.slice(this.#head);
    this.#head = 0;
  }
}

/** Where the keys with that prefix stand: from the first to before the second. The prefix is "" or "namespace/". */
export function rangeOf(keys: readonly string[], prefix: string): readonly [from: number, to: number] {
  if (prefix === "") return [0, keys.length];
  // "0" is the character that follows "/".
  return [lowerBound(keys, prefix), lowerBound(keys, `${prefix.slice(0, -1)}0`)];
}

/** The index of the first key that is not less. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
