/**
 * How long one attempt of a request may take, and the signal that says so.
 *
 * Combines a timeout and the caller's signal without leaving anything behind: the timer is cleared and the listener
 * removed when the attempt is over, so that a signal that lives as long as the operator does not collect listeners.
 */

import type { Clock, Seconds } from "../../runtime/host.ts";

/** One try to get a request answered. */
export interface Attempt {
  /** 1 for the first one. Attempts with refused credentials count. */
  readonly number: number;
  /** On the monotonic clock, in seconds. */
  readonly started: Seconds;
}

export interface DeadlineOptions {
  readonly clock: Clock;
  /** In seconds; null: none. */
  readonly timeout: Seconds | null;
  readonly signal?: AbortSignal;
  /** Whether the caller's signal must count after the disposal too, for a body that is still coming. */
  readonly stream: boolean;
}

/** The end of one attempt. Disposing clears the timer. */
export class Deadline implements Disposable {
  /** Aborts at the timeout, with an Error named "TimeoutError", or with the caller's signal. */
  readonly signal: AbortSignal | undefined;
  #timer: Disposable | undefined;
  #detach: (() => void) | undefined;

  constructor(options: DeadlineOptions) {
    const { clock, timeout, signal, stream } = options;
    if (timeout === null || timeout === Infinity) {
      this.signal = signal;
      return;
    }
    const controller = new AbortController();
    this.#timer = clock.after(timeout, () => controller.abort(toTimeoutError(timeout)));
    this.signal = controller.signal;
    if (signal === undefined) return;
    if (stream) {
      this.signal = AbortSignal.any([signal, controller.signal]);
      return;
    }
    const forward = (): void => controller.abort(signal.reason);
    if (signal.aborted) forward();
    signal.addEventListener("abort", forward, { once: true });
    this.#detach = () => signal.removeEventListener("abort", forward);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#detach?.();
  }
}

/** The error of a request that took too long. */
export function toTimeoutError(seconds: Seconds): Error {
  const error = new Error(`Server did not answer within ${seconds} seconds`);
  error.name = "TimeoutError";
  return Object.assign(error, { code: "ETIMEDOUT" });
}
