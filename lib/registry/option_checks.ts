/** Checks the options that keep the calls of a reconcile apart. */

import type { RateLimit } from "../execution/reconcile_record.ts";

/** @throws {TypeError | RangeError} If it is no time above 0. */
export function checkPeriod(name: string, value: unknown): void {
  if (typeof value !== "number") {
    throw new TypeError(
      `Cannot take a ${typeof value} for "${name}": it must be a number of seconds above 0`,
    );
  }
  if (!(value > 0)) {
    throw new RangeError(`Cannot take ${value} for "${name}": it must be a number of seconds above 0`);
  }
}

/** @throws {TypeError | RangeError} If it is none. */
export function checkConcurrency(name: string, value: unknown): void {
  if (typeof value !== "number") {
    throw new TypeError(
      `Cannot take a ${typeof value} for "${name}": it must be a whole number of at least 1`,
    );
  }
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`Cannot take ${value} for "${name}": it must be a whole number of at least 1`);
  }
}

/** @throws {TypeError | RangeError} If it is none. */
export function checkRateLimit(name: string, value: unknown): void {
  const { calls, within, ...others } = typeof value === "object" && value !== null
    ? value as Partial<RateLimit>
    : {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined || typeof calls !== "number" || typeof within !== "number") {
    throw new TypeError(
      `Cannot take this for "${name}": give { calls, within }, such as two calls within 10 s`,
    );
  }
  if (!Number.isInteger(calls) || calls < 1 || calls > 1000 || !(within >= 0) || within === Infinity) {
    throw new RangeError(
      `Cannot limit to ${calls} calls within ${within} s: give 1 to 1000 calls, and a number of seconds`,
    );
  }
}
