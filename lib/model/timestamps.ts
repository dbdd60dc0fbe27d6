/**
 * Timestamps as texts: read in all forms that Kubernetes, Kopf and Python write, written in one.
 *
 * Without a zone they are UTC: Kopf wrote such forms once, and stumbles over them now (scenarios C1–C32).
 */

const FORM =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

/** Returns milliseconds since 1970 (a fraction is cut off to whole ones); undefined if it is not a timestamp. */
export function parseTimestamp(text: unknown): number | undefined {
  const match = typeof text === "string" && text.length <= 64 ? FORM.exec(text.trim()) : null;
  if (match === null) return undefined;
  const [, day, time, fraction = "", zone = "Z"] = match;
  const hours = zone.slice(0, 3);
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${hours}:${zone.slice(3).replace(":", "") || "00"}`;
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3);
  const seconds = time?.length === 5 ? `${time}:00` : time;
  const parsed = Date.parse(`${day}T${seconds}.${milliseconds}${offset}`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** Returns RFC 3339 in UTC with milliseconds, such as "2026-01-31T12:34:56.789Z". */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Returns Kopf's form: microseconds and an explicit offset, such as "2026-01-31T12:34:56.789000+00:00". */
export function formatKopfTimestamp(milliseconds: number): string {
  return formatTimestamp(milliseconds).replace("Z", "000+00:00");
}
