/**
 * A queue between those who produce and those who consume: first in, first out, in each of its priorities.
 *
 * It has no bound: producers that must be slowed down are pulled from, not queued (see `client/watch`).
 */

import { Waiters } from "./waiters.ts";

/** A queue with priorities: smaller numbers first, 0 by default. */
export class Queue<Item> implements AsyncIterable<Item> {
  /** One lane per priority, in order. */
  readonly #lanes: Lane<Item>[] = [];
  readonly #waiters = new Waiters<{ readonly item: Item }>();
  #size = 0;
  #isClosed = false;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Adds an item behind all others of its priority.
   *
   * @throws {Error} If the queue was closed.
   */
  put(item: Item, priority = 0): void {
    if (this.#isClosed) throw new Error("Cannot add to the queue: it is closed");
    if (this.#waiters.serve({ item })) return;
    this.#laneOf(priority).items.push(item);
    this.#size++;
  }

  /** Takes the next item without waiting. Undefined if there is none. */
  poll(): Item | undefined {
    for (const lane of this.#lanes) {
      if (lane.next === lane.items.length) continue;
      this.#size--;
      return shift(lane);
    }
    return undefined;
  }

  /** Takes the next item; undefined when the queue is closed and empty, or the signal is aborted. Never rejects. */
  async take(signal?: AbortSignal): Promise<Item | undefined> {
    if (signal?.aborted) return undefined;
    if (this.#size > 0) return this.poll();
    if (this.#isClosed) return undefined;
    const served = await this.#waiters.wait(signal);
    return served?.item;
  }

  /** Lets nothing more in; what is in can still be taken. */
  close(): void {
    this.#isClosed = true;
    this.#waiters.serveAll(undefined);
  }

  /** Drops what waits. */
  clear(): void {
    this.#lanes.length = 0;
    this.#size = 0;
  }

  /** The items as they come, until the queue is closed and empty. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      while (this.#size > 0) yield this.poll() as Item; // there is one: the size says so
      if (this.#isClosed) return;
      const served = await this.#waiters.wait();
      if (served) yield served.item;
    }
  }

  #laneOf(priority: number): Lane<Item> {
    const place = this.#lanes.findIndex((lane) => lane.priority >= priority);
    const found = this.#lanes[place];
    if (found?.priority === priority) return found;
    const lane: Lane<Item> = { priority, items: [], next: 0 };
    this.#lanes.splice(place < 0 ? this.#lanes.length : place, 0, lane);
    return lane;
  }
}

/** Items are taken at `next`, not shifted out: that would move all others. */
interface Lane<Item> {
  readonly priority: number;
  items: Item[];
  next: number;
}

function shift<Item>(lane: Lane<Item>): Item | undefined {
  const item = lane.items[lane.next++];
  if (lane.next === lane.items.length || lane.next >= 1024) {
    lane.items = lane.items.slice(lane.next);
    lane.next = 0;
  }
  return item;
}
