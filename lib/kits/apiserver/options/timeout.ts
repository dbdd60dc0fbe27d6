/**
 * `timeout` in queries: how long a client waits. Requests wait for webhooks alone; a time that is none is refused.
 *
 * Source: Go, time.ParseDuration; k8s.io/apiserver, pkg/endpoints/filters/request_deadline.go.
 */

import type { Seconds } from "../../../runtime/host.ts";
import { badRequest } from "../refusal.ts";

const SECONDS: Readonly<Record<string, Seconds>> = Object.assign(Object.create(null), {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
});

/** No request waits for longer. */
const LONGEST: Seconds = 60;

/**
 * Returns how long a client waits.
 *
 * @throws {Refusal} 400 if the query has a timeout that is no duration.
 */
export function timeoutIn(query: URLSearchParams): Seconds {
  const text = query.get("timeout") ?? "";
  if (text === "") return LONGEST;
  const seconds = parseDuration(text);
  if (typeof seconds === "string") {
    throw badRequest(`invalid timeout specified in the request URL - time: ${seconds}`);
  }
  // NB: 0s counts as no timeout.
  return seconds === 0 ? LONGEST : Math.min(seconds, LONGEST);
}

/** Returns a duration, or its fault in Go's words. */
function parseDuration(text: string): Seconds | string {
  const quoted = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, "");
  if (rest === "0") return 0;
  if (rest === "") return `invalid duration ${quoted}`;
  let seconds = 0;
  while (rest !== "") {
    const [whole, number = ""] = /^(\d+\.?\d*|\.\d+)/.exec(rest) ?? [];
    if (whole === undefined) return `invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const [unit = ""] = /^[^\d.]*/.exec(rest) ?? [];
    if (unit === "") return `missing unit in duration ${quoted}`;
    const factor = SECONDS[unit];
    if (factor === undefined) return `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    seconds += Number(number) * factor;
    rest = rest.slice(unit.length);
  }
  return text.startsWith("-") ? -seconds : seconds;
}
