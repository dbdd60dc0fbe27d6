/**
 * The content of one index: which object has which value under which key.
 *
 * An object has at most one value per key, and a key exists as long as some object has a value under it. The price of an update or
 * a removal depends on the object's own keys only. Lists and plain objects as keys are compared by their content
 * (canonical JSON), since a Map of JavaScript would tell two equal lists apart. Source: scenarios B73–B100.
 */

import { canonicalJson } from "../../model/json.ts";
import type { Index } from "./index_handle.ts";

interface Slot {
  readonly key: unknown;
  /** By object. */
  readonly values: Map<string, unknown>;
  /** The values that readers get; made when one asks, and again after a change. */
  list: readonly unknown[] | undefined;
}

/** The side of an index that is written; `view` is the one that is read. */
export class IndexTable {
  readonly #slots = new Map<unknown, Slot>();
  /** By object: under which keys it has values. */
  readonly #objects = new Map<string, Set<unknown>>();
  readonly view: Index;

  /** @param onRead Called at each reading. */
  constructor(onRead: () => void = () => {}) {
    this.view = Object.freeze(new TableView(this.#slots, onRead));
  }

  /** How many objects have values. */
  get objects(): number {
    return this.#objects.size;
  }

  /**
   * Replaces all that an object has by these values under these keys.
   *
   * @throws {RangeError | TypeError} If a key cannot be compared: a circle. The table is unchanged then.
   */
  replace(object: string, entries: Iterable<readonly [unknown, unknown]>): void {
    const wanted = new Map<unknown, readonly [unknown, unknown]>();
    for (const entry of entries) wanted.set(hashOf(entry[0]), entry);
    for (const hash of this.#objects.get(object) ?? []) {
      if (!wanted.has(hash)) this.#remove(object, hash);
    }
    if (wanted.size === 0) this.#objects.delete(object);
    else this.#objects.set(object, new Set(wanted.keys()));
    for (const [hash, [key, value]] of wanted) this.#put(hash, { object, key, value });
  }

  /** Removes all that an object has. */
  drop(object: string): void {
    this.replace(object, []);
  }

  #put(hash: unknown, { object, key, value }: { object: string; key: unknown; value: unknown }): void {
    const slot = this.#slots.get(hash) ?? { key, values: new Map(), list: undefined };
    this.#slots.set(hash, slot);
    slot.values.set(object, value);
    slot.list = undefined;
  }

  #remove(object: string, hash: unknown): void {
    const slot = this.#slots.get(hash);
    if (slot === undefined) return;
    slot.values.delete(object);
    slot.list = undefined;
    if (slot.values.size === 0) this.#slots.delete(hash);
  }
}

class TableView implements Index {
  readonly #slots: ReadonlyMap<unknown, Slot>;
  readonly #onRead: () => void;

  constructor(slots: ReadonlyMap<unknown, Slot>, onRead: () => void) {
    this.#slots = slots;
    this.#onRead = onRead;
  }

  get size(): number {
    return this.#read().size;
  }
  get(key: unknown): readonly unknown[] | undefined {
    const slot = this.#find(key);
    return slot && listOf(slot);
  }
  has(key: unknown): boolean {
    return this.#find(key) !== undefined;
  }
  keys(): MapIterator<unknown> {
    return this.#read().values().map(({ key }) => key);
  }
  values(): MapIterator<readonly unknown[]> {
    return this.#read().values().map(listOf);
  }
  entries(): MapIterator<[unknown, readonly unknown[]]> {
    return this.#read().values().map((slot): [unknown, readonly unknown[]] => [slot.key, listOf(slot)]);
  }
  forEach(visit: (values: readonly unknown[], key: unknown, index: Index) => void, self?: unknown): void {
    for (const [key, values] of this) visit.call(self, values, key, this);
  }
  [Symbol.iterator](): MapIterator<[unknown, readonly unknown[]]> {
    return this.entries();
  }
  get [Symbol.toStringTag](): string {
    return "Index";
  }

  #read(): ReadonlyMap<unknown, Slot> {
    this.#onRead();
    return this.#slots;
  }

  #find(key: unknown): Slot | undefined {
    try {
      return this.#read().get(hashOf(key));
    } catch {
      return undefined; // a key that cannot be compared cannot have been put in either
    }
  }
}

function listOf(slot: Slot): readonly unknown[] {
  return slot.list ??= Object.freeze([...slot.values.values()]);
}

/** Returns a value that a Map compares as we want keys to be compared. */
function hashOf(key: unknown): unknown {
  if (typeof key === "string") return `"${key}`;
  if (key === undefined) return null;
  // The prefixes keep texts and structures apart, whatever is in them.
  return isStructure(key) ? `=${canonicalJson(key)}` : key;
}

function isStructure(key: unknown): boolean {
  return Array.isArray(key) || isPlain(key);
}

/** Whether it is an object with keys and values alone. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
