/**
 * The memory of a runner: log lines and calls, up to a limit, since runs of millions of events have no end of them.
 *
 * Beyond the limit the older half goes, and the list says so.
 */

/** How many log lines, and how many calls, are remembered. */
export const MOST_REMEMBERED = 100_000;

/** A list of the newest items. */
export class Remembered<Item> {
  /** The newest items, in order. The list is always the same one. */
  readonly items: Item[] = [];
  readonly #most: number;
  readonly #onForgotten: (count: number) => void;
  #forgotten = 0;

  /** `onForgotten` is told how many have gone by then. */
  constructor(most: number, onForgotten: (count: number) => void) {
    this.#most = most;
    this.#onForgotten = onForgotten;
  }

  /** How many items there have been. */
  get count(): number {
    return this.items.length + this.#forgotten;
  }

  add(item: Item): void {
    if (this.items.length >= this.#most) {
      const half = Math.ceil(this.#most / 2);
      this.items.splice(0, half);
      this.#forgotten += half;
      this.#onForgotten(this.#forgotten);
    }
    this.items.push(item);
  }
}
