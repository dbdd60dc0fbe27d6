/**
 * How daemons and timers are declared: `op.daemon` and `op.timer`, and their arguments.
 *
 * Source: Kopf, docs/daemons, docs/timers.
 */

import type { Stopped } from "../../async/stop_flag.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Children } from "../../registry/children.ts";
import type { Conditions } from "../../registry/object_conditions.ts";
import type { FieldValue } from "../../registry/field_paths.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { type Declaration, declaring, objectHandler } from "../declare.ts";
import type { FilterOptions } from "../filters.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler, RetryOptions } from "../handlers.ts";
import {
  checkBoolean,
  checkNumber,
  checkPeriod,
  COMMON,
  type OptionChecks,
  RETRY,
} from "../option_checks.ts";
import type { Registry } from "../registry.ts";

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

/** Why a daemon or a timer is to stop, and how far that has gone. Reasons add up. */
export type StopReason =
  | "FILTERS_MISMATCH"
  | "RESOURCE_DELETED"
  | "OPERATOR_PAUSING"
  | "OPERATOR_EXITING"
  /** It was asked, and has some time left. */
  | "DAEMON_SIGNALLED"
  /** Its `signal` was aborted. */
  | "DAEMON_CANCELLED"
  /** It did not stop in time: the operator does not wait for it any more. */
  | "DAEMON_ABANDONED"
  /** It has ended. */
  | "DONE";

/** Arguments of daemons and timers. The views of the object show its newest state, destructured or not. */
export interface DaemonHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** Aborts when it is to stop: an `AbortSignal` with `reasons`, and with `wait(seconds)`. */
  readonly stopped: Stopped<StopReason>;
  /** The conditions in the object's status. */
  readonly conditions: Conditions;
  /** Brings the children of the object about, all at once. */
  readonly children: Children;
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

/** Daemons and timers: they share one set of ids. */
export const BACKGROUND: HandlerType<BackgroundHandler> = {
  name: "background",
  about: "objects",
  causeOf: ({ type }) => type,
  keepsNotes: () => true,
};

const SHARED: OptionChecks = {
  ...COMMON,
  ...RETRY,
  initialDelay: (name, value) => typeof value === "function" || checkNumber(name, value),
};
const KNOWN: Readonly<Record<BackgroundHandler["type"], OptionChecks>> = {
  daemon: {
    ...SHARED,
    cancellationBackoff: checkNumber,
    cancellationTimeout: checkNumber,
    cancellationPolling: checkNumber,
  },
  timer: {
    ...SHARED,
    interval: checkPeriod,
    sharp: checkBoolean,
    idle: checkNumber,
    keepSchedule: checkBoolean,
  },
};

/** Returns `op.daemon` and `op.timer`. */
export function declareBackgrounds(
  registry: Registry,
): Record<BackgroundHandler["type"], (...args: readonly unknown[]) => void> {
  const add = (type: BackgroundHandler["type"]) => (declaration: Declaration): void =>
    registry.add(BACKGROUND, backgroundHandler(declaration, type));
  return { daemon: declaring(add("daemon")), timer: declaring(add("timer")) };
}

/** Makes a daemon or a timer. @throws {TypeError | RangeError} If an option is wrong. */
export function backgroundHandler(
  declaration: Declaration,
  type: BackgroundHandler["type"],
): BackgroundHandler {
  return { ...objectHandler(declaration, { cause: type, known: KNOWN[type] }), type };
}
