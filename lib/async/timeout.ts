/**
 * Waiting for what may never come, for as long as there is patience.
 */

import type { TaskGroup } from "./tasks.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** How long, by which clock. */
export interface Patience {
  readonly clock: Clock;
  readonly timeout: Seconds;
}

/** Waits for some work; false if it is not done in time. */
export async function within(work: Promise<unknown>, { clock, timeout }: Patience): Promise<boolean> {
  const controller = new AbortController();
  const late = clock.sleep(timeout, controller.signal).then(() => false);
  const result = await Promise.race([work.then(() => true), late]);
  controller.abort();
  return result;
}

/** Waits until no task is under way; false if some still are when the time is over. */
export async function finished(tasks: TaskGroup, patience: Patience): Promise<boolean> {
  return tasks.size === 0 || await within(tasks.finished(), patience);
}

// Waiting for a signal.

/** Resolves when the signal aborts. Never rejects. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
