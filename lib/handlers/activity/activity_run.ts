/**
 * Runs an activity: calls its handlers one after the other, and again after temporary errors, until all have finished.
 *
 * State is in memory only. A handler that waits for its next attempt holds up the activity, but no other handler.
 * Source: scenarios B260–B278.
 */

import type { Outcome } from "../../execution/handler.ts";
import type { Observer } from "../../execution/observer.ts";
import { errorMessage } from "../../runtime/error_text.ts";
import type { Clock, Random } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Settings } from "../../settings/settings.ts";
import type { ActivityArguments } from "./activity_handler.ts";
import { type Attempt, type Caller, callHandler, type Sort } from "../call.ts";
import type { ActivityHandler, ActivityName } from "./activity_handler.ts";
import type { Index } from "../index/index_handle.ts";
import { after, FRESH, isDue, momentOf, type Retry } from "../retry.ts";

export interface ActivityRunOptions {
  readonly handlers: readonly ActivityHandler[];
  readonly clock: Clock;
  readonly random: Random;
  /** Named after the activity. */
  readonly logger: Logger;
  readonly settings: Settings;
  readonly memo: Record<string, unknown>;
  readonly indices: Readonly<Record<string, Index>>;
  /** Aborting ends the activity: waits at once, running handlers when they have had the grace to listen to it. */
  readonly signal: AbortSignal;
  readonly observer: Observer;
}

/**
 * A handler of an activity has failed for good.
 *
 * At the start it ends the operator, as it does when it cleans up. The cause is the error that the first failed handler threw.
 */
export class ActivityError extends Error {
  /** The name of the class. */
  override readonly name: string = "ActivityError";
  /** Which activity. */
  readonly activity: ActivityName;
  /** The error that each failed handler threw, by id. */
  readonly failures: ReadonlyMap<string, Error>;

  /** There is at least one failure. */
  constructor(activity: ActivityName, failures: ReadonlyMap<string, Error>) {
    const [[id, error] = ["", new Error("unknown")]] = failures;
    const others = failures.size > 1 ? ` (and ${failures.size - 1} more)` : "";
    super(`${WORDS[activity]}: handler "${id}"${others} failed: ${errorMessage(error)}`, { cause: error });
    this.activity = activity;
    this.failures = failures;
  }
}

const WORDS: Readonly<Record<ActivityName, string>> = {
  startup: "Cannot start",
  cleanup: "Cannot clean up",
  login: "Cannot log in",
  probe: "Cannot answer the probe",
  ready: "Not ready",
};

const SORT: Sort = { noun: "Activity", errors: "temporary" };

/** One handler of the activity. */
interface Progress {
  readonly handler: ActivityHandler;
  retry: Retry;
  /** Undefined until the handler has finished. */
  outcome: Outcome | undefined;
}

/**
 * Returns the results of the handlers by id, without the ones that are undefined or null.
 *
 * @throws {ActivityError} If a handler has failed for good.
 * @throws The signal's reason, if it was aborted before all had finished.
 */
export async function runActivity(options: ActivityRunOptions): Promise<ReadonlyMap<string, unknown>> {
  const { clock, handlers, signal } = options;
  // All handlers count their time from the start of the activity.
  const retry: Retry = { ...FRESH, begun: momentOf(clock) };
  const all: Progress[] = handlers.map((handler) => ({ handler, retry, outcome: undefined }));
  for (;;) {
    for (const progress of all) {
      if (progress.outcome === undefined && isDue(progress.retry, clock.monotonic())) {
        await attempt(progress, options);
      }
    }
    const unfinished = all.filter(({ outcome }) => outcome === undefined);
    if (unfinished.length === 0) return resultsOf(all);
    const due = Math.min(...unfinished.map(({ retry }) => retry.due));
    await clock.sleep(Math.max(0, due - clock.monotonic()), signal);
    signal.throwIfAborted();
  }
}

async function attempt(progress: Progress, options: ActivityRunOptions): Promise<void> {
  const { clock, random, logger, settings, signal, observer } = options;
  signal.throwIfAborted();
  const { handler, retry } = progress;
  const { defaultBackoff } = settings.execution;
  const observed = { observer, subject: undefined };
  const caller: Caller = { clock, random, logger, signal, observed, defaultBackoff };
  const called = await unlessLeftBehind(
    callHandler(caller, handler, {
      sort: SORT,
      retry,
      args: (attempt) => activityArgs(handler, options, attempt),
    }),
    { ...options, handler: handler.id },
  );
  const { outcome } = called;
  if (outcome.kind === "retry") progress.retry = after(called.retry, outcome, clock.monotonic());
  else progress.outcome = outcome;
}

/** Returns the arguments of one attempt; `runtime` is computed when the handler reads it. */
function activityArgs(
  { activity }: ActivityHandler,
  { settings, logger, memo, indices }: ActivityRunOptions,
  { param, retry, started, begun, signal, clock }: Attempt,
): ActivityArguments {
  return {
    settings,
    logger,
    memo,
    indices,
    retry,
    started: new Date(started),
    signal,
    clock,
    activity,
    param,
    get runtime() {
      return clock.monotonic() - begun;
    },
  };
}

/** A handler that does not listen to its signal must not keep the operator from ending. */
async function unlessLeftBehind<T>(
  running: Promise<T>,
  options: ActivityRunOptions & { readonly handler: string },
): Promise<T> {
  const { clock, signal, settings, logger, handler } = options;
  const left = Promise.withResolvers<never>();
  let timer: Disposable | undefined;
  const onAbort = (): void => {
    timer = clock.after(settings.queueing.exitTimeout, () => {
      logger.warn("A handler does not stop: it is left behind", { handler });
      left.reject(signal.reason);
    });
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([running, left.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer?.[Symbol.dispose]();
  }
}

function resultsOf(all: readonly Progress[]): ReadonlyMap<string, unknown> {
  const failures = new Map<string, Error>();
  const results = new Map<string, unknown>();
  for (const { handler, outcome } of all) {
    if (outcome?.kind === "failure") failures.set(handler.id, outcome.error);
    if (outcome?.kind !== "success") continue;
    if (outcome.result !== undefined && outcome.result !== null) results.set(handler.id, outcome.result);
  }
  const [first] = all;
  if (first !== undefined && failures.size > 0) throw new ActivityError(first.handler.activity, failures);
  return results;
}
