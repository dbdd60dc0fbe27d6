/**
 * Which failed requests are worth another attempt, and after how long.
 *
 * Source: scenarios B214–B239. Retried are connection errors, timeouts, 5xx and 429. A 403 is not, and certificates that do not
 * fit are not: waiting hardly mends them, and the user wants to know. Watchers and handlers try again by pauses of their own.
 */

import type { Seconds } from "../../runtime/host.ts";
import { ApiError, LoginError } from "../errors.ts";
import { PermitEndedError } from "./permit.ts";

/** Codes of Node's TLS errors that say: this is not the server that you trust. */
const UNTRUSTED =
  /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Tells whether the same request may succeed when it is sent again. */
export function isRetriable(error: unknown): boolean {
  if (error instanceof ApiError) {
    // An eviction that a disruption budget forbids is for the caller to try again: it may take hours.
    if (isForbiddenByBudget(error) || isMistyped(error)) return false;
    return error.status === 429 || error.status >= 500;
  }
  return isConnectionError(error) && !isUntrusted(error);
}

/** Tells whether a disruption budget forbids an eviction for now. */
export function isForbiddenByBudget({ status, details }: ApiError): boolean {
  return status === 429 && (details?.causes?.some(({ reason }) => reason === "DisruptionBudget") ?? false);
}

/**
 * Tells whether an applied object does not fit the schema of its kind, such as by a misspelt field: the server calls that its own fault.
 * Source: k8s.io/apimachinery, pkg/util/managedfields/internal/structuredmerge.go.
 */
function isMistyped({ status, body }: ApiError): boolean {
  return status === 500 && (body?.message?.startsWith("failed to create typed patch object") ?? false);
}

/** How often an apply is sent that the server calls its own fault. */
const MOST_FAULTY_APPLIES = 2;

/** Faults of others than the manifest: they pass. */
const PASSING =
  /webhook|time[d -]?out|deadline|etcdserver|connection (refused|reset)|unavailable|overloaded|cancell?ed|\bEOF\b/i;

/**
 * Tells whether an apply has been answered often enough with 500: so the server answers a request that can never pass, such as one with
 * a time that it cannot read (seen on 1.36).
 */
export function isHopelessApply(error: unknown, contentType: string | undefined, attempts: number): boolean {
  if (!(error instanceof ApiError) || error.status !== 500 || error.body?.message === undefined) return false;
  return contentType?.startsWith("application/apply-patch") === true && attempts >= MOST_FAULTY_APPLIES &&
    !PASSING.test(error.body.message);
}

/** Tells whether no (whole) answer came: refused, reset, timed out, badly encrypted. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ApiError || error instanceof LoginError) return false;
  if (error instanceof PermitEndedError) return false;
  return !(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError);
}

/** The pauses of one request, from the beginning. */
export function startBackoffs(backoffs: Seconds | Iterable<Seconds>): Iterator<Seconds> {
  return (typeof backoffs === "number" ? [backoffs] : backoffs)[Symbol.iterator]();
}

/** For so long a server is obeyed that asks us to stay away: a page about maintenance may name a day. */
const LONGEST_STAY: Seconds = 300;

/** Returns how long to stay away from a server that asks for it; undefined if it does not. */
export function stayAfter({ retryAfter }: ApiError): Seconds | undefined {
  return retryAfter === undefined ? undefined : Math.min(retryAfter, LONGEST_STAY);
}

/**
 * Returns how long to wait before the next attempt; undefined if there is to be none.
 *
 * A server that says how long to stay away is obeyed: the longer of both counts; with `enforce`, its own.
 */
export function nextDelay(
  backoffs: Iterator<Seconds>,
  error: unknown,
  enforce: boolean,
): Seconds | undefined {
  const { value, done } = backoffs.next();
  if (done) return undefined;
  const asked = error instanceof ApiError && (error.status === 429 || error.status >= 500)
    ? stayAfter(error)
    : undefined;
  if (asked === undefined) return value;
  return enforce ? asked : Math.max(value, asked);
}

/** Tells whether the server's certificate is not one that we trust. */
export function isUntrusted(error: unknown): boolean {
  // The hosts' errors carry Node's codes, sometimes one level down.
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 3; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === "string" && UNTRUSTED.test(code)) return true;
  }
  return false;
}
