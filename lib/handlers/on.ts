/**
 * How handlers are declared: `op.on.<cause>(resource, options?, fn)`, `op.daemon`, `op.timer` and `op.index`.
 *
 * *On this cause, of this resource, with these options, call this function.* Each of them is a plain function, so that it
 * works when taken off its object. All throw a TypeError where options are unknown, of the wrong type or contradict each
 * other, and where another function has the same id already; its stack begins at the author's call.
 * Source: Kopf, docs/handlers.
 */

import type { KubeConfigLike } from "../client/auth/kubeconfig_object.ts";
import type { LoginInfo } from "../client/auth/login.ts";
import type { JsonObject } from "../model/object.ts";
import type { FieldPathOf } from "../registry/field_paths.ts";
import type { ResourceLike } from "../registry/resource.ts";
import { calledFrom, CallSite } from "../runtime/call_site.ts";
import type {
  ActivityArguments,
  AdmissionHandlerArguments,
  ChangeHandlerArguments,
  DaemonHandlerArguments,
  Essence,
  EventHandlerArguments,
  IndexArguments,
  PlainMemo,
  SeenBy,
} from "./arguments.ts";
import { type DeclareChild, type DeclareOwns, declareRelated, type DeclareWatches } from "./child/related.ts";
import {
  activityHandler,
  admissionHandler,
  backgroundHandler,
  changeHandler,
  type Declaration,
  eventHandler,
  indexHandler,
  takeDeclaration,
  takeOptions,
} from "./declare.ts";
import type { ActivityName } from "./handlers.ts";
import { type Index, IndexHandle, type IndexOf } from "./index/index_handle.ts";
import type {
  ActivityOptions,
  AdmissionOptions,
  ChangeHandlerCause,
  ChangeOptions,
  DaemonOptions,
  EventOptions,
  IndexOptions,
  TimerOptions,
} from "./options.ts";
import { type DeclareReconcile, reconcileHandler } from "./reconcile/reconcile_handler.ts";
import type { Registry } from "./registry.ts";
import { type DeclareTask, declaringTasks } from "./task/task_handler.ts";

/** A field of a kind, or none. */
export type OptionalField<Spec, Status> = FieldPathOf<Spec, Status> | undefined;

/**
 * The state that was handled before, by cause. A deletion may be the first event of an object; resuming may be mixed into it.
 */
export interface Before<Spec> {
  /** Undefined: there was no state before. */
  create: undefined;
  /** The essence that was handled last. */
  update: Essence<Spec>;
  /** The same, unless the object was never handled. */
  delete: Essence<Spec> | undefined;
  /** The same. */
  resume: Essence<Spec> | undefined;
  /** The same. */
  field: Essence<Spec> | undefined;
}

/** A change handler. Its result goes into the status. */
export type ChangeFn<
  Cause extends ChangeHandlerCause,
  Spec,
  Status,
  Field,
  Param,
  Memo extends object = PlainMemo,
> = (
  args: ChangeHandlerArguments<
    Spec,
    Status,
    SeenBy<Field, Spec, Status, Before<Spec>[Cause]>,
    SeenBy<Field, Spec, Status, Essence<Spec>>,
    Param,
    Memo
  >,
) => unknown;

/** Declares handlers of one cause. */
export interface DeclareChange<Cause extends ChangeHandlerCause, Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Cause, Spec, Status, undefined, undefined, Memo>,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends OptionalField<Spec, Status> = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: ChangeOptions<Cause, Spec, Status, Field, Param, Memo>,
    fn: ChangeFn<Cause, Spec, Status, Field, Param, Memo>,
  ): void;
}

/** Declares handlers of one field. It may stand before the options, or among them. */
export interface DeclareField<Memo extends object = PlainMemo> {
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    fn: ChangeFn<"field", Spec, Status, Field, undefined, Memo>,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    options: Omit<ChangeOptions<"field", Spec, Status, Field, Param, Memo>, "field">,
    fn: ChangeFn<"field", Spec, Status, Field, Param, Memo>,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: ChangeOptions<"field", Spec, Status, Field, Param, Memo> & { readonly field: Field },
    fn: ChangeFn<"field", Spec, Status, Field, Param, Memo>,
  ): void;
}

