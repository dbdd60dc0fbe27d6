/**
 * One record of retries, for every manner of handlers: a value that never changes, and the functions that lead from one to the
 * next. Handlers that have not failed share one value, so that ten thousand waiting timers need no memory for it.
 *
 * A success is undecided until its write is on the object: a refusal of the write continues the row from before that success.
 */

import { TOLERANCE } from "../async/schedule.ts";
import { isAtOnce, leastPause } from "../execution/handler_backoff.ts";
import { type AttemptContext, type Attempts, failAfterwards } from "../execution/execute.ts";
import type { Handler, Outcome } from "../execution/handler.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** One moment on both clocks. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly monotonic: Seconds;
}

/** A row of attempts of one handler. */
export interface Retry {
  /** How many attempts have failed in a row: the next one is told this number. */
  readonly attempts: number;
  /** How many attempts were made, the last one of a row that has ended included: records on objects tell this number. */
  readonly made: number;
  /** When the first attempt of the row began; undefined: none has. */
  readonly begun: Moment | undefined;
  /** The earliest time of the next attempt, on the monotonic clock; -Infinity: now; Infinity: no attempt follows. */
  readonly due: Seconds;
  /** The error of the last attempt, if it has failed. */
  readonly error: Error | undefined;
  /** The row before a success whose write is not on the object yet. */
  readonly undecided: Retry | undefined;
}

/** No attempt has been made. */
export const FRESH: Retry = {
  attempts: 0,
  made: 0,
  begun: undefined,
  due: -Infinity,
  error: undefined,
  undecided: undefined,
};

/** The row has ended with a success that is decided: shared as well. */
const DONE: Retry = { ...FRESH, due: Infinity };

/** Returns the present moment. */
export function momentOf(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** Returns the row with the beginning of an attempt in it. */
export function begin(retry: Retry, clock: Clock): Retry & { readonly begun: Moment } {
  const { attempts, due, error, begun = momentOf(clock) } = retry;
  // A success that was undecided is over with the next attempt, or each row would hold the one before.
  return { attempts, made: attempts, begun, due, error, undecided: undefined };
}

/** Returns the row for the limits of a handler: how many attempts there were, and since when. */
export function attemptsOf({ attempts: retry, begun }: Retry, now: Seconds): Attempts {
  return { retry, runtime: begun === undefined ? 0 : now - begun.monotonic };
}

/** Whether the next attempt may be made. */
export function isDue({ due }: Retry, now: Seconds): boolean {
  return due <= now + TOLERANCE;
}

/** Returns the row after an attempt: the one place where attempts are counted, the row is reset, and the next attempt's wait is set. */
export function after(retry: Retry, outcome: Outcome, now: Seconds): Retry {
  // Neither a success nor a failure: the row stays as it is.
  if (outcome.kind === "children") return { ...retry, due: now + outcome.delay, undecided: undefined };
  const attempts = retry.attempts + 1;
  switch (outcome.kind) {
    case "success":
      return { ...FRESH, made: attempts, due: Infinity, undecided: retry };
    case "failure":
      return { ...FRESH, made: attempts, due: Infinity, error: outcome.error };
    case "retry": {
      const { delay, error } = outcome;
      return {
        attempts,
        made: attempts,
        begun: retry.begun,
        due: now + pauseOf(delay, attempts),
        error,
        undecided: undefined,
      };
    }
  }
}

/** Handlers that ask to be retried at once, and get nowhere, wait after a few attempts. */
function pauseOf(delay: Seconds, attempts: number): Seconds {
  return isAtOnce(delay) ? Math.max(delay, leastPause(attempts)) : delay;
}

/** Returns the row when the write of its last success is on the object, or needed no change. */
export function decided(retry: Retry): Retry {
  return retry.undecided === undefined ? retry : DONE;
}

/** Whether the row has ended without a success: no attempt follows. */
export function hasFailed({ due, error }: Retry): boolean {
  return error !== undefined && due === Infinity;
}

/** A refusal of the server, and how the attempt is judged by it. */
export interface RefusedWrite {
  readonly error: Error;
  /** As for the attempt itself. */
  readonly context: AttemptContext;
  readonly now: Seconds;
}

/** Returns the row when the server has refused the write of its last success; undefined: no success is undecided. */
export function refused(
  { undecided: before }: Retry,
  handler: Handler,
  { error, context, now }: RefusedWrite,
): Retry | undefined {
  if (before === undefined) return undefined;
  const outcome = failAfterwards(handler, { ...context, attempts: attemptsOf(before, now), error });
  // An error that is ignored leaves a success that no later write can change.
  return decided(after(before, outcome, now));
}
