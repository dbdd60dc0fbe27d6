/**
 * What comes after a run of a daemon or a timer: pure arithmetic.
 *
 * Source: Kopf, B §1.5, §1.6; deviation D7. Unlike Kopf, sharp timers count from when a run was due, not from when it
 * began: what the event loop is late by does not add up.
 */

import type { Outcome } from "../../execution/handler.ts";
import type { BackgroundHandler, TimerHandler } from "../../registry/handlers.ts";
import type { Seconds } from "../../runtime/host.ts";

/** Tells whether it runs when the object has changed, and not every now and then. */
export function runsOnChange(handler: BackgroundHandler): boolean {
  return handler.type === "timer" && handler.idle !== undefined && handler.interval === undefined;
}

/** Checks what a function for the initial delay has returned. @throws {TypeError} If it is no number that can be waited for. */
export function checkDelay(delay: unknown): Seconds {
  if (typeof delay === "number" && delay >= 0) return delay;
  throw new TypeError(`Cannot wait for ${String(delay)} at first: the function must return a number`);
}

/** A run that is over, with its writes. Times are those of the monotonic clock. */
export interface Run {
  readonly outcome: Outcome;
  /** When it was due. */
  readonly due: Seconds;
  readonly now: Seconds;
}

/** When the next run is due; "change": when the object changes; "end": never. */
export type Next = { readonly due: Seconds } | "change" | "end";

/** Gives when the next run is due. */
export function nextRun(handler: BackgroundHandler, run: Run): Next {
  const { outcome, now } = run;
  if (outcome.kind === "retry" || outcome.kind === "children") return { due: now + outcome.delay };
  if (handler.type === "daemon") return "end";
  if (outcome.kind === "failure" && handler.keepSchedule !== true) return "end";
  if (handler.interval !== undefined) return { due: afterInterval(handler, run) };
  return handler.idle === undefined ? "end" : "change";
}

function afterInterval({ interval = 0, sharp }: TimerHandler, { due, now }: Run): Seconds {
  if (sharp !== true || interval === 0) return now + interval;
  // NB: 0.3 s of 0.1 s each are 2.9999999999999996 intervals in binary fractions.
  const passed = Math.max(0, Math.floor((now - due) / interval + 1e-6));
  return due + (passed + 1) * interval;
}
