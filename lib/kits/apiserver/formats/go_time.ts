/**
 * Times as Go reads and writes them: RFC 3339 in whole seconds (`Time`), or in microseconds (`MicroTime`).
 *
 * Source: k8s.io/apimachinery, pkg/apis/meta/v1/{time,micro_time}.go; Go's package time, Parse() and its errors.
 */

/** The layouts that Kubernetes' two types of times are read with. */
const LAYOUTS = {
  seconds: "2006-01-02T15:04:05Z07:00",
  microseconds: "2006-01-02T15:04:05.000000Z07:00",
} as const;

/** How exact a time is. */
export type Precision = keyof typeof LAYOUTS;

/** A time that cannot be read; `message` has Go's words. */
export class TimeError extends Error {
  override readonly name = "TimeError";
}

/** One part of a layout: how it is written there, and the pattern of a text that fits. */
interface Element {
  readonly layout: string;
  readonly pattern: RegExp;
  /** The largest value, and the name of the part when it is larger. */
  readonly range?: readonly [least: number, most: number, name: string];
}

const two = (layout: string, name: string, range: readonly [number, number]): Element => (
  { layout, pattern: /^\d\d/, range: [...range, name] }
);
const literal = (text: string): Element => ({ layout: text, pattern: new RegExp(`^${text}`) });
const MOMENT: readonly Element[] = [
  { layout: "2006", pattern: /^\d{4}/ },
  literal("-"),
  two("01", "month", [1, 12]),
  literal("-"),
  two("02", "day", [1, 31]),
  literal("T"),
  { layout: "15", pattern: /^\d\d?/, range: [0, 23, "hour"] },
  literal(":"),
  two("04", "minute", [0, 59]),
  literal(":"),
  two("05", "second", [0, 59]),
];
const ZONE: Element = { layout: "Z07:00", pattern: /^(Z|[+-]\d\d:\d\d)/ };
const FRACTIONS: Readonly<Record<Precision, Element>> = {
  // Go takes a fraction that its layout does not name, of any length.
  seconds: { layout: "", pattern: /^([.,]\d+)?/ },
  microseconds: { layout: ".000000", pattern: /^[.,]\d{6}/ },
};
const PLAIN: Readonly<Record<Precision, RegExp>> = {
  seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  microseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
};

/**
 * Returns a time as Kubernetes keeps it: in UTC, and no more exact than its type.
 *
 * @throws {TimeError} If Go could not read it.
 */
export function readGoTime(text: string, precision: Precision): string {
  const elements = [...MOMENT, FRACTIONS[precision], ZONE];
  const parts: string[] = [];
  let rest = text;
  for (const { layout, pattern, range } of elements) {
    const [part] = pattern.exec(rest) ?? [];
    if (part === undefined) throw unreadable(text, LAYOUTS[precision], { rest, layout });
    if (range !== undefined && (Number(part) < range[0] || Number(part) > range[1])) {
      throw new TimeError(`parsing time ${JSON.stringify(text)}: ${range[2]} out of range`);
    }
    parts.push(part);
    rest = rest.slice(part.length);
  }
  if (rest !== "") {
    throw new TimeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
  }
  const [year = "", , month = "", , day = "", , hour = ""] = parts;
  const [minute = "", second = "", fraction = "", zone = ""] = [parts[8], parts[10], parts[11], parts[12]];
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) > days) throw new TimeError(`parsing time ${JSON.stringify(text)}: day out of range`);
  if (PLAIN[precision].test(text)) return text;
  const moment = `${year}-${month}-${day}T${hour.padStart(2, "0")}:${minute}:${second}${zone}`;
  const seconds = new Date(moment).toISOString().slice(0, -5);
  return precision === "seconds" ? `${seconds}Z` : `${seconds}.${fraction.slice(1)}Z`;
}

function unreadable(
  text: string,
  whole: string,
  { rest, layout }: { readonly rest: string; readonly layout: string },
): TimeError {
  const [value, form, found, wanted] = [text, whole, rest, layout].map((part) => JSON.stringify(part));
  return new TimeError(`parsing time ${value} as ${form}: cannot parse ${found} as ${wanted}`);
}
