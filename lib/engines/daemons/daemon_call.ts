/** Calls the function of a daemon or a timer: what it is given, and what its errors mean. Source: Kopf, docs/daemons. */

import type { AttemptEnd } from "../../execution/observer.ts";
import type { StopFlag } from "../../async/stop_flag.ts";
import { PermanentError, toError } from "../../execution/errors.ts";
import { Contribution } from "../../execution/contribution.ts";
import { type AttemptContext, execute, failAfterwards } from "../../execution/execute.ts";
import type { ObjectState } from "../../execution/object_state.ts";
import type { Outcome } from "../../execution/handler.ts";
import { Patch } from "../../model/patch.ts";
import { DaemonArgs } from "../../registry/args.ts";
import type { StopReason } from "../../registry/arguments.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { checkDelay } from "./next_run.ts";
import type { DaemonContext } from "./object_daemons.ts";

/** Calls in a row, until one does not ask for a retry. */
export interface Attempts {
  retry: number;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** The same on the monotonic clock. */
  readonly begun: Seconds;
}

/** Whose function it is. */
export interface Caller {
  readonly handler: BackgroundHandler;
  readonly state: ObjectState;
  readonly context: DaemonContext;
  readonly logger: Logger;
  /** Returns the flag, which most functions never look at. */
  readonly flag: () => StopFlag<StopReason>;
}

/** One call. */
export interface CallOptions {
  readonly attempts: Attempts;
  readonly patch: Patch;
  /** Aborts when the function is to give up. */
  readonly signal: AbortSignal;
  /** Takes the attempt if it has succeeded: the server may refuse what it has written. */
  readonly succeeded?: Set<AttemptEnd>;
}

/** Begins to count. */
export function beginAttempts(clock: Clock): Attempts {
  return { retry: 0, started: clock.now(), begun: clock.monotonic() };
}

/** Calls the function once. Never throws. */
export function callOnce(
  caller: Caller,
  { attempts, patch, signal, succeeded }: CallOptions,
): Promise<Outcome> {
  const { handler, context: { clock } } = caller;
  return execute({ ...handler, fn: (args: never) => callUntilStopped(caller, args) }, {
    ...contextOf(caller, succeeded),
    clock,
    attempts: { retry: attempts.retry, runtime: clock.monotonic() - attempts.begun },
    signal,
    contribution: new Contribution(patch),
    // The types of `op.daemon` and `op.timer` have made sure that the function takes these arguments.
    args: (limited) => argsOf(caller, { attempts, patch, signal: limited }) as never,
  });
}

/** Fails a run that ended well, because the server has refused what it wrote. */
export function failRun(caller: Caller, attempts: Attempts, error: Error): Outcome {
  const { handler, context: { clock } } = caller;
  const { retry, begun } = attempts;
  return failAfterwards(handler, {
    ...contextOf(caller),
    attempts: { retry, runtime: clock.monotonic() - begun },
    error,
  });
}

function contextOf(
  { handler, state, logger, context: { random, settings, observer } }: Caller,
  succeeded?: Set<AttemptEnd>,
): AttemptContext {
  return {
    logger,
    noun: nounOf(handler),
    errors: "temporary",
    defaultBackoff: settings.execution.defaultBackoff,
    random,
    observed: { observer, subject: state, succeeded },
  };
}

/** Asks how long it is to wait before its first run. Never throws. */
export function askInitialDelay(caller: Caller, ask: (args: never) => unknown): Seconds {
  const { handler: { id }, logger, context: { clock, settings } } = caller;
  try {
    const { signal } = new AbortController();
    const args = argsOf(caller, { attempts: beginAttempts(clock), patch: new Patch(), signal });
    // The types of the options have made sure that the function takes these arguments.
    return checkDelay(ask(args as never));
  } catch (thrown) {
    const { defaultBackoff: delay } = settings.execution;
    const error = toError(thrown);
    logger.error("Initial delay failed: the default backoff is taken", { handler: id, error, delay });
    return delay;
  }
}

/** The word for it in log lines. */
export function nounOf({ type }: BackgroundHandler): "Daemon" | "Timer" {
  return type === "daemon" ? "Daemon" : "Timer";
}

/** Calls the handler. After the stop flag errors are permanent, and an abortion is what we asked for. */
async function callUntilStopped({ handler, flag }: Caller, args: never): Promise<unknown> {
  try {
    return await handler.fn(args);
  } catch (thrown) {
    if (flag().since === undefined) throw thrown;
    const error = toError(thrown);
    if (error.name === "AbortError") return undefined;
    throw new PermanentError(error.message, { cause: error });
  }
}

function argsOf(
  { handler, state, logger, flag, context: { clock, indices, makeChildren } }: Caller,
  { attempts: { retry, started, begun }, patch, signal }: CallOptions,
): DaemonArgs {
  const { resource, memo } = state;
  const newest = () => state.body;
  const cause = { resource, body: state.body, newest, patch, logger, memo, indices, makeChildren };
  const attempt = { param: handler.param, retry, started, begun, signal, clock };
  return new DaemonArgs(cause, { attempt, stopped: () => flag().stopped });
}
