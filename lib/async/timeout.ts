/**
 * Waiting with a limit for a promise that may never settle.
 */

import type { TaskGroup } from "./tasks.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** The limit, and the clock by which it counts. In seconds. */
export interface TimeoutOptions {
  readonly clock: Clock;
  readonly timeout: Seconds;
}

/** Waits for some work; false if it is not done in time. */
export async function withTimeout(
  work: Promise<unknown>,
  { clock, timeout }: TimeoutOptions,
): Promise<boolean> {
  const controller = new AbortController();
  const late = clock.sleep(timeout, controller.signal).then(() => false);
  const result = await Promise.race([work.then(() => true), late]);
  controller.abort();
  return result;
}

/** Waits until no task is under way; false if some still are when the time is over. */
export async function drained(tasks: TaskGroup, options: TimeoutOptions): Promise<boolean> {
  return tasks.size === 0 || await withTimeout(tasks.finished(), options);
}

/** Resolves when the signal aborts. Never rejects. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
