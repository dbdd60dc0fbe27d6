/**
 * The types of what handlers and filters are called with: one object, to be destructured.
 *
 * The names are Kopf's keyword arguments. Source: Kopf, docs/kwargs; A §3.
 */

import type { Stopped } from "../async/stop_flag.ts";
import type { Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Diff } from "../model/diff.ts";
import type { JsonObject, KubeObject, ObjectMeta, WatchEvent } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import type { Reason } from "./causes.ts";
import type { Index } from "./index_handle.ts";
import type { ChangeFilterOptions, FilterOptions, RetryOptions } from "./options.ts";
import type { DeepReadonly, FieldOf, FieldValue } from "./field_paths.ts";

/** What a memo is unless the operator says otherwise: a record of anything. */
export type PlainMemo = Record<string, unknown>;

/** What all functions about an object get, filters included. Objects are for reading: changes go through `patch`. */
export interface ObjectArguments<Spec = JsonObject, Status = JsonObject, Memo extends object = PlainMemo> {
  /** The kind as the server serves it. */
  readonly resource: Resource;
  /** The whole object. */
  readonly body: DeepReadonly<KubeObject<Spec, Status>>;
  /** Empty where the object has none. */
  readonly spec: DeepReadonly<Spec>;
  /** Empty where the object has none. */
  readonly status: DeepReadonly<Partial<Status>>;
  /** Its metadata. */
  readonly meta: DeepReadonly<ObjectMeta>;
  /** Empty where the object has none. */
  readonly labels: Readonly<Record<string, string>>;
  /** Empty where the object has none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The object's name. */
  readonly name: string;
  /** Undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  /** The object's uid. */
  readonly uid: string;
  /** What is to be changed on the object when the cycle ends: a merge patch with typed sections. */
  readonly patch: Patch<Spec, Status>;
  /** Bound to the object: its lines say which one they are about. */
  readonly logger: Logger;
  /** For whatever handlers want to keep in memory about this object; its type is the operator's. Gone with the process. */
  readonly memo: Memo;
  /** The operator's indexes by name: each is a read-only map from keys to lists of values. */
  readonly indices: Readonly<Record<string, Index>>;
}

/** What handlers get on top of that. */
export interface AttemptArguments<Param = unknown> {
  /** The handler's `param` option. */
  readonly param: Param;
  /** 0 on the first attempt. */
  readonly retry: number;
  /** When the first attempt began; survives restarts. */
  readonly started: Date;
  /** Time since then. */
  readonly runtime: Seconds;
  /** Aborts at the handler's timeout and when the operator stops; pass it on to whatever waits. */
  readonly signal: AbortSignal;
}

/** The part of an object that change detection looks at. Source: Kopf, docs/continuity; A §4.3. */
export type Essence<Spec> = {
  readonly spec?: DeepReadonly<Spec>;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [stanza: string]: unknown;
};

/** What is known of a change. For handlers with a field, `Value` is the field's; else it is the whole essence. */
export interface ChangeArguments<Value> {
  /** Why the handler is called. */
  readonly reason: Reason;
  /** Before; undefined if there was nothing. */
  readonly old: Value | undefined;
  /** Now; undefined if there is nothing any more. */
  readonly new: Value | undefined;
  /** From old to new; for handlers with a field, relative to it. */
  readonly diff: Diff;
}

/** What change handlers are called with. */
export type ChangeHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Value = Essence<Spec>,
  Param = unknown,
  Memo extends object = PlainMemo,
> =
  & ObjectArguments<Spec, Status, Memo>
  & AttemptArguments<Param>
  & ChangeArguments<Value>
  & {
    /** Declares parts of the handler's work that are retried on their own. */
    readonly sub: Sub<Spec, Status, Memo>;
  };

/** What filters of change handlers are called with: everything about the whole object, nothing about attempts. */
export type ChangeFilterArguments<Spec = JsonObject, Status = JsonObject, Memo extends object = PlainMemo> =
  & ObjectArguments<Spec, Status, Memo>
  & ChangeArguments<Essence<Spec>>;

/** What is known of a raw event. */
export interface EventArguments<Spec = JsonObject, Status = JsonObject> {
  /** Null for objects of a listing. */
  readonly type: WatchEvent["type"];
  /** The event as it came. */
  readonly event: DeepReadonly<WatchEvent<KubeObject<Spec, Status>>>;
}

/** What filters of raw event handlers are called with. */
export type EventFilterArguments<Spec = JsonObject, Status = JsonObject, Memo extends object = PlainMemo> =
  & ObjectArguments<Spec, Status, Memo>
  & EventArguments<Spec, Status>;

/** What raw event handlers are called with. */
export type EventHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> =
  & EventFilterArguments<Spec, Status, Memo>
  & AttemptArguments<Param>;

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
  /** It did not stop in time: nobody waits for it any more. */
  | "DAEMON_ABANDONED"
  /** It has ended. */
  | "DONE";

/** What daemons and timers are called with. The views of the object show its newest state, destructured or not. */
export type DaemonHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> =
  & ObjectArguments<Spec, Status, Memo>
  & AttemptArguments<Param>
  & {
    /** Aborts when it is to stop: an `AbortSignal` with `reasons`, and with `wait(seconds)`. */
    readonly stopped: Stopped<StopReason>;
  };

/** Options of sub-handlers: as of handlers, but the kind and the cause are the parent's. */
export type SubOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & { readonly id?: string; readonly param?: Param }
  & RetryOptions
  & FilterOptions<ChangeFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;

/** A field of a sub-handler, or none. */
export type SubField<Spec, Status> = FieldOf<Spec, Status> | readonly string[] | undefined;

/** What a sub-handler with this field sees as `old` and `new`. */
export type SubValue<Spec, Status, Field> = [Field] extends [undefined] ? Essence<Spec>
  : FieldValue<Spec, Status, Field>;

/** A sub-handler. */
export type SubFn<Spec, Status, Field, Param, Memo extends object = PlainMemo> = (
  args: ChangeHandlerArguments<Spec, Status, SubValue<Spec, Status, Field>, Param, Memo>,
) => unknown;

/**
 * Declares a part of the running handler's work. It runs when the handler returns, or when `run()` is called.
 *
 * The id is the parent's, a slash, and the one given here (or the function's name). The handler is called again until all
 * parts have finished, and must declare the same ones each time; parts that have finished are not repeated. A part that
 * fails for good has finished.
 */
export interface Sub<Spec = JsonObject, Status = JsonObject, Memo extends object = PlainMemo> {
  (id: string, fn: SubFn<Spec, Status, undefined, undefined, Memo>): void;
  <const Field extends SubField<Spec, Status> = undefined, Param = undefined>(
    id: string,
    options: SubOptions<Spec, Status, Field, Param, Memo>,
    fn: SubFn<Spec, Status, Field, Param, Memo>,
  ): void;
  (fn: SubFn<Spec, Status, undefined, undefined, Memo>): void;
  /**
   * Runs the parts declared so far, and resolves when all have finished.
   *
   * While one is unfinished it throws, to end this attempt of the handler: let it pass.
   */
  run(): Promise<void>;
}
