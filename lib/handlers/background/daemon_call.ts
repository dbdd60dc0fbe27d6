/** Calls the function of a daemon or a timer: makes its arguments, and judges its errors. Source: Kopf, docs/daemons. */

import type { StopFlag } from "../../async/stop_flag.ts";
import type { Permit } from "../../client/transport/permit.ts";
import { PermanentError, toError } from "../../execution/errors.ts";
import type { ObjectState } from "../../execution/object_state.ts";
import type { AttemptEnd } from "../../execution/observer.ts";
import { Patch } from "../../model/patch.ts";
import { errorMessage } from "../../runtime/error_text.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { StopReason } from "./background_handler.ts";
import { type Attempt, type Called, type Caller, callHandler, contextOf, type Sort } from "../call.ts";
import type { BackgroundHandler } from "./background_handler.ts";
import { FRESH, momentOf, refused, type Retry } from "../retry.ts";
import { DaemonArgs } from "./daemon_args.ts";
import { checkDelay } from "./next_run.ts";
import type { DaemonContext } from "./object_daemons.ts";

const DAEMON: Sort = { noun: "Daemon", errors: "temporary" };
const TIMER: Sort = { noun: "Timer", errors: "temporary" };

/** The daemon or timer of one object, for its calls. */
export interface Owner {
  readonly handler: BackgroundHandler;
  readonly state: ObjectState;
  readonly context: DaemonContext;
  readonly logger: Logger;
  /** Returns the stop flag, which is made when it is read: most functions never read it. */
  readonly flag: () => StopFlag<StopReason>;
}

/** One call. */
export interface CallOptions {
  readonly retry: Retry;
  readonly patch: Patch;
  /** Aborts when the function is to give up. */
  readonly signal: AbortSignal;
  /** Under which the function writes other objects. Default: it needs none. */
  readonly permit?: Permit;
  /** Takes the attempt if it has succeeded: the server may still refuse its write. */
  readonly succeeded: Set<AttemptEnd>;
}

/** Calls the function once. Never throws. */
export function callOnce(
  owner: Owner,
  { retry, patch, signal, permit, succeeded }: CallOptions,
): Promise<Called> {
  const { handler } = owner;
  return callHandler({ ...judgeOf(owner, succeeded), signal, permit }, handler, {
    sort: sortOf(handler),
    retry,
    patch,
    keepsResult: true,
    fn: (args: never) => callUntilStopped(owner, args),
    args: (attempt) => argsOf(owner, attempt, patch),
  });
}

/** Returns the row of attempts after the server has refused the write of a successful run; undefined: there is no such run. */
export function refuseRun(owner: Owner, retry: Retry, error: Error): Retry | undefined {
  const { handler, context: { clock } } = owner;
  const context = contextOf(judgeOf(owner), sortOf(handler));
  return refused(retry, handler, { error, context, now: clock.monotonic() });
}

function judgeOf(
  { state, logger, context: { clock, random, settings, observer } }: Owner,
  succeeded?: Set<AttemptEnd>,
): Omit<Caller, "signal"> {
  const { defaultBackoff } = settings.execution;
  return { clock, random, logger, observed: { observer, subject: state, succeeded }, defaultBackoff };
}

/** Asks the function of `initialDelay` how long the first run waits. Never throws. */
export function askInitialDelay(owner: Owner, ask: (args: never) => unknown): Seconds {
  const { handler: { id, param }, logger, context: { clock, settings } } = owner;
  try {
    const { signal } = new AbortController();
    const { wall: started, monotonic: begun } = momentOf(clock);
    const attempt = { param, retry: FRESH.attempts, started, begun, signal, clock };
    const args = argsOf(owner, attempt, new Patch());
    // The types of the options have made sure that the function takes these arguments.
    return checkDelay(ask(args as never));
  } catch (thrown) {
    const { defaultBackoff: delay } = settings.execution;
    const error = toError(thrown);
    logger.error("Initial delay failed: the default backoff is taken", { handler: id, error, delay });
    return delay;
  }
}

/** Returns the handler's word for log lines, and the meaning of its errors. */
export function sortOf({ type }: BackgroundHandler): Sort {
  return type === "daemon" ? DAEMON : TIMER;
}

/** Calls the handler. After the stop flag is set errors are permanent, and an AbortError ends the run as it was asked to end. */
async function callUntilStopped({ handler, flag }: Owner, args: never): Promise<unknown> {
  try {
    return await handler.fn(args);
  } catch (thrown) {
    if (flag().since === undefined) throw thrown;
    const error = toError(thrown);
    if (error.name === "AbortError") return undefined;
    throw new PermanentError(errorMessage(error), { cause: error });
  }
}

function argsOf(
  { state, logger, flag, context: { indices, makeChildren } }: Owner,
  attempt: Attempt,
  patch: Patch,
): DaemonArgs {
  const { resource, memo } = state;
  const newest = () => state.body;
  const cause = { resource, body: state.body, newest, patch, logger, memo, indices, makeChildren };
  return new DaemonArgs(cause, { attempt, stopped: () => flag().stopped });
}
