/**
 * Tasks that one replica runs for all, and the time of their next run: counted from noted times, so that it survives the replica.
 */

import type { Term } from "../../execution/fence.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { TaskHandler } from "./task_handler.ts";

/** The last run of a task, in milliseconds since 1970. */
export interface TaskTimes {
  readonly begun?: number;
  /** Absent: the run that began last has not ended. */
  readonly ended?: number;
}

/** The replicas, as tasks that run once need them. */
export interface OnceAmongReplicas {
  /** Runs work in each term of shard 0 that begins here. */
  whileFirst(name: string, work: (term: Term) => Promise<void>): Disposable;
  /** Returns the noted times of a task. */
  timesOf(name: string): TaskTimes;
  /** Notes the times of a task, for the next holder of shard 0. @throws {ApiError} If the server refuses. */
  noteTimes(name: string, times: TaskTimes): Promise<void>;
  /** How late a missed time of a cron expression is made up for. */
  readonly grace: Seconds;
}

/**
 * Returns when the task is due, in milliseconds since 1970; undefined: never. A run that began and has not ended is repeated; a
 * time of a cron expression that was missed is made up for, if it is not too long ago.
 */
export function dueOf(
  { times }: Pick<TaskHandler, "times">,
  { begun, ended }: TaskTimes,
  { now, grace }: { readonly now: number; readonly grace: Seconds },
): number | undefined {
  const isBroken = begun !== undefined && (ended === undefined || ended < begun);
  if ("interval" in times) {
    if (isBroken) return now;
    return ended === undefined ? now + times.initialDelay * 1000 : ended + times.interval * 1000;
  }
  const oldest = now - grace * 1000;
  if (isBroken && begun >= oldest) return now;
  // NB: not since the last run: of many missed times, one is made up for.
  return times.next(Math.max(begun ?? now, oldest));
}
