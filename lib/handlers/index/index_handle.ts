/**
 * Handles of indexes: read-only maps that show the indexes of the operator's latest run.
 */

/**
 * An index: a read-only map from keys to the values that objects have under them, in the order in which the objects came.
 *
 * It is live: keep it, and it shows the current values. The lists are frozen, and never empty. Keys that are lists or plain
 * objects are found by equal ones.
 */
export type Index<Key = unknown, Value = unknown> = ReadonlyMap<Key, readonly Value[]>;

/** The keys of an index whose function returns this: the keys of a `Map`, strings for plain objects, null for all else. */
export type IndexKey<Result> = Result extends null | undefined | void ? never
  : Result extends ReadonlyMap<infer Key, unknown> ? Key
  : Result extends SingleValue ? null
  : Result extends object ? (keyof Result extends never ? never : string)
  : null;

/** The values of an index whose function returns this: the values of a `Map` or plain object, else the result itself. */
export type IndexValue<Result> = Result extends null | undefined | void ? never
  : Result extends ReadonlyMap<unknown, infer Value> ? Value
  : Result extends SingleValue ? Result
  : Result extends object ? Result[keyof Result]
  : Result;

/** Objects that are one value, not a record of values. */
export type SingleValue =
  | readonly unknown[]
  | ReadonlySet<unknown>
  | Date
  | URL
  | RegExp
  | ((...args: never) => unknown);

/** The handle on an index whose function returns this, or a promise of it. */
export type IndexOf<Result> = unknown extends Result ? Index
  : Index<IndexKey<Awaited<Result>>, IndexValue<Awaited<Result>>>;

const NOTHING: Index = new Map();

/** Shows an index of the operator's latest run; it is empty while there is no run. */
export class IndexHandle implements Index {
  #source: Index = NOTHING;

  /** Shows this index from now on. Disposing empties the handle again, unless another run has begun meanwhile. */
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
