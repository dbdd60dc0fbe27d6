/**
 * Times that a cron expression names. The only file that imports the package; it schedules no calls.
 */

import { Cron } from "croner";

/** A cron expression in a time zone. */
export interface CronTimes {
  /** Returns the next time after one, both in milliseconds since 1970; undefined if there is none. */
  next(after: number): number | undefined;
}

/**
 * Reads a cron expression: five fields (minutes to weekdays), or six with seconds first, or "@daily" and the like.
 *
 * @throws {SyntaxError} If it is none, or there is no such time zone.
 */
export function parseCron(expression: string, timeZone = "UTC"): CronTimes {
  let cron: Cron;
  try {
    cron = new Cron(expression, { timezone: timeZone, paused: true });
    // The zone is looked at when it is needed.
    cron.nextRun(new Date(0));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SyntaxError(
      `Cannot read the cron expression "${expression}" in time zone "${timeZone}": ${reason}`,
      {
        cause: error,
      },
    );
  }
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}
