/**
 * Calls the function of a daemon or a timer: what it is given, and what its errors mean.
 *
 * Source: Kopf, B §1.3, §1.5.
 */

import { PermanentError, toError } from "../../execution/errors.ts";
import { execute } from "../../execution/execute.ts";
import type { Outcome } from "../../execution/handler.ts";
import { Patch } from "../../model/patch.ts";
import { DaemonArgs } from "../../registry/args.ts";
import type { StopReason } from "../../registry/arguments.ts";
import type { StopFlag } from "../../async/stop_flag.ts";
import type { ObjectCause } from "../../registry/causes.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { checkDelay } from "./pauses.ts";
import type { Attached, ObjectRecord } from "./record.ts";
import { nounOf, type Surroundings } from "./surroundings.ts";

/** The attempts of one run. */
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
  readonly record: Pick<ObjectRecord<Attached>, "subject" | "body">;
  readonly world: Surroundings;
  readonly logger: Logger;
  /** Gives the flag, which most functions never look at. */
  readonly flag: () => StopFlag<StopReason>;
  /** Whether somebody told it to stop. */
  readonly isStopping: () => boolean;
}

/** One attempt. */
export interface AttemptOptions {
  readonly attempts: Attempts;
  readonly patch: Patch;
  /** Aborts when the function is to give up. */
  readonly signal: AbortSignal;
}

/** Begins to count. */
export function beginAttempts(clock: Clock): Attempts {
  return { retry: 0, started: clock.now(), begun: clock.monotonic() };
}

/** Calls the function once. Never throws. */
export function attempt(caller: Caller, { attempts, patch, signal }: AttemptOptions): Promise<Outcome> {
  const { handler, record, logger, world: { clock, settings, observer } } = caller;
  return execute({ ...handler, fn: (args: never) => call(caller, args) }, {
    clock,
    logger,
    attempts: { retry: attempts.retry, runtime: clock.monotonic() - attempts.begun },
    noun: nounOf(handler),
    errors: "temporary",
    defaultBackoff: settings.execution.defaultBackoff,
    signal,
    observed: observer && { observer, subject: record.subject },
    // The types of `op.daemon` and `op.timer` have made sure that the function takes these arguments.
    args: (limited) => argsOf(caller, { attempts, patch, signal: limited }) as never,
  });
}

/** Asks how long it is to wait before its first run. */
export function initialDelayOf(caller: Caller, ask: (args: never) => unknown): Seconds {
  const { handler: { id }, logger, world: { clock, settings } } = caller;
  try {
    const { signal } = new AbortController();
    const args = argsOf(caller, { attempts: beginAttempts(clock), patch: new Patch(), signal });
    // The types of the options have made sure that the function takes these arguments.
    return checkDelay(ask(args as never));
  } catch (error) {
    const { defaultBackoff } = settings.execution;
    logger.error("Initial delay failed: the default backoff is taken", {
      handler: id,
      error: toError(error),
      delay: defaultBackoff,
    });
    return defaultBackoff;
  }
}

/** What is thrown after the stop flag is not tried again; that it was aborted is what we asked for. */
async function call({ handler, isStopping }: Caller, args: never): Promise<unknown> {
  try {
    return await handler.fn(args);
  } catch (thrown) {
    if (!isStopping()) throw thrown;
    const error = toError(thrown);
    if (error.name === "AbortError") return undefined;
    throw new PermanentError(error.message, { cause: error });
  }
}

function argsOf(
  { record, handler, logger, flag, world: { clock, indices } }: Caller,
  { attempts: { retry, started }, patch, signal }: AttemptOptions,
): DaemonArgs {
  const { resource, memo } = record.subject;
  const cause: ObjectCause = {
    resource,
    body: record.body,
    newest: () => record.body,
    patch,
    logger,
    memo,
    indices,
  };
  const attempt = { param: handler.param, retry, started, signal, clock };
  return new DaemonArgs(cause, { attempt, stopped: () => flag().stopped });
}
