/**
 * Runs one attempt of a handler, and says how it ended.
 *
 * Limits are checked before the call (strictly) and after an error (looking one attempt ahead), against numbers that
 * survive restarts. Source: Kopf, docs/errors; scenarios A165–A175. Unlike Kopf, a handler that is still running when
 * its timeout is over gets its `signal` aborted and the attempt fails; a handler that ignores the signal is left behind.
 */

import { ChildrenError } from "./children_error.ts";
import { errorMessage } from "../runtime/error_text.ts";
import type { Permit } from "../client/transport/permit.ts";
import type { Clock, Random, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { type HandlerBackoff, pauseAfter } from "./handler_backoff.ts";
import type { Contribution } from "./contribution.ts";
import {
  type ErrorsMode,
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
  toError,
} from "./errors.ts";
import type { Handler, Outcome } from "./handler.ts";
import type { AttemptStart, Observed } from "./observer.ts";
import { cutAtCaller } from "../runtime/call_site.ts";
import { type AttemptLimit, CALLER, hasEnded, invokeHandler } from "./invoke.ts";
import { markAsTold, RefusedWrite } from "./refused_write.ts";
import { Postponed, type Waiting } from "./waiting.ts";

/** The facts about the handler's earlier attempts. */
export interface Attempts {
  /** How often it was called before. */
  readonly retry: number;
  /** Time since the first attempt began. */
  readonly runtime: Seconds;
}

/** How attempts of a handler are judged, and told of. */
export interface AttemptContext {
  readonly logger: Logger;
  /** The word for such handlers in log lines: "Handler", "Daemon", "Timer", "Activity". */
  readonly noun: string;
  /** The meaning of errors where the handler does not say. */
  readonly errors: ErrorsMode;
  readonly defaultBackoff: HandlerBackoff;
  /** Lets pauses that grow vary. Default: they do not. */
  readonly random?: Random;
  /** The observer, and the object that it is told about. */
  readonly observed: Observed;
}

export interface ExecuteOptions<Args> extends AttemptContext {
  /** Is called in the place of the handler's function. Default: that one. */
  readonly fn?: (args: Args) => unknown;
  readonly clock: Clock;
  readonly attempts: Attempts;
  /** Aborts when the operator stops. */
  readonly signal: AbortSignal;
  /** Under which the handler writes other objects. Default: it needs none. */
  readonly permit?: Permit;
  /** Where the call has a patch: it fails if that cannot be sent. */
  readonly contribution?: Pick<Contribution, "check">;
  /** Whether the caller says that the attempt has succeeded: its write is still to be done. Default: false, it is said here. */
  readonly holdsSuccess?: boolean;
  /** Ends the attempt where it waits. Default: it cannot wait. */
  readonly waiting?: Waiting;
  /** As observers were told of it. Default: they were not. */
  readonly start?: AttemptStart;
  /** Makes the argument object; the signal is the attempt's own. */
  readonly args: (signal: AbortSignal) => Args;
}

/**
 * Calls the handler once, unless its limits are exceeded already. Tells no observer. Never throws. If the permit has ended, a failure
 * is one that may be tried again at once: the caller counts no attempt.
 */
export async function attemptOnce<Args>(
  handler: Handler<Args>,
  options: ExecuteOptions<Args>,
): Promise<Outcome> {
  const { attempts, logger, noun } = options;
  const exceeded = exceededLimit(handler, attempts);
  if (exceeded !== undefined) {
    logger.error(`${noun} failed: its limits are exceeded`, { handler: handler.id, error: exceeded });
    return { kind: "failure", error: exceeded };
  }
  logger.debug(`${noun} invoked`, { handler: handler.id, retry: attempts.retry });
  const begun = options.clock.monotonic();
  try {
    const isLimited = handler.timeout !== undefined || handler.attemptTimeout !== undefined;
    const limit = isLimited ? limitOf(handler, attempts) : undefined;
    const result = await invokeHandler(handler, limit, options);
    options.contribution?.check();
    const { postponed } = options.waiting ?? {};
    if (postponed !== undefined) {
      const outcome: Outcome = { kind: "children", delay: postponed.delay, reason: postponed.message };
      report(handler, outcome, { ...options, thrown: postponed });
      return outcome;
    }
    if (options.holdsSuccess !== true) sayThatItSucceeded(logger, { noun, handler: handler.id });
    return { kind: "success", result };
  } catch (thrown) {
    dropUnsendable(handler, options);
    const spent = attempts.runtime + options.clock.monotonic() - begun;
    // NB: the thrown value may be anything, also an object that throws when it is looked at.
    const error = toError(thrown);
    if (hasEnded(options.permit)) {
      // The end of its term has interrupted it, whatever it throws: that says nothing about the object.
      logger.debug(`${noun} was interrupted by the end of the term`, { handler: handler.id, error });
      return { kind: "retry", delay: 0, error };
    }
    cutAtCaller(error, CALLER);
    const outcome = judge(handler, { ...options, error, spent });
    report(handler, outcome, { ...options, thrown: error });
    return outcome;
  }
}

/** Says of an attempt that it has succeeded. */
export function sayThatItSucceeded(
  logger: Logger,
  { noun, handler }: Pick<AttemptStart, "noun" | "handler">,
): void {
  logger.info(`${noun} succeeded`, { handler });
}

/** An attempt that has failed by itself leaves its changes, too, if they can be sent. */
function dropUnsendable<Args>({ id }: Handler<Args>, { contribution, logger }: ExecuteOptions<Args>): void {
  try {
    contribution?.check();
  } catch (error) {
    logger.error("Cannot write what handlers have put into the patch: it is dropped", { handler: id, error });
  }
}

/** Returns how long the attempt may take, and the error that it fails with then. */
function limitOf<Args>(
  { id, timeout = Infinity, attemptTimeout = Infinity }: Handler<Args>,
  { runtime }: Attempts,
): AttemptLimit {
  const rest = timeout - runtime;
  if (attemptTimeout < rest) {
    const overdue = (): Error => {
      const error = new Error(
        `Handler "${id}" has timed out: its attempt was still running after ${attemptTimeout} s`,
      );
      error.name = "TimeoutError";
      return error;
    };
    return { remaining: attemptTimeout, overdue };
  }
  const overdue = (): Error =>
    new HandlerTimeoutError(
      `Handler "${id}" has timed out: it was still running when its ${timeout} s were over`,
    );
  return { remaining: rest, overdue };
}

/** An attempt that had ended well, and whose write the server has refused since. */
export interface RefusedAttempt extends AttemptContext {
  /** The attempts before that one. */
  readonly attempts: Attempts;
  readonly error: Error;
}

/** Fails an attempt afterwards: the handler's write was refused. Says the same as if the handler had thrown the error. */
export function failAfterwards(handler: Handler<never>, refused: RefusedAttempt): Outcome {
  const { attempts: { retry, runtime }, error, observed, noun } = refused;
  const outcome = judge(handler, { ...refused, spent: runtime });
  markAsTold(error);
  report(handler, outcome, { ...refused, thrown: error });
  const { id, family = id } = handler;
  const start: AttemptStart = { noun, handler: id, family, retry };
  observed.observer.attemptCounts?.(observed.subject, { ...start, start, outcome, seconds: 0 });
  return outcome;
}

function exceededLimit(handler: Handler, { retry, runtime }: Attempts): PermanentError | undefined {
  if (handler.timeout !== undefined && runtime >= handler.timeout) {
    return new HandlerTimeoutError(
      `Handler "${handler.id}" has timed out after ${round(runtime)} s (timeout: ${handler.timeout} s)`,
    );
  }
  if (handler.retries !== undefined && retry >= handler.retries) {
    return new HandlerRetriesError(
      `Handler "${handler.id}" has exceeded its retries: ${retry} attempts (retries: ${handler.retries})`,
    );
  }
}

interface JudgeOptions extends Pick<AttemptContext, "errors" | "defaultBackoff" | "random"> {
  readonly attempts: Attempts;
  readonly error: Error;
  /** Time since the first attempt began. */
  readonly spent: Seconds;
}

function judge<Args>(handler: Handler<Args>, options: JudgeOptions): Outcome {
  const { error, errors } = options;
  if (error instanceof PermanentError) return { kind: "failure", error };
  if (error instanceof Postponed) return { kind: "children", delay: error.delay, reason: error.message };
  if (error instanceof TemporaryError) return retryOrFail(handler, error.delay, options);
  switch (handler.errors ?? errors) {
    case "ignored":
      return { kind: "success", isIgnored: true };
    case "permanent":
      return { kind: "failure", error };
    case "temporary":
      return retryOrFail(handler, backoffOf(handler, options), options);
  }
}

function backoffOf<Args>(
  { backoff }: Handler<Args>,
  { defaultBackoff, attempts: { retry }, random }: JudgeOptions,
): Seconds {
  return pauseAfter(backoff ?? defaultBackoff, retry, random);
}

/** Looks one attempt ahead: when the next one would exceed a limit, this one fails now instead of waiting in vain. */
function retryOrFail<Args>(handler: Handler<Args>, delay: Seconds, options: JudgeOptions): Outcome {
  const next = { retry: options.attempts.retry + 1, runtime: options.spent + delay };
  const exceeded = exceededLimit(handler as Handler, next);
  if (exceeded === undefined) return { kind: "retry", delay, error: options.error };
  exceeded.cause = options.error;
  exceeded.message += `: ${errorMessage(options.error)}`;
  return { kind: "failure", error: exceeded };
}

interface ReportOptions {
  readonly logger: Logger;
  readonly noun: string;
  readonly thrown: Error;
}

/** Expected errors, and errors of children without a fault of the author's code, take one line; others come with a stack. */
function report(handler: Handler<never>, outcome: Outcome, { logger, noun, thrown }: ReportOptions): void {
  const expected = thrown instanceof TemporaryError || thrown instanceof PermanentError ||
    (thrown instanceof ChildrenError && !thrown.isThrown) || thrown instanceof RefusedWrite;
  const refused = thrown instanceof RefusedWrite ? { sent: thrown.sent, declared: handler.site?.place } : {};
  const fields = { handler: handler.id, stack: !expected, ...refused };
  switch (outcome.kind) {
    case "success":
      logger.error(`${noun} failed with an error that is ignored`, { ...fields, error: thrown });
      return;
    case "failure":
      logger.error(`${noun} failed permanently`, { ...fields, error: outcome.error });
      return;
    case "retry":
      logger.error(`${noun} failed temporarily`, {
        ...fields,
        error: outcome.error,
        retryIn: round(outcome.delay),
      });
      return;
    case "children":
      logger.debug(`${noun} waits`, {
        handler: handler.id,
        reason: thrown.message,
        retryIn: round(outcome.delay),
      });
      return;
  }
}

function round(seconds: Seconds): number {
  return Math.round(seconds * 1000) / 1000;
}
