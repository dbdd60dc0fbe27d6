/** Lets only so many in at the same time; the others wait in order. */

import { Waiters } from "./waiters.ts";

/** A semaphore. */
export class Limiter {
  readonly #waiters = new Waiters<Disposable>();
  readonly #limit: number;
  #active = 0;

  /**
   * `limit` is how many may be in at the same time; Infinity: all.
   *
   * @throws {RangeError} If it is less than 1.
   */
  constructor(limit: number) {
    if (!(limit >= 1)) throw new RangeError(`Cannot limit to ${limit}: at least 1 must be let in`);
    this.#limit = limit;
  }

  /** How many are in. */
  get active(): number {
    return this.#active;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Waits to be let in; dispose of the slot to leave. Undefined if the signal was aborted first. Never rejects. */
  async enter(signal?: AbortSignal): Promise<Disposable | undefined> {
    if (signal?.aborted) return undefined;
    if (this.#active >= this.#limit) return await this.#waiters.wait(signal);
    this.#active++;
    return this.#slot();
  }

  /**
   * Runs a function as one of those let in.
   *
   * @throws The signal's reason, if it was aborted before the function could start.
   */
  async run<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    using slot = await this.enter(signal);
    if (!slot) throw signal?.reason;
    return await work();
  }

  #slot(): Disposable {
    let isLeft = false;
    return {
      [Symbol.dispose]: () => {
        if (isLeft) return;
        isLeft = true;
        // The slot passes on to who waits longest; nobody can slip in between.
        if (!this.#waiters.serve(this.#slot())) this.#active--;
      },
    };
  }
}
