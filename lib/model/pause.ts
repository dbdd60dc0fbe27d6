/**
 * The annotation by which people pause one object: `until=2026-12-01T00:00:00Z reason=the volume is being moved`.
 *
 * A pause ends by itself, so that no object is forgotten. Pure.
 */

/** A pause, as somebody has asked for it. */
export interface Pause {
  /** In milliseconds since 1970. */
  readonly until: number;
  /** Empty: none was given. */
  readonly reason: string;
  /** Whether the object's deletion waits, too. */
  readonly deletion: boolean;
}

/** The meaning of the annotation. */
export type PauseReading =
  | { readonly is: "pause"; readonly pause: Pause }
  | { readonly is: "nonsense"; readonly fault: string };

/** The form that is understood. */
export const PAUSE_FORM = "until=2026-12-01T00:00:00Z [deletion=yes] [reason=…]";

/** RFC 3339, with the time zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;

/** Longer reasons are cut. In UTF-16 units. */
const LONGEST = 200;

/** Returns the annotation of a pause. */
export function formatPause({ until, reason, deletion }: Pause): string {
  const words = [`until=${new Date(until).toISOString()}`];
  if (deletion) words.push("deletion=yes");
  if (reason !== "") words.push(`reason=${reason}`);
  return words.join(" ");
}

/** Reads the annotation. */
export function readPause(text: string): PauseReading {
  const found = /(?:^|\s)reason=/.exec(text);
  const head = found === null ? text : text.slice(0, found.index);
  const reason = found === null ? "" : text.slice(found.index + found[0].length).trim().slice(0, LONGEST);
  const values = new Map<string, string>();
  for (const word of head.split(/\s+/)) {
    if (word === "") continue;
    const equals = word.indexOf("=");
    const key = word.slice(0, Math.max(0, equals));
    if (!["until", "deletion"].includes(key)) {
      return { is: "nonsense", fault: `"${word.slice(0, 60)}" is not understood` };
    }
    values.set(key, word.slice(equals + 1));
  }
  const until = values.get("until");
  if (until === undefined) return { is: "nonsense", fault: "it does not say until when" };
  const time = TIME.test(until) ? Date.parse(until) : NaN;
  if (Number.isNaN(time)) return { is: "nonsense", fault: `"${until.slice(0, 60)}" is no time` };
  return { is: "pause", pause: { until: time, reason, deletion: values.get("deletion") === "yes" } };
}
