/**
 * Permits to write: whether a request that changes something may still go out, and how long it may take.
 *
 * A replica that is responsible for an object may lose it at any moment. So a permit is asked at the last step before the socket,
 * for each attempt anew: after queues, pauses and retries. Reads need no permit.
 */

import type { Seconds } from "../../runtime/host.ts";

/** Leave to send requests that change something. */
export interface Permit {
  /** Aborts when the permit has ended: ends streams that were opened under it. */
  readonly signal: AbortSignal;
  /**
   * Returns how long a request may take at most from now on. 0 or less: the permit has ended, and nothing may be sent. Infinity:
   * as long as it likes. Neither throws nor waits, nor changes anything.
   */
  timeLeft(): Seconds;
}

/** A request was not sent, since its permit has ended. */
export class PermitEndedError extends Error {
  override readonly name: string = "PermitEndedError";
}

/** The shortest time that a server can be asked to keep to: it counts in whole seconds here. */
const SHORTEST: Seconds = 1;

/** An attempt of a request, as far as a permit limits it. */
export interface Limited {
  readonly path: string;
  /** In seconds; null: no limit. */
  readonly timeout: Seconds | null;
}

/**
 * Returns the limits of an attempt under a permit: neither end may work on the request for longer than the permit lasts.
 *
 * @throws {PermitEndedError} If the permit has ended, or ends before a server could answer.
 * Source: Kubernetes, `apiserver/pkg/endpoints/filters/request_deadline.go`.
 */
export function limitedBy(permit: Permit, { path, timeout }: Limited): Limited {
  const left = permit.timeLeft();
  if (left === Infinity) return { path, timeout };
  if (left < SHORTEST) {
    throw new PermitEndedError("Cannot write: this replica is not responsible for the object any more");
  }
  const parameter = `${path.includes("?") ? "&" : "?"}timeout=${Math.floor(left)}s`;
  return { path: path + parameter, timeout: Math.min(timeout ?? Infinity, left) };
}
