/**
 * The types of the arguments of handlers and filters: one object, to be destructured.
 *
 * The names are Kopf's keyword arguments. Source: Kopf, docs/kwargs.
 */

import type { Stopped } from "../async/stop_flag.ts";
import type { Diff } from "../model/diff.ts";
import type { JsonObject, KubeObject, ObjectMeta, WatchEvent } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import type { Children } from "../registry/children.ts";
import type { Conditions } from "../registry/conditions.ts";
import type { DeepReadonly, FieldPathOf, FieldValue } from "../registry/field_paths.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import type { Reason, UserInfo } from "./causes.ts";
import type { ChangeFilterOptions, FilterOptions } from "./filters.ts";
import type { ActivityName, AdmissionOperation, HandlerOptions, RetryOptions } from "./handlers.ts";
import type { Index } from "./index/index_handle.ts";

/** The type of a memo unless the operator says otherwise: a record of anything. */
export type PlainMemo = Record<string, unknown>;

/** Arguments of all functions about an object, filters included. Objects are for reading: changes go through `patch`. */
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
  /** The changes to be made on the object when the reconcile ends: a merge patch with typed sections. */
  readonly patch: Patch<Spec, Status>;
  /** Bound to the object: its lines say which one they are about. */
  readonly logger: Logger;
  /** For whatever handlers want to keep in memory about this object; its type is the operator's. Gone with the process. */
  readonly memo: Memo;
  /** The operator's indexes by name: each is a read-only map from keys to lists of values. */
  readonly indices: Readonly<Record<string, Index>>;
}

/** Arguments that handlers get on top of that. */
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
  /** The operator's clock, to wait by (`clock.sleep(5, signal)`) and to take the time from; tests wind it by hand. */
  readonly clock: Clock;
}

/** The part of an object that change detection looks at. Source: Kopf, docs/continuity. */
export type Essence<Spec> = {
  readonly spec?: DeepReadonly<Spec>;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [stanza: string]: unknown;
};

/** Arguments of filters of change handlers: all arguments about the object, and none about attempts. */
export interface ChangeFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** The cause: the sort of change that has happened to the object. */
  readonly reason: Reason;
  /** The essence that was handled last; undefined if there is none. */
  readonly old: Essence<Spec> | undefined;
  /** The essence as it is now. */
  readonly new: Essence<Spec>;
  /** From old to new. */
  readonly diff: Diff;
}

/** Arguments of change handlers. For handlers with a field, `old` and `new` are the field's values. */
export interface ChangeHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Old = Essence<Spec> | undefined,
  New = Essence<Spec>,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** Why the handler is called. */
  readonly reason: Exclude<Reason, "noop" | "free">;
  /** Before: undefined on creation, and on an update the essence (or the field) that was handled last. */
  readonly old: Old;
  /** Now. */
  readonly new: New;
  /** From old to new; for handlers with a field, relative to it. */
  readonly diff: Diff;
  /** Declares parts of the handler's work that are retried on their own. */
  readonly sub: Sub<Spec, Status, Memo>;
  /** The conditions in the object's status. */
  readonly conditions: Conditions;
  /** Brings the children of the object about, all at once. */
  readonly children: Children;
}

/** Arguments of filters of raw event handlers. */
export interface EventFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** Null for objects of a listing. */
  readonly type: WatchEvent["type"];
  /** The event as it came. */
  readonly event: DeepReadonly<WatchEvent<KubeObject<Spec, Status>>>;
}

/** Arguments of raw event handlers. */
export interface EventHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends EventFilterArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** The conditions in the object's status. */
  readonly conditions: Conditions;
}

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

/** Arguments of an index function and its filters. Its changes to `patch` are thrown away. */
export interface IndexArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {}

/** Arguments of filters of admission handlers. */
export interface AdmissionFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** The operation that is requested on the object. */
  readonly operation: AdmissionOperation;
  /** Which part of the object is written; undefined: the object itself. */
  readonly subresource: string | undefined;
  /** Whether the server will not store the object: then there must be no side effects. */
  readonly dryrun: boolean;
  /** Texts that are shown to whoever makes the request. Add yours. */
  readonly warnings: string[];
  /** The user that makes the request. */
  readonly userinfo: UserInfo;
  /** The request's headers; empty if they are unknown. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's certificate; empty if it is unknown. */
  readonly sslpeer: Readonly<JsonObject>;
  /** The object as it is; undefined on creation. */
  readonly old: DeepReadonly<KubeObject<Spec, Status>> | undefined;
  /** The object as it is to be; undefined on deletion. */
  readonly new: DeepReadonly<KubeObject<Spec, Status>> | undefined;
  /** From old to new. */
  readonly diff: Diff;
}

/** Arguments of admission handlers. */
export interface AdmissionHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends AdmissionFilterArguments<Spec, Status, Memo>, AttemptArguments<Param> {}

/** Arguments of handlers of activities. */
export interface ActivityArguments<Param = unknown, Memo extends object = PlainMemo>
  extends AttemptArguments<Param> {
  /** Which activity it is. */
  readonly activity: ActivityName;
  /** The operator's settings. They are there to be changed in `on.startup`. */
  readonly settings: Settings;
  /** Named after the activity. */
  readonly logger: Logger;
  /** The operator's own memo: each object's begins with a shallow copy of it. */
  readonly memo: Memo;
  /** The operator's indexes by name. Activities do not wait for them: they may be empty, or incomplete. */
  readonly indices: Readonly<Record<string, Index>>;
}

/** Options of sub-handlers: as of handlers, but the kind and the cause are the parent's. */
export type SubOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ChangeFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;

/** The type of `old` and `new`: of the whole object, or of the handler's field if it has one. */
export type SeenBy<Field, Spec, Status, Whole> = [Field] extends [undefined] ? Whole
  : FieldValue<Spec, Status, Field> | undefined;

/** A sub-handler. */
export type SubFn<Spec, Status, Field, Param, Memo extends object = PlainMemo> = (
  args: ChangeHandlerArguments<
    Spec,
    Status,
    SeenBy<Field, Spec, Status, Essence<Spec> | undefined>,
    SeenBy<Field, Spec, Status, Essence<Spec>>,
    Param,
    Memo
  >,
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
  <const Field extends FieldPathOf<Spec, Status> | undefined = undefined, Param = undefined>(
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
