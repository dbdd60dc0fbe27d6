/**
 * Many due times over one timer: it wakes the retries of all objects.
 *
 * A due time belongs to a key, and a key has one at most. Keys that are due are called back in the order of their times,
 * then of their setting. Times are of the monotonic clock, which does not jump when the wall clock is set.
 */

import { Heap } from "../runtime/heap.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** Parts of a schedule. Keys are compared by identity. */
export interface ScheduleOptions<Key = string> {
  readonly clock: Clock;
  /** Called with each key when it is due; the key is no longer set then. Must not throw. */
  readonly callback: (key: Key) => void;
}

interface DueTime<Key> {
  place: number;
  readonly key: Key;
  /** Monotonic clock. */
  readonly due: Seconds;
  readonly order: number;
}

/** Binary fractions: a timer for 0.3 s may ring when the clock shows 0.29999999999999993. */
export const TOLERANCE: Seconds = 1e-6;

/** Due times by key. */
export class Schedule<Key = string> implements Disposable {
  readonly #clock: Clock;
  readonly #callback: (key: Key) => void;
  readonly #heap = new Heap<DueTime<Key>>((a, b) => a.due < b.due || (a.due === b.due && a.order < b.order));
  readonly #byKey = new Map<Key, DueTime<Key>>();
  #timer: { readonly due: Seconds; readonly handle: Disposable } | undefined;
  #made = 0;

  constructor({ clock, callback }: ScheduleOptions<Key>) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** How many keys are set. */
  get size(): number {
    return this.#byKey.size;
  }

  /**
   * Sets when a key is due, in seconds on the monotonic clock, in place of the time before. A time in the past is due at once,
   * but not before `set()` has returned.
   *
   * @throws {RangeError} If the time is not a number.
   */
  set(key: Key, at: Seconds): void {
    if (Number.isNaN(at)) throw new RangeError(`Cannot schedule "${String(key)}": its time is not a number`);
    this.#remove(key);
    const due = Math.max(at, this.#clock.monotonic());
    const entry: DueTime<Key> = { place: -1, key, due, order: this.#made++ };
    this.#byKey.set(key, entry);
    this.#heap.push(entry);
    this.#arm();
  }

  /** Unsets a key; tells whether it was set. */
  cancel(key: Key): boolean {
    const wasSet = this.#remove(key);
    // A timer without a key would still ring, and the clock would wait for it.
    if (this.#byKey.size === 0) this.#disarm();
    return wasSet;
  }

  /** Unsets all keys. */
  [Symbol.dispose](): void {
    this.#disarm();
    for (const key of [...this.#byKey.keys()]) this.#remove(key);
  }

  #remove(key: Key): boolean {
    const entry = this.#byKey.get(key);
    if (!entry) return false;
    this.#byKey.delete(key);
    this.#heap.remove(entry);
    return true;
  }

  /** Makes sure that the timer rings for the first due time; one that rings too early is left to do so. */
  #arm(): void {
    const first = this.#heap.peek();
    if (!first || this.#timer && this.#timer.due <= first.due) return;
    this.#disarm();
    const handle = this.#clock.after(first.due - this.#clock.monotonic(), () => this.#ring());
    this.#timer = { due: first.due, handle };
  }

  #disarm(): void {
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
  }

  #ring(): void {
    this.#timer = undefined;
    // A key that a callback sets to be due at once waits for the next ring: else this loop might never end.
    const end = this.#made;
    try {
      for (let first = this.#heap.peek(); first && this.#isDue(first, end); first = this.#heap.peek()) {
        this.#remove(first.key);
        this.#callback(first.key);
      }
    } finally {
      this.#arm();
    }
  }

  #isDue({ due, order }: DueTime<Key>, end: number): boolean {
    return order < end && due <= this.#clock.monotonic() + TOLERANCE;
  }
}