/** Declares handlers of raw events. */
export interface DeclareEvent<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: (args: EventHandlerArguments<Spec, Status, undefined, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends OptionalField<Spec, Status> = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: EventOptions<Spec, Status, Field, Param, Memo>,
    fn: (args: EventHandlerArguments<Spec, Status, Param, Memo>) => unknown,
  ): void;
}

/** Declares admission handlers. They let the request pass unless they throw. */
export interface DeclareAdmission<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: (args: AdmissionHandlerArguments<Spec, Status, undefined, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends OptionalField<Spec, Status> = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: AdmissionOptions<Spec, Status, Field, Param, Memo>,
    fn: (args: AdmissionHandlerArguments<Spec, Status, Param, Memo>) => unknown,
  ): void;
}

/** Declares handlers of an activity: work of an operator apart from objects. */
export interface DeclareActivity<Result = unknown, Memo extends object = PlainMemo> {
  (fn: (args: ActivityArguments<undefined, Memo>) => Result | Promise<Result>): void;
  <Param = undefined>(
    options: ActivityOptions<Param>,
    fn: (args: ActivityArguments<Param, Memo>) => Result | Promise<Result>,
  ): void;
}

/** Declares a daemon: one run for each object, for as long as the object is there and matches. */
export interface DeclareDaemon<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: (args: DaemonHandlerArguments<Spec, Status, undefined, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends OptionalField<Spec, Status> = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: DaemonOptions<Spec, Status, Field, Param, Memo>,
    fn: (args: DaemonHandlerArguments<Spec, Status, Param, Memo>) => unknown,
  ): void;
}

/**
 * Declares a timer: one run for each object every now and then, for as long as the object is there and matches; without
 * options, one run in all.
 */
export interface DeclareTimer<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: (args: DaemonHandlerArguments<Spec, Status, undefined, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends OptionalField<Spec, Status> = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: TimerOptions<Spec, Status, Field, Param, Memo>,
    fn: (args: DaemonHandlerArguments<Spec, Status, Param, Memo>) => unknown,
  ): void;
}

/**
 * Declares an index of a kind's objects.
 *
 * The function is called for each state of each object that matches, before any other handler. A plain object or a `Map` holds
 * the object's keys with a value for each (all earlier keys go); null and undefined leave the earlier keys; any other result is
 * the one value under the key null. The index is named by `id`, or by the function's name: functions for different kinds with
 * one id fill one index.
 *
 * @example
 * ```ts
 * import { kinds, operator } from "@lotse/lotse";
 *
 * const op = operator();
 * const podsByNode = op.index(kinds.Pod, { id: "podsByNode" }, ({ spec, name }) => ({ [String(spec.nodeName)]: name }));
 *
 * op.on.create("nodes", ({ name, logger }) => logger.info("Pods", { pods: podsByNode.get(name) ?? [] }));
 * ```
 */
export interface DeclareIndex<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject, Result = unknown>(
    resource: ResourceLike<Spec, Status>,
    fn: (args: IndexArguments<Spec, Status, undefined, Memo>) => Result,
  ): IndexOf<Result>;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends OptionalField<Spec, Status> = undefined,
    Param = undefined,
    Result = unknown,
  >(
    resource: ResourceLike<Spec, Status>,
    options: IndexOptions<Spec, Status, Field, Param, Memo>,
    fn: (args: IndexArguments<Spec, Status, Param, Memo>) => Result,
  ): IndexOf<Result>;
}

/** The result of a login: a way into the API server, a `KubeConfig` of the official client, or none. */
export type LoginResult = LoginInfo | KubeConfigLike | null | undefined | void;

