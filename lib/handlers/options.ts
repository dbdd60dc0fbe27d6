/**
 * The options with which handlers are declared, by the sort of handler.
 *
 * Options that several of them share stand where they are used: limits in handlers.ts, filters in filters.ts.
 */

import type { JsonObject } from "../model/object.ts";
import type { FieldValue } from "../registry/field_paths.ts";
import type { Seconds } from "../runtime/host.ts";
import type {
  AdmissionFilterArguments,
  ChangeFilterArguments,
  DaemonHandlerArguments,
  EventFilterArguments,
  ObjectArguments,
  PlainMemo,
} from "./arguments.ts";
import type { ChangeFilterOptions, FilterOptions } from "./filters.ts";
import type { AdmissionOperation, HandlerOptions, RetryOptions } from "./handlers.ts";

/** The causes of change handlers; "field" is any cause in which the field changes. */
export type ChangeHandlerCause = "create" | "update" | "delete" | "resume" | "field";

/** Options that only handlers of one cause have. */
export interface OptionsOfCause<Spec, Status, Field, Memo extends object = PlainMemo> {
  /** None. */
  create: unknown;
  /** Filters by the field's values before and now. */
  update: ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;
  /** As of updates. */
  field: ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;
  /**
   * `optional`: do not hold objects back with a finalizer on account of this handler. Default: false. `onFailure`: whether the
   * object goes when the handler has failed for good ("release", the default), or stays until a user changes it, and the
   * handler is called again ("keep").
   */
  delete: { readonly optional?: boolean; readonly onFailure?: "release" | "keep" };
  /** `deleted`: also for objects that are being deleted. Default: false. */
  resume: { readonly deleted?: boolean };
}

/** Options of `on.create`, `on.update`, `on.delete`, `on.resume` and `on.field`. */
export type ChangeOptions<
  Cause extends ChangeHandlerCause,
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ChangeFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & OptionsOfCause<Spec, Status, Field, Memo>[Cause];

/** Options of `on.event`. */
export type EventOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & FilterOptions<EventFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>;

/** Options that daemons and timers share. Filters are asked whenever the object changes. */
export type BackgroundOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ObjectArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & {
    /** Wait before the first run: a time, or a function that is asked once for each object. Default: 0. */
    readonly initialDelay?: Seconds | ((args: DaemonHandlerArguments<Spec, Status, Param, Memo>) => Seconds);
  };

/** Options of `op.daemon`. */
export type DaemonOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & BackgroundOptions<Spec, Status, Field, Param, Memo>
  & {
    /** How long it may take to stop by itself, after `stopped`, before its `signal` is aborted. Default: no time of its own. */
    readonly cancellationBackoff?: Seconds;
    /** How long it is waited for after that, before it is left behind. Default: for ever, and `signal` is not aborted. */
    readonly cancellationTimeout?: Seconds;
    /** How often the log tells of one that is waited for. Default: `background.cancellationPolling` (60). */
    readonly cancellationPolling?: Seconds;
  };

/** Options of `op.timer`. With neither `interval` nor `idle` it runs once. */
export type TimerOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & BackgroundOptions<Spec, Status, Field, Param, Memo>
  & {
    /** Pause between the end of a run (and of its writes) and the next one; above 0. */
    readonly interval?: Seconds;
    /** Count the interval from beginning to beginning instead; a run that would overlap is left out. Default: false. */
    readonly sharp?: boolean;
    /** Run only when the object has not changed for that long (other than in its status). */
    readonly idle?: Seconds;
    /** Go on after a failure for good, as Kopf does; else it stops until the object changes. Default: false. */
    readonly keepSchedule?: boolean;
  };

/** Options of `op.index`. Errors are ignored by default: the object's former values are kept. */
export type IndexOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ObjectArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>;

/** Options of `on.validate` and `on.mutate`. */
export type AdmissionOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & FilterOptions<AdmissionFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & {
    /** Which operations are asked about. Default: all. Must not be empty. */
    readonly operations?: readonly AdmissionOperation[];
    /** The same for one operation; added to `operations`. */
    readonly operation?: AdmissionOperation;
    /** Default: the object itself only. A name: that subresource only. "*": the object and all its subresources. */
    readonly subresource?: string;
    /** Keep the webhook's configuration when the operator stops: requests are refused then. Default: false. */
    readonly persistent?: boolean;
    /** Whether it has effects besides its answer, except in dry runs. Default: false. */
    readonly sideEffects?: boolean;
    /** Let requests pass if the webhook cannot be asked. Default: false. */
    readonly ignoreFailures?: boolean;
  };

/** Options of `on.startup`, `on.cleanup`, `on.login` and `on.probe`. */
export type ActivityOptions<Param = undefined> = HandlerOptions<Param> & RetryOptions;
