/**
 * The schedules of CronJobs: five fields in a time zone, or a word such as "@hourly".
 *
 * Written here, because no package speaks in the words of the one that Kubernetes uses, and the server imports nothing of
 * the framework that it tests. Source: github.com/robfig/cron, ParseStandard; Kubernetes documentation, "CronJob".
 */

/** A schedule that was read. */
export interface CronSchedule {
  /** Returns the next time after one, both in milliseconds since 1970; undefined if there is none within five years. */
  next(after: number): number | undefined;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HORIZON_DAYS = 5 * 366;

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
  const zone = new Zone(timeZone);
  if (!text.startsWith("@")) return new Fields(text, zone);
  const known = Object.hasOwn(DESCRIPTORS, text) ? DESCRIPTORS[text] : undefined;
  if (known !== undefined) return new Fields(known, zone);
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

class Fields implements CronSchedule {
  readonly #zone: Zone;
  readonly #minutes: readonly number[];
  readonly #hours: readonly number[];
  readonly #daysOfMonth: ReadonlySet<number>;
  readonly #months: ReadonlySet<number>;
  readonly #weekdays: ReadonlySet<number>;
  /** A day must fit both its fields if one of them is free, else either. */
  readonly #fitsBoth: boolean;

  constructor(text: string, zone: Zone) {
    const parts = text.trim().split(/\s+/).filter((part) => part !== "");
    if (parts.length !== FIELDS.length) {
      throw new SyntaxError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
    }
    const [minutes, hours, daysOfMonth, months, weekdays] = FIELDS.map((bounds, index) =>
      readField(parts[index] ?? "", bounds)
    );
    this.#zone = zone;
    this.#minutes = sorted(minutes);
    this.#hours = sorted(hours);
    this.#daysOfMonth = daysOfMonth ?? new Set();
    this.#months = months ?? new Set();
    this.#weekdays = weekdays ?? new Set();
    this.#fitsBoth = [parts[2], parts[4]].some((part) => /(^|,)[*?](\/1)?(,|$)/.test(part ?? ""));
  }

  next(after: number): number | undefined {
    const today = Math.floor(this.#zone.localOf(after) / DAY) * DAY;
    for (let day = today; day < today + HORIZON_DAYS * DAY; day += DAY) {
      if (!this.#isDay(day)) continue;
      for (const hour of this.#hours) {
        for (const minute of this.#minutes) {
          const found = this.#zone.instantOf(day + (hour * 60 + minute) * MINUTE);
          if (found !== undefined && found > after) return found;
        }
      }
    }
    return undefined;
  }

  #isDay(day: number): boolean {
    const date = new Date(day);
    if (!this.#months.has(date.getUTCMonth() + 1)) return false;
    const fits = [this.#daysOfMonth.has(date.getUTCDate()), this.#weekdays.has(date.getUTCDay())];
    return this.#fitsBoth ? fits.every(Boolean) : fits.some(Boolean);
  }
}

function sorted(values: ReadonlySet<number> = new Set()): number[] {
  return [...values].sort((a, b) => a - b);
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

/** Wall times of a zone, as if they were of UTC. */
class Zone {
  readonly #format: Intl.DateTimeFormat | undefined;

  constructor(name: string) {
    this.#format = name === "UTC" ? undefined : new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  localOf(instant: number): number {
    if (this.#format === undefined) return instant;
    const parts = Object.fromEntries(
      this.#format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /** The first moment with that wall time; undefined where clocks are put forward over it. */
  instantOf(local: number): number | undefined {
    const guesses = [-DAY, DAY].map((shift) => local - (this.localOf(local + shift) - (local + shift)));
    return guesses.sort((a, b) => a - b).find((guess) => this.localOf(guess) === local);
  }
}