/** Declares handlers, by cause. Options may be left out. */
export interface On<Memo extends object = PlainMemo> {
  /** Calls the function once for each new object, until it succeeds or fails for good. */
  readonly create: DeclareChange<"create", Memo>;
  /** Calls the function when an object has changed since it was handled last: its essence, or the field. */
  readonly update: DeclareChange<"update", Memo>;
  /** Calls the function when an object is to be deleted, and holds the object back until it has succeeded. */
  readonly delete: DeclareChange<"delete", Memo>;
  /** Calls the function once per process for each object that was there before it, and had been handled. */
  readonly resume: DeclareChange<"resume", Memo>;
  /** Calls the function when the field changes, appears or disappears, for whatever cause; also on creation. */
  readonly field: DeclareField<Memo>;
  /**
   * Calls the function for each change of an object that is owned by one of this kind, with the owner at hand; its patch
   * changes the owner. It is retried as handlers of changes are, and told of each child once after each start.
   */
  readonly child: DeclareChild<Memo>;
  /** Calls the function for each raw event, in order: no progress is kept, and errors are not retried. */
  readonly event: DeclareEvent<Memo>;
  /** Asks the function whether a request may pass. To refuse it throws, best an `AdmissionError`. */
  readonly validate: DeclareAdmission<Memo>;
  /** Lets the function change the object of the request, by `patch`, or refuse the request. */
  readonly mutate: DeclareAdmission<Memo>;
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
  readonly reconcile: DeclareReconcile<Memo>;
  readonly owns: DeclareOwns;
  readonly watches: DeclareWatches;
  readonly daemon: DeclareDaemon<Memo>;
  readonly timer: DeclareTimer<Memo>;
  readonly index: DeclareIndex<Memo>;
  readonly every: DeclareTask<Memo>;
}

/** Returns the functions that declare handlers: they put them into the registry. */
export function declareInto<Memo extends object = PlainMemo>(registry: Registry): Declarations<Memo> {
  const change = (cause: ChangeHandlerCause) =>
    declaring(cause, (declaration) => registry.add(changeHandler({ ...declaration, cause })));
  const admission = (cause: "validate" | "mutate") =>
    declaring(cause, (declaration) => registry.add(admissionHandler({ ...declaration, cause })));
  const background = (cause: "daemon" | "timer") =>
    declaring(cause, (declaration) => registry.add(backgroundHandler({ ...declaration, cause })));
  const activity = (name: ActivityName) =>
    calledFrom((...args) => registry.add(activityHandler(name, takeOptions(args))));
  const { owns, watches, child } = declareRelated<Memo>(registry);
  return {
    owns,
    watches,
    on: {
      create: change("create"),
      update: change("update"),
      delete: change("delete"),
      resume: change("resume"),
      field: change("field"),
      child,
      event: declaring("event", (declaration) => registry.add(eventHandler(declaration))),
      validate: admission("validate"),
      mutate: admission("mutate"),
      startup: activity("startup"),
      cleanup: activity("cleanup"),
      login: activity("login"),
      probe: activity("probe"),
      ready: activity("ready"),
    },
    reconcile: declaring(
      "reconcile",
      (declaration, site) => registry.add(reconcileHandler({ ...declaration, cause: "reconcile" }, site)),
    ),
    daemon: background("daemon"),
    timer: background("timer"),
    // The call signatures name the type of the index's values, which is the type of the functions' results.
    index: declaring("index", (declaration): Index => {
      const handle = new IndexHandle();
      registry.add(indexHandler(declaration, handle));
      return handle;
    }) as DeclareIndex<Memo>,
    // The functions' arguments have the operator's own memo, whatever its type.
    every: declaringTasks((handler) => registry.add(handler)) as DeclareTask<Memo>,
  };
}

/** Returns a function that takes `resource, options?, fn`; its errors point to its caller. */
function declaring<Result>(
  cause: Declaration["cause"],
  register: (declaration: Declaration, site: CallSite) => Result,
): (...args: readonly unknown[]) => Result {
  const declare: (...args: readonly unknown[]) => Result = calledFrom((...args: readonly unknown[]) =>
    register(takeDeclaration(cause, args), new CallSite(declare))
  );
  return declare;
}
