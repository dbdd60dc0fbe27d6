/**
 * `timeout` in queries: how long a client waits. Requests here are answered long before, but a time that is none is refused.
 *
 * Source: Go, time.ParseDuration; k8s.io/apiserver, pkg/endpoints/filters/request_deadline.go.
 */

import { badRequest } from "../refusal.ts";

const UNITS = /^(?:ns|us|µs|μs|ms|s|m|h)$/;

/** @throws {Refusal} 400 if the query has a timeout that is no duration. */
export function checkTimeout(query: URLSearchParams): void {
  const text = query.get("timeout") ?? "";
  if (text === "") return;
  const fault = durationFault(text);
  if (fault !== undefined) {
    throw badRequest(`invalid timeout specified in the request URL - time: ${fault}`);
  }
}

/** Returns what is wrong with a duration, in Go's words. */
function durationFault(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, "");
  if (rest === "0") return undefined;
  if (rest === "") return `invalid duration ${quoted}`;
  while (rest !== "") {
    const [whole, number = ""] = /^(\d+\.?\d*|\.\d+)/.exec(rest) ?? [];
    if (whole === undefined) return `invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const [unit = ""] = /^[^\d.]*/.exec(rest) ?? [];
    if (unit === "") return `missing unit in duration ${quoted}`;
    if (!UNITS.test(unit)) return `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(unit.length);
  }
  return undefined;
}
