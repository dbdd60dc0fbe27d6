/**
 * The schedules of CronJobs: five fields in a time zone, or a word such as "@hourly".
 *
 * Read here, because no package has the messages of the one that Kubernetes uses, and the server imports no module of
 * the framework that it tests. Source: github.com/robfig/cron, ParseStandard; Kubernetes documentation, "CronJob".
 */

import { Cron } from "croner";

/** A schedule that was read. */
export interface CronSchedule {
  /** Returns the next time after one, both in milliseconds since 1970; undefined if there is none. */
  next(after: number): number | undefined;
}

const MINUTE = 60_000;

/** The values that a field allows. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * Reads a schedule.
 *
 * @throws {SyntaxError} In the words of Kubernetes, if it is none.
 * @throws {RangeError} If there is no such time zone.
 */
export function readSchedule(text: string, timeZone = "UTC"): CronSchedule {
  new Intl.DateTimeFormat("en-US", { timeZone });
  if (!text.startsWith("@")) return new Fields(text, timeZone);
  const known = Object.hasOwn(DESCRIPTORS, text) ? DESCRIPTORS[text] : undefined;
  if (known !== undefined) return new Fields(known, timeZone);
  if (!text.startsWith("@every ")) throw new SyntaxError(`unrecognized descriptor: ${text}`);
  const every = readDuration(text.slice("@every ".length));
  if (every === undefined) throw new SyntaxError(`failed to parse duration ${text}`);
  return { next: (after) => Math.floor(after / 1000) * 1000 + every };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE, h: 60 * MINUTE };

/** In milliseconds: whole seconds, and at least one. */
function readDuration(text: string): number | undefined {
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, count, , unit = ""] of text.matchAll(/([0-9]+(\.[0-9]+)?)(ms|s|m|h)/gy)) {
    sum += Number(count) * (UNITS[unit] ?? 0);
  }
  return Math.max(1000, Math.floor(sum / 1000) * 1000);
}

/** Its times are croner's; its syntax, and the words of its faults, are Kubernetes'. */
class Fields implements CronSchedule {
  readonly #cron: Cron;

  constructor(text: string, timezone: string) {
    const parts = text.trim().split(/\s+/).filter((part) => part !== "");
    if (parts.length !== FIELDS.length) {
      throw new SyntaxError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
    }
    // NB: numbers one by one, but for a free day: a day must fit both its fields if one of them is free, else either.
    const fields = FIELDS.map((bounds, index) => {
      const part = parts[index] ?? "";
      const numbers = [...readField(part, bounds)].join(",");
      return /(^|,)[*?](\/1)?(,|$)/.test(part) ? "*" : numbers;
    });
    this.#cron = new Cron(fields.join(" "), { timezone, paused: true });
  }

  next(after: number): number | undefined {
    let time = this.#cron.nextRun(new Date(after));
    // NB: where clocks are put forward over a time, croner takes the next moment, and Kubernetes none.
    while (time !== null && !this.#cron.match(time)) time = this.#cron.nextRun(time);
    return time?.getTime();
  }
}

function readField(text: string, bounds: Bounds): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const { from, to, step } = readRange(part, bounds);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function readRange(text: string, bounds: Bounds): Range {
  const [range = "", stepText, ...more] = text.split("/");
  const [low = "", high, ...rest] = range.split("-");
  const isFree = low === "*" || low === "?";
  if (rest.length > 0) throw new SyntaxError(`too many hyphens: ${text}`);
  if (more.length > 0) throw new SyntaxError(`too many slashes: ${text}`);
  const from = isFree ? bounds.min : readNumber(low, bounds);
  const step = stepText === undefined ? 1 : readNumber(stepText, { min: 0, max: 0 });
  const isOne = high === undefined && stepText === undefined && !isFree;
  const to = isOne ? from : high === undefined || isFree ? bounds.max : readNumber(high, bounds);
  if (from < bounds.min) {
    throw new SyntaxError(`beginning of range (${from}) below minimum (${bounds.min}): ${text}`);
  }
  if (to > bounds.max) throw new SyntaxError(`end of range (${to}) above maximum (${bounds.max}): ${text}`);
  if (from > to) throw new SyntaxError(`beginning of range (${from}) beyond end of range (${to}): ${text}`);
  if (step === 0) throw new SyntaxError(`step of range should be a positive number: ${text}`);
  return { from, to, step };
}

function readNumber(text: string, { min, names = [] }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  if (index >= 0) return index + min;
  if (/^-?[0-9]+$/.test(text)) return Number(text);
  throw new SyntaxError(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
