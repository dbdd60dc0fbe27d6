/**
 * The options that handlers of objects share, and the ids under which their progress and results are kept.
 */

import type { HandlerBackoff } from "../execution/handler_backoff.ts";
import type { ErrorsMode } from "../execution/errors.ts";
import type { Handler } from "../execution/handler.ts";
import type { FieldPath } from "../model/fields.ts";
import type { Selector } from "../model/selector.ts";
import type { Seconds } from "../runtime/host.ts";
import type { Filters } from "./filters.ts";

/** Options of all handlers. */
export interface HandlerOptions<Param = unknown> {
  /** Under which progress and results are kept on objects. Default: the function's name, else the cause's. */
  readonly id?: string;
  /** Handed to the function as it is. */
  readonly param?: Param;
}

/** Limits of handlers that are retried. */
export interface RetryOptions {
  /** The meaning of errors that are neither temporary nor permanent. Default: "temporary". */
  readonly errors?: ErrorsMode;
  /** For all attempts together, counted from the first; a running attempt is aborted. Default: none. */
  readonly timeout?: Seconds;
  /** For each attempt on its own; an attempt that runs longer is aborted, and counts as an error. Default: none. */
  readonly attemptTimeout?: Seconds;
  /** How often the function is called at most; 3 means three calls in all. Default: no limit. */
  readonly retries?: number;
  /**
   * Wait after an error that is neither temporary nor permanent: always as long, or, with `exponential()`, longer each time.
   * Default: `execution.defaultBackoff` (60).
   */
  readonly backoff?: HandlerBackoff;
}

/** A handler of a kind's objects. */
export interface ObjectHandler extends Handler, Filters {
  readonly selector: Selector;
}

/** Returns the function's own name, or undefined if it has none. A bound function has the name of the function that it binds. */
export function nameOf(fn: (args: never) => unknown): string | undefined {
  const name = fn.name.replace(/^(bound )+/, "");
  return name === "" ? undefined : name;
}

export interface IdOptions {
  readonly id: string | undefined;
  readonly fn: (args: never) => unknown;
  /** For functions without a name: the cause. */
  readonly fallback: string;
  readonly field?: FieldPath;
}

/**
 * Returns the id under which a handler's progress and results are kept: its `id` or name, plus the field.
 *
 * @throws {TypeError} If the id is empty; if there is none, and names were minified away; or if its code would never run.
 */
export function idOf({ id, fn, fallback, field }: IdOptions): string {
  if (id === "") throw new TypeError("Cannot register a handler with an empty id: leave it out, or name it");
  checkCallable(fn);
  if (id === undefined && !keepsNames()) {
    throw new TypeError(
      `Cannot register a handler of "${fallback}" without an id: function names were minified away ` +
        `(give every handler an id, or build with names kept)`,
    );
  }
  const base = id ?? nameOf(fn) ?? fallback;
  return field === undefined || field.length === 0 ? base : `${base}/${field.join(".")}`;
}

/** @throws {TypeError} If calling it would not run its code. */
export function checkCallable(fn: (args: never) => unknown): void {
  if (/GeneratorFunction\]$/.test(Object.prototype.toString.call(fn))) {
    throw new TypeError(
      "Cannot register a generator function: its code would never run (make it an ordinary or an async one)",
    );
  }
  if (/^class\b/.test(Function.prototype.toString.call(fn))) {
    throw new TypeError(
      `Cannot register class "${fn.name}": it cannot be called (pass a function, such as a method of an instance)`,
    );
  }
}

function keepsNames(): boolean {
  return keepsNames.name === ["keeps", "Names"].join("");
}
