/**
 * How one that runs is stopped, in stages, each at its time: pure arithmetic.
 *
 * First it is told, by its flag; after the backoff its signal is aborted; after the timeout it is left behind. Without a
 * timeout it is waited for, unless the operator itself ends. Source: Kopf, B §1.8; deviation G12.
 */

import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Seconds } from "../../runtime/host.ts";
import { TOLERANCE } from "./surroundings.ts";

/** One that was told to stop, and still runs. Times are those of the monotonic clock. */
export interface Stopping {
  /** When it was told. */
  readonly since: Seconds;
  readonly now: Seconds;
  /** How often it is said that it is waited for, where its own options do not say. */
  readonly polling: Seconds;
  readonly isExiting: boolean;
}

/** What it is time for: its flag, its signal, patience, or leaving it behind; and when to look again. */
export type Stage =
  | { readonly kind: "signalled" | "cancelled" | "awaited"; readonly until: Seconds }
  | { readonly kind: "abandoned" };

/** Gives what it is time for. */
export function stageOf(handler: BackgroundHandler, { since, now, polling, isExiting }: Stopping): Stage {
  const { backoff = 0, timeout, interval = polling } = patienceOf(handler);
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
function patienceOf(
  handler: BackgroundHandler,
): { readonly backoff?: Seconds; readonly timeout?: Seconds; readonly interval?: Seconds } {
  if (handler.type === "timer") return {};
  return {
    backoff: handler.cancellationBackoff,
    timeout: handler.cancellationTimeout,
    interval: handler.cancellationPolling,
  };
}
