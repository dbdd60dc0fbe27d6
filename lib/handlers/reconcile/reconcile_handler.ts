/**
 * How handlers are declared that bring everything in line with an object: `op.reconcile(kind, options?, fn)`.
 *
 * A change handler is told of a change; a reconcile is called with the newest object after any change that may matter, its own or
 * of another object, and brings everything in line with it. Both may be declared for one kind.
 */

import { exponential, type HandlerBackoff } from "../../execution/backoff.ts";
import type { ErrorsMode } from "../../execution/errors.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Children } from "../../registry/children.ts";
import type { Conditions } from "../../registry/conditions.ts";
import type { DeepReadonly, FieldPathOf, FieldValue } from "../../registry/field_paths.ts";
import type { ResourceLike } from "../../registry/resource.ts";
import { blamedOn, type CallSite } from "../../runtime/call_site.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { type Declaration, objectHandler, type RawOptions } from "../declare.ts";
import type { FilterOptions } from "../filters.ts";
import type { HandlerOptions, ObjectHandler } from "../handlers.ts";
import type { RateLimit, ReconcileReason } from "./reconcile_record.ts";

/** The arguments of a reconcile. */
export interface ReconcileArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** The reasons that have woken it, and after failures the reasons of the attempts before. For logs: the object is the newest. */
  readonly reasons: readonly ReconcileReason[];
  /** 1 on the first attempt, and one more after each failure in a row. */
  readonly attempt: number;
  /** The conditions in the object's status. */
  readonly conditions: Conditions;
  /** Brings about the objects that belong to this one: all its children at once. */
  readonly children: Children;
}

/** The arguments of a predicate: the object as it is now, and as it was when it was reconciled last. */
export interface PredicateArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** The whole object as it was. */
  readonly old: DeepReadonly<KubeObject<Spec, Status>>;
}

/** The result of a reconcile that says when it wants to be called again, although the object has not changed. */
export interface Requeue {
  /** In seconds: above 0, and at most 30 days. */
  readonly requeueAfter?: Seconds;
}

/** The result of a reconcile. */
export type ReconcileResult = Requeue | void | undefined | null;

/** A reconcile. */
export type ReconcileFn<Spec, Status, Param, Memo extends object = PlainMemo> = (
  args: ReconcileArguments<Spec, Status, Param, Memo>,
) => ReconcileResult | Promise<ReconcileResult>;

/** Options of `op.reconcile`. Filters say which objects it is for. */
export type ReconcileOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & FilterOptions<ObjectArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & {
    /** Asked whether a change matters, after the default: a change of the essence, or of metadata that is not the operator's. */
    readonly predicate?: (args: PredicateArguments<Spec, Status, Memo>) => boolean;
    /** Called in its place when the object is to be deleted, which a finalizer holds back until it has succeeded. Default: none. */
    readonly finalize?: ReconcileFn<Spec, Status, Param, Memo>;
    /** It is called that long after its last call, without another reason; Infinity: never. Varies by a tenth. Default: 10 h. */
    readonly resync?: Seconds;
    /** The meaning of errors that are neither temporary nor permanent. Default: "temporary". */
    readonly errors?: ErrorsMode;
    /** For each attempt on its own; an attempt that runs longer is aborted, and counts as an error. Default: none. */
    readonly timeout?: Seconds;
    /** How often it is called in a row while it fails; then it waits until it is woken again. Default: no limit. */
    readonly retries?: number;
    /** Wait after an error that is neither temporary nor permanent. Default: `exponential()`, from 1 s to 300 s. */
    readonly backoff?: HandlerBackoff;
    /** How many objects of the kind are reconciled at the same time. Default: as many as `queueing.workerLimit` lets. */
    readonly concurrency?: number;
    /** How often one object is reconciled at most. Default: no limit. */
    readonly rateLimit?: RateLimit;
    /** Wait until the object was not woken for so long, but no longer than ten times that. Default: 0. */
    readonly debounce?: Seconds;
  };

/** Declares a reconcile of a kind's objects. */
export interface DeclareReconcile<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ReconcileFn<Spec, Status, undefined, Memo>,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: ReconcileOptions<Spec, Status, Field, Param, Memo>,
    fn: ReconcileFn<Spec, Status, Param, Memo>,
  ): void;
}

/** Called with the newest object, whatever has woken it. */
export interface ReconcileHandler extends ObjectHandler {
  readonly type: "reconcile";
  readonly predicate?: (args: never) => boolean;
  readonly finalize?: (args: never) => unknown;
  readonly resync: Seconds;
  readonly backoff: HandlerBackoff;
  readonly concurrency?: number;
  readonly rateLimit?: RateLimit;
  readonly debounce?: Seconds;
  /** The place where it was declared. */
  readonly site: CallSite;
}

/** How long after its last call a handler is called without another reason, by default. */
const RESYNC: Seconds = 10 * 3600;

/** The longest that `requeueAfter` may be: a larger number is meant as milliseconds. */
const LONGEST: Seconds = 30 * 24 * 3600;

/** Makes a reconcile. @throws {TypeError | RangeError} If options are unknown, of the wrong type, or contradict each other. */
export function reconcileHandler(
  declaration: Declaration & { readonly cause: "reconcile" },
  site: CallSite,
): ReconcileHandler {
  const { timeout, ...handler } = objectHandler(declaration);
  const { resync = RESYNC } = declaration.options as Partial<ReconcileHandler>; // checked with all the others
  const { backoff = exponential() } = handler;
  return { ...handler, type: "reconcile", attemptTimeout: timeout, resync, backoff, site };
}

/**
 * Returns how long after its success a reconcile wants to be called again; undefined: not at all.
 *
 * @param site Where it was declared: the function itself is on no stack any more.
 * @throws {TypeError} If the result is neither undefined, null, nor `{ requeueAfter }` with a number.
 * @throws {RangeError} If the number is not above 0, or is above 30 days.
 */
export function requeueOf(result: unknown, site: CallSite): Seconds | undefined {
  if (result === undefined || result === null) return undefined;
  if (typeof result !== "object" || Object.keys(result).some((key) => key !== "requeueAfter")) {
    const message =
      "Cannot take what the reconcile has returned: return nothing, or { requeueAfter: seconds }";
    throw blamedOn(new TypeError(message), site);
  }
  const { requeueAfter } = result as RawOptions;
  if (requeueAfter === undefined || requeueAfter === null) return undefined;
  if (typeof requeueAfter !== "number") {
    const message = `Cannot requeue after a ${typeof requeueAfter}: give a number of seconds`;
    throw blamedOn(new TypeError(message), site);
  }
  const fault = faultOf(requeueAfter);
  if (fault !== undefined) {
    throw blamedOn(new RangeError(`Cannot requeue after ${requeueAfter} s: ${fault}`), site);
  }
  return requeueAfter;
}

function faultOf(requeueAfter: Seconds): string | undefined {
  if (!(requeueAfter > 0)) return "give more than 0, or leave it out if nothing is to be waited for";
  if (requeueAfter <= LONGEST) return undefined;
  return `give at most ${LONGEST} (30 days); it is seconds, not milliseconds`;
}
