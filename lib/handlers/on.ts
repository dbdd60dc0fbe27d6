/**
 * How handlers are declared: `op.on.<cause>(resource, options?, fn)`, `op.daemon`, `op.timer`, `op.index` and their like.
 *
 * *On this cause, of this resource, with these options, call this function.* Each of them is a plain function, so that it
 * works when taken off its object. All throw a TypeError where options are unknown, of the wrong type or contradict each
 * other, and where another function has the same id already; its stack begins at the author's call. This file is the list of
 * the ways to declare; what each takes and does is in the folder of its manner.
 * Source: Kopf, docs/handlers.
 */

import type { JsonObject } from "../model/object.ts";
import type { FieldPathOf } from "../registry/field_paths.ts";
import type { ResourceLike } from "../registry/resource.ts";
import { declareActivities, type DeclareActivity, type LoginResult } from "./activity/activity_handler.ts";
import {
  type AdmissionHandlerArguments,
  type AdmissionOptions,
  declareAdmission,
} from "./admission/admission_handler.ts";
import type { PlainMemo } from "./arguments.ts";
import {
  type DaemonHandlerArguments,
  type DaemonOptions,
  declareBackgrounds,
  type TimerOptions,
} from "./background/background_handler.ts";
import {
  type ChangeArguments,
  type ChangeOptions,
  declareChanges,
  type DeclareField,
} from "./change/change_handler.ts";
import { type DeclareChild, declareChildren } from "./child/child_handler.ts";
import { declareEvents, type EventHandlerArguments, type EventOptions } from "./event/event_handler.ts";
import { type DeclareIndex, declareIndexes } from "./index/index_handler.ts";
import {
  declareReconciles,
  type ReconcileArguments,
  type ReconcileOptions,
  type ReconcileResult,
} from "./reconcile/reconcile_handler.ts";
import { type DeclareOwns, declareSources, type DeclareWatches } from "./reconcile/source_handler.ts";
import type { Registry } from "./registry.ts";
import { type DeclareTask, declareTasks } from "./task/task_handler.ts";

/** The options, the arguments and the results of handlers, by the way in which they are declared. */
export interface Manners<Spec, Status, Field, Param, Memo extends object> {
  /** `op.on.create`. */
  create: Takes<
    ChangeOptions<"create", Spec, Status, Field, Param, Memo>,
    ChangeArguments<"create", Spec, Status, Field, Param, Memo>
  >;
  /** `op.on.update`. */
  update: Takes<
    ChangeOptions<"update", Spec, Status, Field, Param, Memo>,
    ChangeArguments<"update", Spec, Status, Field, Param, Memo>
  >;
  /** `op.on.delete`. */
  delete: Takes<
    ChangeOptions<"delete", Spec, Status, Field, Param, Memo>,
    ChangeArguments<"delete", Spec, Status, Field, Param, Memo>
  >;
  /** `op.on.resume`. */
  resume: Takes<
    ChangeOptions<"resume", Spec, Status, Field, Param, Memo>,
    ChangeArguments<"resume", Spec, Status, Field, Param, Memo>
  >;
  /** `op.on.event`. */
  event: Takes<
    EventOptions<Spec, Status, Field, Param, Memo>,
    EventHandlerArguments<Spec, Status, Param, Memo>
  >;
  /** `op.on.validate`. */
  validate: Takes<
    AdmissionOptions<Spec, Status, Field, Param, Memo>,
    AdmissionHandlerArguments<Spec, Status, Param, Memo>
  >;
  /** `op.on.mutate`. */
  mutate: Takes<
    AdmissionOptions<Spec, Status, Field, Param, Memo>,
    AdmissionHandlerArguments<Spec, Status, Param, Memo>
  >;
  /** `op.daemon`. */
  daemon: Takes<
    DaemonOptions<Spec, Status, Field, Param, Memo>,
    DaemonHandlerArguments<Spec, Status, Param, Memo>
  >;
  /** `op.timer`. */
  timer: Takes<
    TimerOptions<Spec, Status, Field, Param, Memo>,
    DaemonHandlerArguments<Spec, Status, Param, Memo>
  >;
  /** `op.reconcile`. */
  reconcile: Takes<
    ReconcileOptions<Spec, Status, Field, Param, Memo>,
    ReconcileArguments<Spec, Status, Param, Memo>,
    ReconcileResult | Promise<ReconcileResult>
  >;
}

