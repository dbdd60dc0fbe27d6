/**
 * Declared handlers of objects, with everything that decides when they are called.
 */

import type { HandlerBackoff } from "../execution/backoff.ts";
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

/** Called for every raw event. */
export interface EventHandler extends ObjectHandler {
  readonly type: "event";
}

/** Called for causes: creation, update, deletion, resumption, or any of them where a field changes. */
export interface ChangeHandler extends ObjectHandler {
  readonly type: "change";
  /** Undefined: any. */
  readonly reason: "create" | "update" | "delete" | undefined;
  /** Resume handlers: only for objects that were there before the operator. */
  readonly initial: boolean;
  /** Resume handlers and their sub-handlers: whether they take part in other causes, and go on when the cause changes. */
  readonly isMixedIn: boolean;
  /** Resume handlers: also for objects that are being deleted. */
  readonly deleted: boolean;
  /** Whether objects must not go before this handler has run. */
  readonly requiresFinalizer: boolean;
  /** Deletion handlers: whether the object goes when the handler has failed for good. Default: "release". */
  readonly onFailure?: "release" | "keep";
}

/** When a daemon or a timer begins: after a time, or after the time that the function returns. */
export type InitialDelay = Seconds | ((args: never) => Seconds);

/** Runs as long as its object is there. */
export interface DaemonHandler extends ObjectHandler {
  readonly type: "daemon";
  readonly initialDelay?: InitialDelay;
  /** Time between the stop flag and the abortion of `signal`. */
  readonly cancellationBackoff?: Seconds;
  /** Time between that and being left behind. */
  readonly cancellationTimeout?: Seconds;
  /** How often one that takes its time is spoken of. */
  readonly cancellationPolling?: Seconds;
}

/** Runs every now and then as long as its object is there. */
export interface TimerHandler extends ObjectHandler {
  readonly type: "timer";
  readonly initialDelay?: InitialDelay;
  /** Pause after a run that needs no other try. */
  readonly interval?: Seconds;
  /** Whether the interval counts from beginning to beginning. */
  readonly sharp?: boolean;
  /** For how long the object must not have changed. */
  readonly idle?: Seconds;
  /** Whether it goes on after a failure for good. */
  readonly keepSchedule?: boolean;
}

/** A daemon or a timer. */
export type BackgroundHandler = DaemonHandler | TimerHandler;

/** An activity: work of an operator apart from objects. */
export type ActivityName = "startup" | "cleanup" | "login" | "probe" | "ready";

/** Called for an activity: at start and end, for logins and for probes. */
export interface ActivityHandler extends Handler {
  readonly type: "activity";
  readonly activity: ActivityName;
}

/** An operation on an object, in the words of admission. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Asked before an object is written. */
export interface AdmissionHandler extends ObjectHandler {
  readonly type: "admission";
  readonly cause: "validate" | "mutate";
  /** Undefined: all. Never empty. */
  readonly operations: readonly AdmissionOperation[] | undefined;
  /** Undefined: the object itself. "*": it and all subresources. */
  readonly subresource: string | undefined;
  readonly persistent: boolean;
  readonly sideEffects: boolean;
  readonly ignoreFailures: boolean;
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
