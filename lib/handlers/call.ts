/**
 * The one call of a handler, for every manner of handlers: the row of its attempts goes in, and comes out with the beginning
 * of this attempt in it. `after()` in `retry.ts` takes the outcome into the row.
 */

import type { Permit } from "../client/transport/permit.ts";
import type { HandlerBackoff } from "../execution/handler_backoff.ts";
import { Contribution } from "../execution/contribution.ts";
import type { ErrorsMode } from "../execution/errors.ts";
import { type AttemptContext, attemptOnce, sayThatItSucceeded } from "../execution/execute.ts";
import type { Handler, Outcome } from "../execution/handler.ts";
import type { AttemptEnd, AttemptStart, Observed } from "../execution/observer.ts";
import { storeResult } from "../execution/results.ts";
import { Waiting } from "../execution/waiting.ts";
import type { Patch } from "../model/patch.ts";
import type { Clock, Random, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { attemptsOf, begin, type Retry } from "./retry.ts";

/** The word for a manner of handlers in log lines, and the meaning of errors where a handler does not say. */
export interface Sort {
  readonly noun: "Handler" | "Daemon" | "Timer" | "Activity" | "Indexer" | "Task";
  readonly errors: ErrorsMode;
}

/** The surroundings of a call: an object's turn, a daemon's run, an indexed object, an admission review, an activity. */
export interface Caller {
  readonly clock: Clock;
  /** Lets pauses that grow vary. Default: they do not. */
  readonly random?: Random;
  readonly logger: Logger;
  /** Aborts when the operator stops. */
  readonly signal: AbortSignal;
  /** Under which the handler writes other objects: the term of the object's shard. Default: it needs none. */
  readonly permit?: Permit;
  /** The observer, and the object that it is told about. */
  readonly observed: Observed;
  readonly defaultBackoff: HandlerBackoff;
}

/** The facts about one attempt that a handler sees. */
export interface Attempt {
  /** The handler's option. */
  readonly param: unknown;
  /** How many attempts have failed before. */
  readonly retry: number;
  /** When the first attempt of the row began, in milliseconds since 1970. */
  readonly started: number;
  /** The same on the monotonic clock. */
  readonly begun: Seconds;
  /** The attempt's own signal. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Ends the attempt where it waits. Default: it cannot wait. */
  readonly waiting?: Waiting;
}

/** One call. */
export interface Calling {
  readonly sort: Sort;
  readonly retry: Retry;
  /** Called in the place of the handler's function. Default: that one. */
  readonly fn?: (args: never) => unknown;
  /** The patch that the handler may fill. Default: the call has none. */
  readonly patch?: Patch;
  /** The handler's part of the patch. Default: it is made for the call. */
  readonly contribution?: Contribution;
  /** Whether the handler's result goes into the patch, for the status of the object that the observer is told about. */
  readonly keepsResult?: boolean;
  /** Makes the argument object. The types of the declarations have made sure that the function takes it. */
  readonly args: (attempt: Attempt) => object;
}

/** An attempt that has ended. */
export interface Called {
  readonly outcome: Outcome;
  /** The row with the beginning of this attempt in it, for `after()`. */
  readonly retry: Retry;
  /** Whether the call, or its result, has changed the patch. */
  readonly wrote: boolean;
}

/** How long a handler may compute before it waits for the first time, until observers are told. */
const BLOCKING: Seconds = 0.75;

/** Calls a handler once, unless its limits are exceeded already. Never throws. */
export async function callHandler(caller: Caller, handler: Handler, calling: Calling): Promise<Called> {
  const { clock, logger, signal, permit, defaultBackoff, random, observed } = caller;
  const { sort: { noun, errors }, fn, patch, keepsResult = false, args } = calling;
  const { contribution = patch && new Contribution(patch) } = calling;
  const { observer, subject, succeeded } = observed;
  const { id, family = id, param } = handler;
  const retry = begin(calling.retry, clock);
  const { attempts, begun: { wall: started, monotonic: begun } } = retry;
  const start: AttemptStart = { noun, handler: id, family, retry: attempts };
  observer.attemptBegins?.(subject, start);
  const before = clock.monotonic();
  const waiting = new Waiting();
  const isHeld = succeeded !== undefined;
  const options = {
    logger,
    noun,
    errors,
    defaultBackoff,
    random,
    observed,
    fn,
    clock,
    signal,
    permit,
    contribution,
    waiting,
    start,
    holdsSuccess: isHeld,
    attempts: attemptsOf(retry, before),
    args: (limited: AbortSignal) =>
      args({ param, retry: attempts, started, begun, signal: limited, clock, waiting }) as never,
  };
  observer.codeRuns?.(subject, start);
  const running = observer.around === undefined
    ? attemptOnce(handler, options)
    : observer.around({ kind: "attempt", subject, attempt: start }, () => attemptOnce(handler, options));
  observer.codeWaits?.(subject, start);
  if (clock.monotonic() - before > BLOCKING) observer.attemptBlocks?.(subject, start);
  const outcome = await running;
  const seconds = clock.monotonic() - before;
  const hasSucceeded = outcome.kind === "success" && outcome.isIgnored !== true;
  if (keepsResult && outcome.kind === "success" && patch !== undefined && subject !== undefined) {
    storeResult({ patch, logger, body: subject.body }, id, outcome.result);
  }
  const wrote = contribution?.isEmpty === false;
  // The server may refuse the write: that the attempt has succeeded is said with it.
  const isUnsaid = hasSucceeded && isHeld && wrote;
  if (hasSucceeded && isHeld && !isUnsaid) sayThatItSucceeded(logger, start);
  const end: AttemptEnd = { ...start, start, outcome, seconds, isUnsaid };
  observer.attemptEnds?.(subject, end);
  if (outcome.kind === "success" && succeeded !== undefined) succeeded.add(end);
  else observer.attemptCounts?.(subject, end);
  return { outcome, retry, wrote };
}

/** Counts attempts that have succeeded for good: their writes are on the object. */
export function countSuccesses(
  ends: Iterable<AttemptEnd>,
  { observed: { observer, subject }, logger }: Pick<Caller, "observed" | "logger">,
): void {
  for (const end of ends) {
    observer.attemptCounts?.(subject, end);
    if (end.isUnsaid === true) sayThatItSucceeded(logger, end);
  }
}

/** Returns how a call of this caller is judged: for a refusal of its write, too. */
export function contextOf(
  { logger, defaultBackoff, random, observed }: Omit<Caller, "signal">,
  { noun, errors }: Sort,
): AttemptContext {
  return { logger, noun, errors, defaultBackoff, random, observed };
}
