/** Lets only so many callers in at the same time; the others wait in order, urgent callers before the rest. */

import { Waiters } from "./waiters.ts";

/** How many are let in before the rest of the process gets its turn. */
export interface Bursts {
  readonly size: number;
  /** Calls the function back once the event loop has turned. */
  readonly breathe: (goOn: () => void) => void;
}

const UNBOUNDED: Bursts = { size: Infinity, breathe: () => {} };

/** A semaphore. */
export class Limiter {
  readonly #urgent = new Waiters<true>();
  readonly #waiters = new Waiters<true>();
  readonly #limit: () => number;
  readonly #bursts: Bursts;
  #active = 0;
  /** How many were let in since the event loop has turned for us. */
  #inBurst = 0;

  /**
   * `limit` is how many callers may be in at the same time; Infinity: all. A function is asked anew each time a caller comes or
   * leaves; see `admit()`. `bursts` is for callers whose work may never wait: thousands of them in a row would keep the event
   * loop from everything else. Default: no bound.
   *
   * @throws {RangeError} If it is less than 1.
   */
  constructor(limit: number | (() => number), bursts: Bursts = UNBOUNDED) {
    this.#bursts = bursts;
    this.#limit = typeof limit === "function" ? limit : () => limit;
    if (!(this.#limit() >= 1)) throw new RangeError(`Cannot limit to ${limit}: at least 1 must be let in`);
  }

  /** How many are in. */
  get active(): number {
    return this.#active;
  }

  /** Whether as many are in as may be. Others may wait while it is not: for the event loop. */
  get isFull(): boolean {
    return this.#active >= this.#limit();
  }

  /** How many wait. */
  get waiting(): number {
    return this.#urgent.size + this.#waiters.size;
  }

  /** Waits to be let in; dispose of the slot to leave. Undefined if the signal was aborted first. Never rejects. */
  async enter(
    signal?: AbortSignal,
    { urgent = false }: { readonly urgent?: boolean } = {},
  ): Promise<Disposable | undefined> {
    if (signal?.aborted) return undefined;
    const line = urgent ? this.#urgent : this.#waiters;
    if (!this.#tryEnter() && await line.wait(signal) === undefined) return undefined;
    return new Slot(this.#leave);
  }

  /**
   * Runs a function as soon as it is let in.
   *
   * @throws The signal's reason, if it was aborted before the function could start.
   */
  async run<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (!this.#tryEnter() && await this.#waiters.wait(signal) === undefined) throw signal?.reason;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Lets in as many waiting callers as the limit allows by now: to be called when the limit has grown while no caller leaves. */
  admit(): void {
    while (this.waiting > 0 && this.#hasRoom()) {
      this.#take();
      if (!this.#urgent.serve(true)) this.#waiters.serve(true);
    }
  }

  #tryEnter(): boolean {
    if (!this.#hasRoom()) return false;
    this.#take();
    return true;
  }

  #hasRoom(): boolean {
    return !this.isFull && this.#inBurst < this.#bursts.size;
  }

  #take(): void {
    this.#active++;
    this.#inBurst++;
    if (this.#inBurst === this.#bursts.size) this.#bursts.breathe(this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#inBurst = 0;
    this.admit();
  };

  /** The place passes on at once: no caller can slip in between. One function for all slots. */
  readonly #leave = (): void => {
    this.#active--;
    this.admit();
  };
}

/** The place of a caller that was let in; it is given back once. */
class Slot implements Disposable {
  #leave: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  [Symbol.dispose](): void {
    const leave = this.#leave;
    this.#leave = undefined;
    leave?.();
  }
}
