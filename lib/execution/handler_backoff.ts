/**
 * How long to wait after a failure: always as long, or longer with each failure in a row.
 *
 * Handlers that ask to be called again at once (a delay or backoff of 0) are, a few times in a row; after that they wait longer
 * and longer, so that one mistake takes neither a core nor the API server.
 */

import { growingPause } from "../async/backoff.ts";
import { withoutUndefined } from "../model/json.ts";
import { pointTo } from "../runtime/call_site.ts";
import type { Random, Seconds } from "../runtime/host.ts";

/** By how much pauses vary, in both directions: handlers that failed together do not come back together. */
const JITTER = 0.2;

/** A pause that grows with each failure in a row. */
export interface ExponentialBackoff {
  /** The first pause. */
  readonly from: Seconds;
  /** The longest pause, before jitter. */
  readonly to: Seconds;
  /** By what each pause is longer than the one before. */
  readonly factor: number;
}

/** A pause after each failure. */
export type HandlerBackoff = Seconds | ExponentialBackoff;

/**
 * Makes a backoff that grows: `from`, then `factor` times as long after each failure in a row, up to `to`.
 *
 * Each pause varies by a fifth in both directions, so that objects that failed together do not come back together. Success
 * resets it. In seconds; defaults: from 1 to 300, doubling.
 *
 * @throws {TypeError} If one of its options is no number, or is not known.
 * @throws {RangeError} If `from` is not above 0, `to` is less than it, or `factor` is less than 1.
 * @example
 * ```ts
 * import { exponential, operator } from "@lotse/lotse";
 *
 * const op = operator();
 *
 * op.on.create("databases.example.com", { backoff: exponential({ from: 2, to: 60 }) }, ({ logger }) => {
 *   logger.info("Tried again after 2, 4, 8, 16, 32, 60, 60 … seconds");
 * });
 * ```
 */
export function exponential(options: Partial<ExponentialBackoff> = {}): ExponentialBackoff {
  try {
    return readBackoff({ from: 1, to: 300, factor: 2, ...withoutUndefined(options) });
  } catch (error) {
    pointTo(error, exponential);
    throw error;
  }
}

/** Checks the options of a backoff that grows. @throws {TypeError | RangeError} As `exponential()`. */
export function readBackoff(given: object): ExponentialBackoff {
  for (const name of Object.keys(given)) {
    if (!["from", "to", "factor"].includes(name)) {
      throw new TypeError(`Cannot make a backoff with "${name}": known are from, to and factor`);
    }
  }
  // The types of its values are checked now.
  const { from, to, factor } = given as Record<"from" | "to" | "factor", unknown>;
  for (const [name, value] of Object.entries({ from, to, factor })) {
    if (typeof value === "number") continue;
    throw new TypeError(`Cannot make a backoff with a "${name}" of type "${typeof value}": give a number`);
  }
  const backoff = { from, to, factor } as ExponentialBackoff; // just checked
  if (!(backoff.from > 0) || !Number.isFinite(backoff.from)) {
    throw new RangeError(`Cannot begin a backoff with ${from} s: give more than 0`);
  }
  if (!(backoff.to >= backoff.from)) {
    throw new RangeError(
      `Cannot let a backoff grow from ${from} s to ${to} s: the longest is the shorter one`,
    );
  }
  if (!(backoff.factor >= 1)) {
    throw new RangeError(`Cannot let a backoff grow by the factor ${factor}: give at least 1`);
  }
  return Object.freeze(backoff);
}

/** Returns the pause after a failure. @param failures How many in a row there were before it. */
export function pauseAfter(backoff: HandlerBackoff, failures: number, random: Random | undefined): Seconds {
  if (typeof backoff === "number") return backoff;
  const { from: initial, to: max, factor } = backoff;
  const jitter = random === undefined ? undefined : { share: JITTER, random };
  // After so many failures the pause is as long as can be; a higher power might overflow.
  return growingPause(Math.min(failures, 1000), { initial, max, factor, jitter });
}

// For handlers that ask to be called again at once.

/** How often in a row handlers may ask to be retried at once, and get nowhere, before they wait. */
const FREE_RETRIES = 3;

/** How long they wait: so long at first, and then twice as long each time. */
const SHORTEST_PAUSE: Seconds = 0.005;
const LONGEST_PAUSE: Seconds = 1;

/** Returns how long to wait at least after so many retries in a row; 0 for the first few. */
export function leastPause(retries: number): Seconds {
  const excess = retries - FREE_RETRIES;
  return excess > 0 ? growingPause(excess - 1, { initial: SHORTEST_PAUSE, max: LONGEST_PAUSE }) : 0;
}

/** Whether a delay means "at once": shorter ones than the shortest pause do. */
export function isAtOnce(delay: Seconds): boolean {
  return delay < SHORTEST_PAUSE;
}
