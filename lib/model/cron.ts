/**
 * Times that a cron expression names: for tasks, and for authors, as controllers need them. The only file that imports the package;
 * it schedules no calls, and knows no present time.
 */

import { Cron } from "croner";

/** A cron expression in a time zone. */
export interface CronTimes {
  /** Returns the next time after one, both in milliseconds since 1970; undefined if there is none. */
  next(after: number): number | undefined;
  /** Returns the last time before one; undefined if there is none. */
  previous(before: number): number | undefined;
}

/** The times of a cron expression. */
export interface CronSchedule {
  /** Returns the next time after one; undefined if there is none. */
  next(after: Date): Date | undefined;
  /** Returns the last time before one; undefined if there is none. */
  previous(before: Date): Date | undefined;
}

/** Options of {@linkcode cron}. */
export interface CronOptions {
  /** Such as "Europe/Berlin". Default: "UTC". */
  readonly timeZone?: string;
}

/**
 * Reads a cron expression, to be asked for its times: five fields (minutes to weekdays), or six with seconds first, or "@daily" and
 * the like. Where clocks change, each day has a time once. The present time is the handler's `clock.now()`.
 *
 * @throws {SyntaxError} If it is none, if its time never comes, such as 30 February, or if there is no such time zone.
 * @throws {TypeError} If it is no text.
 * @example
 * ```ts
 * import { cron } from "@lotse/lotse";
 *
 * const nightly = cron("0 3 * * *", { timeZone: "Europe/Berlin" });
 * console.log(nightly.next(new Date("2026-07-01T12:00:00Z"))); // 2026-07-02T01:00:00.000Z
 * console.log(nightly.previous(new Date("2026-07-01T12:00:00Z"))); // 2026-07-01T01:00:00.000Z
 * ```
 */
export function cron(expression: string, { timeZone }: CronOptions = {}): CronSchedule {
  const times = parseComingCron(expression, timeZone);
  return {
    next: (after) => toDate(times.next(timeOf(after))),
    previous: (before) => toDate(times.previous(timeOf(before))),
  };
}

/** As `parseCron()`. @throws {SyntaxError} If its time never comes, too. */
export function parseComingCron(expression: string, timeZone?: string): CronTimes {
  const times = parseCron(expression, timeZone);
  if (times.next(0) !== undefined) return times;
  throw new SyntaxError(`Cannot take the cron expression "${expression}": its time never comes`);
}

function toDate(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

function timeOf(date: unknown): number {
  const time = date instanceof Date ? date.getTime() : NaN;
  if (Number.isNaN(time)) {
    throw new TypeError(`Cannot look for times from ${String(date)}: pass a valid Date`);
  }
  return time;
}

/**
 * Reads a cron expression: five fields (minutes to weekdays), or six with seconds first, or "@daily" and the like.
 *
 * @throws {SyntaxError} If it is none, or there is no such time zone.
 * @throws {TypeError} If it is no text.
 */
export function parseCron(expression: string, timeZone = "UTC"): CronTimes {
  if (typeof expression !== "string") {
    throw new TypeError(
      `Cannot read ${String(expression)} as a cron expression: it must be a text such as "0 3 * * *"`,
    );
  }
  if (typeof timeZone !== "string" || timeZone === "") {
    const told = typeof timeZone === "string" ? "an empty text" : String(timeZone);
    throw new SyntaxError(
      `Cannot take ${told} as the time zone of "${expression}": name one such as "Europe/Berlin", or leave it out for "UTC"`,
    );
  }
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
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
    previous: (before) => cron.previousRuns(1, new Date(before))[0]?.getTime(),
  };
}
