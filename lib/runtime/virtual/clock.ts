/**
 * A clock that tests wind by hand: hours pass in milliseconds, and always in the same way.
 *
 * Timers fire one by one, in the order of their times and then of their making; between two of them everything that can
 * run without time passing runs. Times are whole milliseconds, rounded up: a timer never fires early.
 */

import { setImmediate } from "node:timers";
import { Heap } from "../heap.ts";
import type { Clock, Random, Seconds } from "../host.ts";
import type { Activity } from "./activity.ts";

/** A clock that stands still until it is wound. */
export interface VirtualClock extends Clock {
  /** How many timers wait for their time. */
  readonly pending: number;
  /** Lets everything run that can run without time passing. */
  settle(): Promise<void>;
  /**
   * Lets time pass: fires the timers that become due, one by one, letting everything settle in between.
   *
   * @throws {RangeError} If the time is negative. An error of a timer's callback is passed on.
   */
  advance(seconds: Seconds): Promise<void>;
  /** Resolves when it is not being wound. */
  unwound(): Promise<void>;
  /** Lets time pass at once, without anything running: timers that become due are late. */
  block(seconds: Seconds): void;
  /**
   * Lets time pass from timer to timer until the condition holds.
   *
   * @throws {Error} If it does not hold within that time (virtual; default: 3600 s), or no timer is left.
   */
  until(condition: () => boolean | Promise<boolean>, options?: { readonly within?: Seconds }): Promise<void>;
}

/** The parts of a virtual clock. */
export interface VirtualClockOptions {
  /** The time that it shows at first, in milliseconds since 1970. */
  readonly start: number;
  readonly activity: Activity;
  /** By which its wall clock is off, and jumps from time to time. Undefined: it is right, and goes evenly. */
  readonly jumps?: Random;
}

/** Makes a clock that stands still. */
export function createVirtualClock(options: VirtualClockOptions): VirtualClock {
  return new HandClock(options);
}

interface Timer {
  place: number;
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}

class HandClock implements VirtualClock {
  readonly #start: number;
  readonly #activity: Activity;
  readonly #timers = new Heap<Timer>((a, b) => a.due < b.due || (a.due === b.due && a.order < b.order));
  readonly #jumps: Jumps | undefined;
  #now: number;
  #made = 0;
  #winding: Promise<void> | undefined;

  constructor({ start, activity, jumps }: VirtualClockOptions) {
    this.#start = start;
    this.#now = start;
    this.#activity = activity;
    this.#jumps = jumps && new Jumps(start, jumps);
  }

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now + (this.#jumps?.offset(this.#now) ?? 0);
  }

  monotonic(): Seconds {
    return (this.#now - this.#start) / 1000;
  }

  sleep(seconds: Seconds, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    const wake = this.#activity.sleep();
    return new Promise((resolve) => {
      const onAbort = () => finish(false);
      const finish = (slept: boolean) => {
        timer[Symbol.dispose]();
        signal?.removeEventListener("abort", onAbort);
        wake();
        resolve(slept);
      };
      const timer = this.after(seconds, () => finish(true));
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  after(seconds: Seconds, callback: () => void): Disposable {
    this.#activity.touch();
    if (seconds === Infinity) return { [Symbol.dispose]() {} };
    if (!(seconds > 0)) return this.#soon(callback);
    // NB: what is left of a pause may be a hair, as sums of times are not exact. Without time passing, that would wait again for ever.
    const due = Math.max(this.#dueIn(seconds), this.#now + 1);
    const timer: Timer = { place: -1, due, order: this.#made++, fire: callback };
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => this.#timers.remove(timer) };
  }

  settle(): Promise<void> {
    return this.#activity.settle();
  }

  advance(seconds: Seconds): Promise<void> {
    if (!(seconds >= 0)) {
      return Promise.reject(new RangeError(`Cannot advance by ${seconds} s: time only goes forward`));
    }
    return this.#wind(async () => {
      const end = this.#dueIn(seconds);
      while (await this.#fireNext(end));
      this.#now = Math.max(this.#now, end);
    });
  }

  async unwound(): Promise<void> {
    while (this.#winding !== undefined) await this.#winding;
  }

  block(seconds: Seconds): void {
    this.#activity.touch();
    this.#now = this.#dueIn(seconds);
  }

  until(condition: () => boolean | Promise<boolean>, options?: { readonly within?: Seconds }): Promise<void> {
    const within = options?.within ?? 3600;
    return this.#wind(async () => {
      const start = this.#now;
      const end = this.#dueIn(within);
      while (!await condition()) {
        if (await this.#fireNext(end)) continue;
        const passed = (this.#now - start) / 1000;
        const next = this.#timers.peek();
        const rest = next
          ? `the next timer is due ${(next.due - start) / 1000} s after the start`
          : "no timer is left";
        throw new Error(`The condition does not hold within ${within} s: ${passed} s have passed, ${rest}`);
      }
    });
  }

  /** Fires the next timer if it is due by then, and lets everything settle; tells whether there was one. */
  async #fireNext(end: number): Promise<boolean> {
    const timer = this.#timers.peek();
    if (!timer || timer.due > end) return false;
    this.#timers.remove(timer);
    this.#now = Math.max(this.#now, timer.due);
    timer.fire();
    await this.#activity.settle();
    return true;
  }

  async #wind(work: () => Promise<void>): Promise<void> {
    if (this.#winding !== undefined) {
      throw new Error("Cannot wind the clock: somebody else is winding it, await that first");
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#winding = promise;
    try {
      await this.#activity.settle();
      await work();
    } finally {
      this.#winding = undefined;
      resolve();
    }
  }

  #dueIn(seconds: Seconds): number {
    // 0.3 s are 300.00000000000006 ms in binary fractions, and must not become 301.
    return Math.ceil(this.#now + seconds * 1000 - 1e-3);
  }

  #soon(callback: () => void): Disposable {
    let isCancelled = false;
    setImmediate(() => {
      this.#activity.touch();
      if (!isCancelled) callback();
    });
    return { [Symbol.dispose]: () => void (isCancelled = true) };
  }
}

/** By how much a wall clock is wrong, at most, and how much later it is set again, at most. In milliseconds. */
const FARTHEST = 6 * 3600 * 1000;
const LONGEST_PEACE = 120_000;

/** A wall clock that is set again and again, never rightly. */
class Jumps {
  readonly #random: Random;
  #next: number;
  #offset: number;

  constructor(start: number, random: Random) {
    this.#random = random;
    this.#next = start;
    this.#offset = 0;
  }

  /** In milliseconds. The same in each run: it depends on the time and on the seed only. */
  offset(now: number): number {
    while (now >= this.#next) {
      this.#next += 1 + Math.floor(this.#random.next() * LONGEST_PEACE);
      this.#offset = Math.floor((this.#random.next() * 2 - 1) * FARTHEST);
    }
    return this.#offset;
  }
}
