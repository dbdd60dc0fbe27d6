/**
 * The errors with which handlers say whether they are called again, and the errors that the framework fails handlers with.
 *
 * Source: Kopf, docs/errors. A `TemporaryError` is retried, a `PermanentError` never; the handler's `errors` option says how
 * other errors are treated.
 */

import { pointTo } from "../runtime/call_site.ts";
import type { Seconds } from "../runtime/host.ts";
import { formatJson } from "../runtime/json.ts";

/** How errors that are neither temporary nor permanent are treated. */
export type ErrorsMode = "temporary" | "permanent" | "ignored";

/** When a handler is to be called again. */
export interface TemporaryErrorOptions extends ErrorOptions {
  /** When to try again. In seconds; 0 or null: at once. Default: 60. */
  readonly delay?: Seconds | null;
}

/**
 * Fails this attempt only: the handler is called again after `delay`.
 *
 * @example
 * ```ts
 * import { TemporaryError } from "@lotse/lotse";
 *
 * const error = new TemporaryError("The volume is not bound yet", { delay: 10 });
 * console.log(error.delay); // 10
 * ```
 */
export class TemporaryError extends Error {
  /** The name of the class. */
  override readonly name: string = "TemporaryError";
  /** In seconds; 0 means at once. */
  readonly delay: Seconds;

  /**
   * The message is logged and kept with the handler's progress.
   *
   * @throws {TypeError} If the delay is no number.
   * @throws {RangeError} If it is NaN, as times that could not be read are, infinite, or more than 300 years.
   */
  constructor(message?: string, options: TemporaryErrorOptions = {}) {
    super(message, options);
    this.delay = delayOf(options);
  }
}

function delayOf(options: TemporaryErrorOptions): Seconds {
  try {
    if (typeof options !== "object") {
      throw new TypeError(
        `Cannot take ${describe(options)} for options: give the delay as { delay: ${options} }`,
      );
    }
    return options.delay === undefined ? 60 : Math.max(0, checkedDelay(options.delay ?? 0));
  } catch (error) {
    pointTo(error, TemporaryError as unknown as () => void); // a class is called, too
    throw error;
  }
}

/** Some 300 years: not every record can hold later times. */
const LONGEST_DELAY: Seconds = 1e10;

function checkedDelay(delay: unknown): Seconds {
  if (typeof delay !== "number") {
    throw new TypeError(`Cannot wait for ${describe(delay)}: give a number of seconds`);
  }
  if (Number.isNaN(delay)) {
    throw new RangeError("Cannot wait for NaN seconds: compute the delay from valid times");
  }
  if (Math.abs(delay) > LONGEST_DELAY) {
    throw new RangeError(`Cannot wait for ${delay} seconds: give a time that will come`);
  }
  return delay;
}

/**
 * Fails the handler for good, for this cause: it is not called again until the object changes.
 *
 * @example
 * ```ts
 * import { PermanentError } from "@lotse/lotse";
 *
 * const error = new PermanentError("A database cannot be downgraded");
 * console.log(error.message);
 * ```
 */
export class PermanentError extends Error {
  /** The name of the class. */
  override readonly name: string = "PermanentError";
}

/** Denies an admission request, with an HTTP-like code (default 500). */
export class AdmissionError extends PermanentError {
  /** The name of the class. */
  override readonly name: string = "AdmissionError";
  /** As HTTP has it; 500 unless another one was given. */
  readonly code: number;

  /** The message is shown to whoever made the request. */
  constructor(message?: string, options: ErrorOptions & { readonly code?: number } = {}) {
    super(message, options);
    this.code = options.code ?? 500;
  }
}

/** The handler had no more time: its `timeout`, counted from the first attempt, is over. */
export class HandlerTimeoutError extends PermanentError {
  /** The name of the class. */
  override readonly name: string = "HandlerTimeoutError";
}

/** The handler had no more attempts: its `retries` are used up. */
export class HandlerRetriesError extends PermanentError {
  /** The name of the class. */
  override readonly name: string = "HandlerRetriesError";
}

/**
 * Returns an Error for whatever was thrown: strings and other values become messages, with the value as the cause. An error
 * whose properties throw when they are read is replaced, so that no log or record meets it.
 */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return read(thrown);
    return new Error(`${describe(thrown)} was thrown (throw an Error to get a stack trace)`, {
      cause: thrown,
    });
  } catch {
    return new Error("Something was thrown that cannot be read (throw an Error to get a message)");
  }
}

/** Reads the properties of an error that logs and records will read. @throws Any error of its getters. */
function read(error: Error): Error {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { name, message, stack } = at;
    if (typeof message !== "string" || typeof name !== "string") throw new TypeError("No message");
    if (stack !== undefined && typeof stack !== "string") throw new TypeError("No stack");
  }
  return error;
}

function describe(thrown: unknown): string {
  if (typeof thrown === "string") return JSON.stringify(thrown.slice(0, 1024));
  if (thrown === null || typeof thrown !== "object") return String(thrown);
  try {
    return formatJson(thrown).slice(0, 1024);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
