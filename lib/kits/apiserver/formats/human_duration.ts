/**
 * Ages as kubectl shows them: `47s`, `3m12s`, `5h`, `2d3h`, `1y40d`.
 *
 * Source: k8s.io/apimachinery, pkg/util/duration, HumanDuration.
 */

/** Returns a span of milliseconds, with two or three significant figures. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(`${minutes}m`, { rest: seconds % 60, unit: "s" });
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(`${hours}h`, { rest: minutes % 60, unit: "m" });
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return two(`${days}d`, { rest: hours % 24, unit: "h" });
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? two(`${years}y`, { rest: days % 365, unit: "d" }) : `${years}y`;
}

/** Returns the age of an RFC 3339 time; `<unknown>` without one. */
export function humanAge(timestamp: unknown, nowMs: number): string {
  if (typeof timestamp !== "string" || timestamp === "") return "<unknown>";
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : humanDuration(nowMs - then);
}

function two(first: string, { rest, unit }: { rest: number; unit: string }): string {
  return rest === 0 ? first : `${first}${rest}${unit}`;
}
