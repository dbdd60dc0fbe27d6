/**
 * The parts of timestamps and durations.
 *
 * Source: cel-spec, doc/langdef.md, "Timestamps and durations". Without a time zone, it is UTC.
 */

import type { Environment } from "../environment.ts";
import { type Duration, Failure } from "../values.ts";

const DAY = 86_400_000;

const PARTS: Readonly<Record<string, (time: Date) => number>> = {
  getFullYear: (time) => time.getUTCFullYear(),
  getMonth: (time) => time.getUTCMonth(),
  getDate: (time) => time.getUTCDate(),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDayOfWeek: (time) => time.getUTCDay(),
  getDayOfYear: (time) => Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / DAY),
  getHours: (time) => time.getUTCHours(),
  getMinutes: (time) => time.getUTCMinutes(),
  getSeconds: (time) => time.getUTCSeconds(),
  getMilliseconds: (time) => time.getUTCMilliseconds(),
};

const LENGTHS: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
};

/** Adds them. */
export function addTimes(environment: Environment): void {
  for (const [name, part] of Object.entries(PARTS)) {
    environment.member(`timestamp.${name}(): int`, (time: Date) => BigInt(part(time)));
    environment.member(
      `timestamp.${name}(string): int`,
      (time: Date, zone: string) => BigInt(part(inZone(time, zone))),
    );
  }
  for (const [name, length] of Object.entries(LENGTHS)) {
    environment.member(`duration.${name}(): int`, ({ nanoseconds }: Duration) => nanoseconds / length);
  }
  environment.member(
    "duration.getMilliseconds(): int",
    ({ nanoseconds }: Duration) => nanoseconds / 1_000_000n % 1000n,
  );
}

/** Returns the time whose parts in UTC equal the parts of the given time in a zone, such as "Europe/Berlin" or "-08:00". */
function inZone(time: Date, zone: string): Date {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return new Date(time.getTime() + (sign === "-" ? -offset : offset));
  }
  if (zone === "" || zone === "UTC") return time;
  try {
    return new Date(time.getTime() + offsetOf(time, zone));
  } catch {
    throw new Failure(`unknown time zone ${zone}`);
  }
}

function offsetOf(time: Date, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const found = Object.fromEntries(
    format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time.getTime() / 1000) * 1000;
}
