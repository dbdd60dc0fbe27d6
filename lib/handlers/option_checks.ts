/** Checks the options of handlers one by one, at run time, as the compiler does: their types and sizes. */

import { readBackoff } from "../execution/backoff.ts";
import { ABSENT, PRESENT } from "./filters.ts";
import type { RateLimit } from "./reconcile/reconcile_record.ts";

/** One check per option; `field`, `value`, `old`, `new` and `param` may be anything, or are checked together. */
export const CHECKS: Readonly<Record<string, (name: string, value: unknown) => void>> = {
  id: checkString,
  labels: checkMeta,
  annotations: checkMeta,
  when: checkPredicate,
  errors: checkErrors,
  timeout: checkNumber,
  attemptTimeout: checkNumber,
  retries: checkCount,
  backoff: checkBackoff,
  initialDelay: (name, value) => typeof value === "function" || checkNumber(name, value),
  interval: checkPeriod,
  idle: checkNumber,
  cancellationBackoff: checkNumber,
  cancellationTimeout: checkNumber,
  cancellationPolling: checkNumber,
  optional: checkBoolean,
  onFailure: checkOnFailure,
  deleted: checkBoolean,
  sharp: checkBoolean,
  keepSchedule: checkBoolean,
  persistent: checkBoolean,
  sideEffects: checkBoolean,
  ignoreFailures: checkBoolean,
  subresource: checkString,
  predicate: checkPredicate,
  controller: checkBoolean,
  finalize: checkFunction,
  resync: checkPeriod,
  debounce: checkNumber,
  concurrency: checkConcurrency,
  rateLimit: checkRateLimit,
};

function checkMeta(name: string, filter: unknown): void {
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) {
    throw new TypeError(`Cannot filter by "${name}": it must be an object of names and values`);
  }
  for (const [key, value] of Object.entries(filter)) {
    if (value === null || value === undefined) {
      throw new TypeError(`Cannot filter by "${name}" where "${key}" is ${value}: take PRESENT or ABSENT`);
    }
    rejectAsync(name, value);
    if (["string", "function"].includes(typeof value) || value === PRESENT || value === ABSENT) continue;
    throw new TypeError(
      `Cannot filter by "${name}" where "${key}" is of type "${typeof value}": take a string, PRESENT, ABSENT or a function`,
    );
  }
}

function checkPredicate(name: string, value: unknown): void {
  rejectAsync(name, value);
  checkFunction(name, value);
}

function checkFunction(name: string, value: unknown): void {
  if (typeof value === "function") return;
  throw new TypeError(`Cannot take ${show(value)} for "${name}": it must be a function`);
}

/** @throws {TypeError} If it is an async function. */
export function rejectAsync(name: string, value: unknown): void {
  if (Object.prototype.toString.call(value) !== "[object AsyncFunction]") return;
  throw new TypeError(
    `Cannot filter by an async function in "${name}": its promise would always count as true (look things up in an index ` +
      "or in op.cache, or ask in the handler)",
  );
}

function checkOnFailure(_name: string, value: unknown): void {
  if (value === "release" || value === "keep") return;
  throw new TypeError(`Cannot take ${show(value)} for "onFailure": take "release" or "keep"`);
}

function checkErrors(_name: string, value: unknown): void {
  if (value === "temporary" || value === "permanent" || value === "ignored") return;
  throw new TypeError(`Cannot treat errors as ${show(value)}: take "temporary", "permanent" or "ignored"`);
}

function checkNumber(name: string, value: unknown): void {
  if (typeof value === "number" && value >= 0) return;
  throw refusal(name, value, "a number of at least 0");
}

function checkCount(name: string, value: unknown): void {
  checkNumber(name, value);
  if (Number.isInteger(value) || value === Infinity) return;
  throw refusal(name, value, "a whole number");
}

function checkBackoff(name: string, value: unknown): void {
  if (typeof value === "object" && value !== null) return void readBackoff(value);
  checkNumber(name, value);
  if (value === Infinity) {
    throw new RangeError(
      `Cannot take ${value} for "${name}": a handler that is not to be called again throws a PermanentError`,
    );
  }
}

/** @throws {TypeError | RangeError} If it is no time above 0. */
export function checkPeriod(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0) return;
  throw refusal(name, value, "a number of seconds above 0");
}

/** @throws {TypeError | RangeError} If it is none. */
export function checkConcurrency(name: string, value: unknown): void {
  if (Number.isInteger(value) && Number(value) >= 1) return;
  throw refusal(name, value, "a whole number of at least 1");
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

/** A number has the wrong size; anything else is of the wrong type. */
function refusal(name: string, value: unknown, wanted: string): Error {
  const message = `Cannot take ${show(value)} for "${name}": it must be ${wanted}`;
  return typeof value === "number" ? new RangeError(message) : new TypeError(message);
}

function checkBoolean(name: string, value: unknown): void {
  if (typeof value === "boolean") return;
  throw new TypeError(`Cannot take ${show(value)} for "${name}": it must be true or false`);
}

function checkString(name: string, value: unknown): void {
  // An empty id has an error of its own.
  if (typeof value === "string" && (value !== "" || name === "id")) return;
  throw new TypeError(`Cannot take ${show(value)} for "${name}": it must be a string that is not empty`);
}

/** Returns the words of a message for a value. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
