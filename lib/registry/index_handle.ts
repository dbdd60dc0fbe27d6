/**
 * What users hold of an index: a read-only map that shows what the latest run of the operator has put there.
 */

import type { ObjectHandler } from "./handlers.ts";

/**
 * An index: a read-only map from keys to the values that objects have under them, in the order in which the objects came.
 *
 * It is live: keep it, and it shows what is there now. The lists are frozen, and never empty. Keys that are lists or plain
 * objects are found by equal ones.
 */
export type Index<Key = unknown, Value = unknown> = ReadonlyMap<Key, readonly Value[]>;

/** An index function with the handle that its declaration gave. */
export interface IndexHandler extends ObjectHandler {
  readonly handle: IndexHandle;
}

const NOTHING: Index = new Map();

/** Shows what the latest run of the operator has in an index; nothing while there is none. */
export class IndexHandle implements Index {
  #source: Index = NOTHING;

  /** Shows this from now on. Disposing shows nothing again, unless another run has begun meanwhile. */
  static attach(handle: IndexHandle, source: Index): Disposable {
    handle.#source = source;
    return {
      [Symbol.dispose]() {
        if (handle.#source === source) handle.#source = NOTHING;
      },
    };
  }

  get size(): number {
    return this.#source.size;
  }
  get(key: unknown): readonly unknown[] | undefined {
    return this.#source.get(key);
  }
  has(key: unknown): boolean {
    return this.#source.has(key);
  }
  keys(): MapIterator<unknown> {
    return this.#source.keys();
  }
  values(): MapIterator<readonly unknown[]> {
    return this.#source.values();
  }
  entries(): MapIterator<[unknown, readonly unknown[]]> {
    return this.#source.entries();
  }
  forEach(visit: (values: readonly unknown[], key: unknown, index: Index) => void, self?: unknown): void {
    for (const [key, values] of this.#source) visit.call(self, values, key, this);
  }
  [Symbol.iterator](): MapIterator<[unknown, readonly unknown[]]> {
    return this.entries();
  }
  get [Symbol.toStringTag](): string {
    return "Index";
  }
}
