/**
 * How daemons and timers are declared: `op.daemon(resource, options?, fn)` and `op.timer(resource, options?, fn)`.
 *
 * Source: Kopf, docs/daemons, docs/timers; B §1.1.
 */

import type { JsonObject } from "../model/object.ts";
import type { Seconds } from "../runtime/host.ts";
import type { DaemonHandlerArguments, ObjectArguments, PlainMemo } from "./arguments.ts";
import { backgroundHandler, takeOptions } from "./declare.ts";
import type { BackgroundHandler } from "./handlers.ts";
import type { FieldPathOf } from "./on.ts";
import type { FilterOptions, HandlerOptions, RetryOptions } from "./options.ts";
import type { FieldValue } from "./field_paths.ts";
import type { Registry } from "./registry.ts";
import type { ResourceLike } from "./resource.ts";

/** When it begins: after a time, or after what a function says, which is asked once for each object. */
export type InitialDelay<Spec, Status, Param, Memo extends object = PlainMemo> =
  | Seconds
  | ((args: DaemonHandlerArguments<Spec, Status, Param, Memo>) => Seconds);

/** Options that daemons and timers share. Filters are asked whenever the object changes. */
export type BackgroundOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ObjectArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & {
    /** Wait before the first run. Default: 0. */
    readonly initialDelay?: InitialDelay<Spec, Status, Param, Memo>;
  };

/** Options of `op.daemon`. */
export type DaemonOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
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
export type TimerOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & BackgroundOptions<Spec, Status, Field, Param, Memo>
  & {
    /** Pause between the end of a run (and of its writes) and the next one. */
    readonly interval?: Seconds;
    /** Count the interval from beginning to beginning instead; what would overlap is left out. Default: false. */
    readonly sharp?: boolean;
    /** Run only when the object has not changed for that long (other than in its status). */
    readonly idle?: Seconds;
    /** Go on after a failure for good, as Kopf does; else it stops until the object changes. Default: false. */
    readonly keepSchedule?: boolean;
  };

/** A daemon. What it returns goes into the status. */
export type DaemonFn<Spec, Status, Param, Memo extends object = PlainMemo> = (
  args: DaemonHandlerArguments<Spec, Status, Param, Memo>,
) => unknown;

/** A timer. What it returns goes into the status, after each run. */
export type TimerFn<Spec, Status, Param, Memo extends object = PlainMemo> = DaemonFn<
  Spec,
  Status,
  Param,
  Memo
>;

/**
 * Declares a daemon: one run for each object, for as long as the object is there and matches.
 *
 * Throws a TypeError where options contradict each other, and where another function has the same id already.
 */
export interface Daemon<Memo extends object = PlainMemo> {
  /** Calls the function for each object. */
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: DaemonFn<Spec, Status, undefined, Memo>,
  ): void;
  /** The same with options. */
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: DaemonOptions<Spec, Status, Field, Param, Memo>,
    fn: DaemonFn<Spec, Status, Param, Memo>,
  ): void;
}

/**
 * Declares a timer: one run for each object every now and then, for as long as the object is there and matches.
 *
 * Throws a TypeError where options contradict each other, and where another function has the same id already.
 */
export interface Timer<Memo extends object = PlainMemo> {
  /** Calls the function once for each object. */
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: TimerFn<Spec, Status, undefined, Memo>,
  ): void;
  /** Calls the function as the options say. */
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: TimerOptions<Spec, Status, Field, Param, Memo>,
    fn: TimerFn<Spec, Status, Param, Memo>,
  ): void;
}

/** Gives the function that puts daemons into the registry. */
export function declareDaemon<Memo extends object>(registry: Registry): Daemon<Memo> {
  return (...args: readonly unknown[]) => add(registry, "daemon", args);
}

/** Gives the function that puts timers into the registry. */
export function declareTimer<Memo extends object>(registry: Registry): Timer<Memo> {
  return (...args: readonly unknown[]) => add(registry, "timer", args);
}

function add(
  registry: Registry,
  cause: BackgroundHandler["type"],
  args: readonly unknown[],
): void {
  const [resource, ...rest] = args;
  const { options, fn } = takeOptions(rest);
  // The types of `op.daemon` and `op.timer` have made sure that it names a kind; parsing it does at run time.
  const like = resource as ResourceLike<never, never>;
  registry.addBackground(backgroundHandler({ cause, resource: like, options, fn }));
}
