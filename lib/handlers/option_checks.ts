/** Checks the options of handlers one by one, at run time, as the compiler does: their types and sizes. */

import { nearest } from "../settings/rules.ts";
import { readBackoff } from "../execution/handler_backoff.ts";
import { ABSENT, PRESENT } from "./filters.ts";

/** Options as they come, before they are checked. */
export type RawOptions = Readonly<Record<string, unknown>>;

/** Checks the value of an option. @throws {TypeError | RangeError} If it is of the wrong type or size. */
export type OptionCheck = (name: string, value: unknown) => void;

/** The options that a declaration knows, by name. */
export type OptionChecks = Readonly<Record<string, OptionCheck>>;

/** The check of an option that may be anything, null included, or that is checked together with others. */
export function acceptAny(): void {}

/** The options of all handlers of objects. */
export const COMMON = {
  id: checkString,
  param: acceptAny,
  labels: checkMeta,
  annotations: checkMeta,
  field: acceptAny,
  value: acceptAny,
  when: checkPredicate,
} satisfies OptionChecks;

/** The options of handlers that are retried. */
export const RETRY = {
  errors: checkErrors,
  timeout: checkNumber,
  attemptTimeout: checkNumber,
  retries: checkCount,
  backoff: checkBackoff,
} satisfies OptionChecks;

/**
 * Checks options by their names and values, and returns those that are given: undefined counts as left out, and so does null
 * where an option may not be anything.
 *
 * @throws {TypeError | RangeError} If an option is unknown, or its value is of the wrong type or size.
 */
export function checkOptions(cause: string, given: RawOptions, known: OptionChecks): RawOptions {
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (check === undefined) {
      throw new TypeError(
        `Cannot register a handler of "${cause}" with option "${name}": known are ${
          Object.keys(known).join(", ")
        }${hint(name, Object.keys(known))}`,
      );
    }
    if (value === null && check !== acceptAny) continue;
    check(name, value);
    options[name] = value;
  }
  return options;
}

function hint(name: string, known: readonly string[]): string {
  const best = nearest(name, known) ?? known.find((each) => each.startsWith(name.slice(0, 4)));
  return best === undefined ? "" : ` (did you mean "${best}"?)`;
}

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

/** @throws {TypeError} If it is no function, or an async one: its promise would always count as true. */
export function checkPredicate(name: string, value: unknown): void {
  rejectAsync(name, value);
  checkFunction(name, value);
}

/** @throws {TypeError} If it is no function. */
export function checkFunction(name: string, value: unknown): void {
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

function checkErrors(_name: string, value: unknown): void {
  if (value === "temporary" || value === "permanent" || value === "ignored") return;
  throw new TypeError(`Cannot treat errors as ${show(value)}: take "temporary", "permanent" or "ignored"`);
}

/** @throws {TypeError | RangeError} If it is no number of at least 0. */
export function checkNumber(name: string, value: unknown): void {
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

/** Returns the error for a value: a number has the wrong size; anything else is of the wrong type. */
export function refusal(name: string, value: unknown, wanted: string): Error {
  const message = `Cannot take ${show(value)} for "${name}": it must be ${wanted}`;
  return typeof value === "number" ? new RangeError(message) : new TypeError(message);
}

/** @throws {TypeError} If it is neither true nor false. */
export function checkBoolean(name: string, value: unknown): void {
  if (typeof value === "boolean") return;
  throw new TypeError(`Cannot take ${show(value)} for "${name}": it must be true or false`);
}

/** @throws {TypeError} If it is no string, or an empty one. */
export function checkString(name: string, value: unknown): void {
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
