/**
 * How long one attempt of a request may take, and the signal that says so.
 *
 * Combines a timeout and the caller's signal without leaving anything behind: the timer is cleared when the attempt is over,
 * and a signal that lives as long as the operator has one listener for all attempts. A listener for each of them would cost
 * more than the rest of a deadline.
 */

import type { Clock, Seconds } from "../../runtime/host.ts";

/** One try to get a request answered. */
export interface Attempt {
  /** 1 for the first one. Attempts with refused credentials count. */
  readonly number: number;
  /** On the monotonic clock, in seconds. */
  readonly started: Seconds;
  /** The text or bytes that were sent; undefined: none. */
  sent?: string | Uint8Array;
  /** The text of the answer; undefined: it was not read here, as that of a stream. */
  answer?: string;
}

export interface DeadlineOptions {
  readonly clock: Clock;
  /** In seconds; null: none. */
  readonly timeout: Seconds | null;
  /** Until `answered()` is called, in seconds; null: none. Default: null. */
  readonly responseTimeout?: Seconds | null;
  readonly signal?: AbortSignal;
  /** Whether the caller's signal must count after the disposal too, for a body that is still coming. */
  readonly stream: boolean;
  readonly callers: CallerSignals;
}

/** The signals of callers, each with the attempts under way that end with it. */
export class CallerSignals {
  // Weak, so that signals of a single call are forgotten with it.
  readonly #attempts = new WeakMap<AbortSignal, Set<AbortController>>();

  /** Returns the attempts that end with a signal; an attempt that has ended before takes itself out. */
  attemptsOf(signal: AbortSignal): Set<AbortController> {
    const known = this.#attempts.get(signal);
    if (known !== undefined) return known;
    const attempts = new Set<AbortController>();
    this.#attempts.set(signal, attempts);
    const end = (): void => {
      for (const attempt of attempts) attempt.abort(signal.reason);
      attempts.clear();
    };
    signal.addEventListener("abort", end, { once: true });
    return attempts;
  }
}

/** The end of one attempt. Disposing clears the timer. */
export class Deadline implements Disposable {
  /** Aborts at the timeout, with an Error named "TimeoutError", or with the caller's signal. */
  readonly signal: AbortSignal | undefined;
  readonly #clock: Clock;
  #isAnswered = false;
  #timer: Disposable | undefined;
  #controller: AbortController | undefined;
  /** The attempts that end with the caller's signal, this one among them. */
  #siblings: Set<AbortController> | undefined;

  constructor(options: DeadlineOptions) {
    const { clock, signal, stream, callers } = options;
    this.#clock = clock;
    const timeout = options.timeout ?? Infinity;
    const first = Math.min(timeout, options.responseTimeout ?? Infinity);
    if (first === Infinity) {
      this.signal = signal;
      return;
    }
    const controller = new AbortController();
    this.#timer = clock.after(first, () => this.#expire(controller, first, timeout));
    this.signal = controller.signal;
    if (signal === undefined) return;
    if (stream) {
      this.signal = AbortSignal.any([signal, controller.signal]);
      return;
    }
    if (signal.aborted) {
      controller.abort(signal.reason);
      return;
    }
    this.#controller = controller;
    this.#siblings = callers.attemptsOf(signal).add(controller);
  }

  /** The answer has begun. */
  answered(): void {
    this.#isAnswered = true;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#controller !== undefined) this.#siblings?.delete(this.#controller);
  }

  #expire(controller: AbortController, passed: Seconds, timeout: Seconds): void {
    if (passed >= timeout || !this.#isAnswered) return controller.abort(toTimeoutError(passed));
    if (timeout === Infinity) return;
    this.#timer = this.#clock.after(timeout - passed, () => controller.abort(toTimeoutError(timeout)));
  }
}

/** The error of a request that took too long. */
export function toTimeoutError(seconds: Seconds): Error {
  const error = new Error(`Server did not answer within ${seconds} seconds`);
  error.name = "TimeoutError";
  return Object.assign(error, { code: "ETIMEDOUT" });
}
