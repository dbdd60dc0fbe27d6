/**
 * Computes when the next run of a daemon or timer is due, or the next stage of stopping it. Pure arithmetic.
 *
 * All times are by the monotonic clock. Unlike in Kopf, sharp timers count from when a run was due, not from when it
 * began: delays of the event loop do not add up. A daemon that is told to stop gets its flag first; after the backoff
 * its signal is aborted; after the timeout it is abandoned. Without a timeout it is waited for, unless the operator itself
 * ends. Source: Kopf, docs/timers; Kopf, docs/daemons.
 */

import { TOLERANCE } from "../../async/schedule.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { BackgroundHandler } from "./background_handler.ts";
import { hasFailed, type Retry } from "../retry.ts";

/** Whether the handler is a timer that runs after changes of the object, and not at intervals. */
export function runsOnChange(handler: BackgroundHandler): boolean {
  return handler.type === "timer" && handler.idle !== undefined && handler.interval === undefined;
}

/** Checks the result of a function for the initial delay. @throws {TypeError} If it is no finite number from 0. */
export function checkDelay(delay: unknown): Seconds {
  if (typeof delay === "number" && delay >= 0 && delay < Infinity) return delay;
  throw new TypeError(`Cannot wait for ${String(delay)} at first: the function must return a number`);
}

/** A run that is over, with its write. */
export interface FinishedRun {
  /** Its row of attempts, with this run in it. */
  readonly retry: Retry;
  /** When it was due. */
  readonly due: Seconds;
  readonly now: Seconds;
}

/** When the next run is due; "change": when the object changes; "end": never. */
export type NextRun = { readonly due: Seconds } | "change" | "end";

/** Returns when the next run is due. */
export function nextRun(handler: BackgroundHandler, run: FinishedRun): NextRun {
  const { retry, due, now } = run;
  if (retry.due !== Infinity) return { due: retry.due };
  if (handler.type === "daemon") return "end";
  if (hasFailed(retry) && handler.keepSchedule !== true) return "end";
  const { interval, idle, sharp } = handler;
  if (interval === undefined) return idle === undefined ? "end" : "change";
  if (sharp !== true) return { due: now + interval };
  // NB: 0.3 s of 0.1 s each are 2.9999999999999996 intervals in binary fractions.
  const passed = Math.max(0, Math.floor((now - due) / interval + TOLERANCE));
  return { due: due + (passed + 1) * interval };
}

/** A daemon or timer that was told to stop, and still runs. */
export interface StoppingRun {
  /** When it was told. */
  readonly since: Seconds;
  readonly now: Seconds;
  /** How often the log says that it still stops, where the handler's own options do not set that. */
  readonly polling: Seconds;
  readonly isExiting: boolean;
}

/** The stage of stopping that is due: its flag, its signal, waiting, or abandoning it; and when to look again. */
export type StopStage =
  | { readonly kind: "signalled" | "cancelled" | "awaited"; readonly until: Seconds }
  | { readonly kind: "abandoned" };

/** Returns the stage that is due now. */
export function stopStage(
  handler: BackgroundHandler,
  { since, now, polling, isExiting }: StoppingRun,
): StopStage {
  const { backoff = 0, timeout, interval = polling } = stopOptionsOf(handler);
  const toCancel = since + backoff;
  if (isBefore(now, toCancel)) return { kind: "signalled", until: toCancel };
  if (timeout !== undefined && isBefore(now, toCancel + timeout)) {
    return { kind: "cancelled", until: toCancel + timeout };
  }
  if (timeout !== undefined || isExiting) return { kind: "abandoned" };
  return { kind: "awaited", until: now + interval };
}

function isBefore(now: Seconds, time: Seconds): boolean {
  return now + TOLERANCE < time;
}

/** Timers have neither backoff nor timeout. */
function stopOptionsOf(
  handler: BackgroundHandler,
): { readonly backoff?: Seconds; readonly timeout?: Seconds; readonly interval?: Seconds } {
  if (handler.type === "timer") return {};
  return {
    backoff: handler.cancellationBackoff,
    timeout: handler.cancellationTimeout,
    interval: handler.cancellationPolling,
  };
}