/** The types of one way to declare handlers. */
export interface Takes<Options, Arguments, Result = unknown> {
  /** The options. */
  options: Options;
  /** The function. */
  fn: (args: Arguments) => Result;
}

/** Declares handlers of a kind. The options may be left out. */
export interface Declare<
  Way extends keyof Manners<JsonObject, JsonObject, undefined, undefined, Memo>,
  Memo extends object = PlainMemo,
> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: Manners<Spec, Status, undefined, undefined, Memo>[Way]["fn"],
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: Manners<Spec, Status, Field, Param, Memo>[Way]["options"],
    fn: Manners<Spec, Status, Field, Param, Memo>[Way]["fn"],
  ): void;
}

/** Declares handlers, by cause. Options may be left out. */
export interface On<Memo extends object = PlainMemo> {
  /** Calls the function once for each new object, until it succeeds or fails for good. */
  readonly create: Declare<"create", Memo>;
  /** Calls the function when an object has changed since it was handled last: its essence, or the field. */
  readonly update: Declare<"update", Memo>;
  /** Calls the function when an object is to be deleted, and holds the object back until it has succeeded. */
  readonly delete: Declare<"delete", Memo>;
  /** Calls the function once per process for each object that was there before it, and had been handled. */
  readonly resume: Declare<"resume", Memo>;
  /** Calls the function when the field changes, appears or disappears, for whatever cause; also on creation. */
  readonly field: DeclareField<Memo>;
  /**
   * Calls the function for each change of an object that is owned by one of this kind, with the owner at hand; its patch
   * changes the owner. It is retried as handlers of changes are, and told of each child once after each start.
   */
  readonly child: DeclareChild<Memo>;
  /** Calls the function for each raw event, in order: no progress is kept, and errors are not retried. */
  readonly event: Declare<"event", Memo>;
  /** Asks the function whether a request may pass. To refuse it throws, best an `AdmissionError`. */
  readonly validate: Declare<"validate", Memo>;
  /** Lets the function change the object of the request, by `patch`, or refuse the request. */
  readonly mutate: Declare<"mutate", Memo>;
  /**
   * Calls the function before anything else, the API server included. It may change `settings`.
   *
   * Errors are retried unless they are permanent, or `errors` says otherwise; if a handler fails, the operator does.
   */
  readonly startup: DeclareActivity<unknown, Memo>;
  /** Calls the function when everything else has stopped; also if the operator has failed, but not if it failed to start. */
  readonly cleanup: DeclareActivity<unknown, Memo>;
  /**
   * Calls the function whenever credentials are wanted: at the start, and when the server refuses the current ones.
   *
   * With such a handler no kubeconfig or service account is looked for. Of several ways in, the ways with the highest
   * `priority` are used.
   */
  readonly login: DeclareActivity<LoginResult, Memo>;
  /**
   * Calls the function when the liveness endpoint is asked, at most every ten seconds; its result is in the answer.
   *
   * An error, or more than `timeout` (default: 5 s), makes the answer a 500.
   */
  readonly probe: DeclareActivity<unknown, Memo>;
  /**
   * Calls the function when `/readyz` is asked, at most every ten seconds: the operator is ready unless it throws.
   *
   * The answer tells its error, or that it takes more than `timeout` (default: 5 s).
   */
  readonly ready: DeclareActivity<unknown, Memo>;
}

/** All ways to declare handlers. */
export interface Declarations<Memo extends object = PlainMemo> {
  readonly on: On<Memo>;
  readonly reconcile: Declare<"reconcile", Memo>;
  readonly owns: DeclareOwns;
  readonly watches: DeclareWatches;
  readonly daemon: Declare<"daemon", Memo>;
  readonly timer: Declare<"timer", Memo>;
  readonly index: DeclareIndex<Memo>;
  readonly every: DeclareTask<Memo>;
}

/** Returns the functions that declare handlers: they put them into the registry. */
export function declareInto<Memo extends object = PlainMemo>(registry: Registry): Declarations<Memo> {
  return {
    on: {
      ...declareChanges(registry),
      ...declareChildren(registry),
      ...declareEvents(registry),
      ...declareAdmission(registry),
      ...declareActivities(registry),
    },
    ...declareReconciles(registry),
    ...declareSources(registry),
    ...declareBackgrounds(registry),
    ...declareIndexes<Memo>(registry),
    ...declareTasks<Memo>(registry),
  };
}
