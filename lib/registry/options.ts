/**
 * Options that handlers of several causes share.
 */

import type { ErrorsMode } from "../execution/errors.ts";
import type { Seconds } from "../runtime/host.ts";
import type { MetaFilter, ValueFilter } from "./filters.ts";

/** Options of all handlers. */
export interface HandlerOptions<Param = unknown> {
  /** Under which progress and results are kept on objects. Default: the function's name, else the cause's. */
  readonly id?: string;
  /** Handed to the function as it is. */
  readonly param?: Param;
}

/** Limits of handlers that are retried. */
export interface RetryOptions {
  /** What errors mean that are neither temporary nor permanent. Default: "temporary". */
  readonly errors?: ErrorsMode;
  /** For all attempts together, counted from the first; a running attempt is aborted. Default: none. */
  readonly timeout?: Seconds;
  /** How often the function is called at most; 3 means three calls in all. Default: no limit. */
  readonly retries?: number;
  /** Wait after an error that is neither temporary nor permanent. Default: `execution.defaultBackoff` (60). */
  readonly backoff?: Seconds;
}

/** Filters by what an object is. All must match. */
export interface FilterOptions<Args, Field, Value> {
  /** Per label: its value, PRESENT, ABSENT or a predicate. */
  readonly labels?: Readonly<Record<string, MetaFilter<Args>>>;
  /** Per annotation: its value, PRESENT, ABSENT or a predicate. */
  readonly annotations?: Readonly<Record<string, MetaFilter<Args>>>;
  /** A dotted path, or a list of keys where keys have dots in them. */
  readonly field?: Field;
  /** The field's value; of change handlers: on either side. */
  readonly value?: ValueFilter<Value, Args>;
  /** Asked last. */
  readonly when?: (args: Args) => boolean;
}

/** Filters by what has changed. */
export interface ChangeFilterOptions<Args, Value> {
  /** The field's value before. Not together with `value`. */
  readonly old?: ValueFilter<Value, Args>;
  /** The field's value now. Not together with `value`. */
  readonly new?: ValueFilter<Value, Args>;
}
