/**
 * How handlers are declared that bring everything in line with an object: `op.reconcile(kind, options?, fn)`.
 *
 * A change handler is told of a change; a reconcile is called with the newest object after any change that may matter, its own or
 * of another object, and brings everything in line with it. Both may be declared for one kind.
 */

import { exponential, type HandlerBackoff } from "../../execution/handler_backoff.ts";
import type { ErrorsMode } from "../../execution/errors.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Children } from "../../registry/children.ts";
import type { Conditions } from "../../registry/object_conditions.ts";
import type { DeepReadonly, FieldValue } from "../../registry/field_paths.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import { blamedOn, type CallSite } from "../../runtime/call_site.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { type Declaration, type DeclarationRules, declaring, objectHandler } from "../declare.ts";
import type { FilterOptions } from "../filters.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler } from "../handlers.ts";
import {
  checkFunction,
  checkNumber,
  checkPeriod,
  checkPredicate,
  COMMON,
  type RawOptions,
  refusal,
  RETRY,
} from "../option_checks.ts";
import type { Registry } from "../registry.ts";
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
  readonly old: DeepReadonly<ObjectOf<Spec, Status>>;
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

/** Handlers of `op.reconcile`. */
export const RECONCILE: HandlerType<ReconcileHandler> = {
  name: "reconcile",
  about: "objects",
  ids: "turns",
  keepsNotes: ({ finalize }) => finalize !== undefined,
};

const { attemptTimeout: _, ...LIMITS } = RETRY;

const RULES: DeclarationRules = {
  cause: "reconcile",
  known: {
    ...COMMON,
    ...LIMITS,
    predicate: checkPredicate,
    finalize: checkFunction,
    resync: checkPeriod,
    concurrency: checkConcurrency,
    rateLimit: checkRateLimit,
    debounce: checkNumber,
  },
};

/** Returns `op.reconcile`. */
export function declareReconciles(
  registry: Registry,
): Record<"reconcile", (...args: readonly unknown[]) => void> {
  return {
    reconcile: declaring((declaration, site) => registry.add(RECONCILE, reconcileHandler(declaration, site))),
  };
}

function reconcileHandler(declaration: Declaration, site: CallSite): ReconcileHandler {
  const { timeout, ...handler } = objectHandler(declaration, RULES);
  const { resync = RESYNC, backoff = exponential() } = handler as Partial<ReconcileHandler>; // just checked
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

/** @throws {TypeError | RangeError} If it is none. */
export function checkConcurrency(name: string, value: unknown): void {
  if (Number.isInteger(value) && Number(value) >= 1) return;
  throw refusal(name, value, "a whole number of at least 1");
}

/** @throws {TypeError | RangeError} If it is none. */
export function checkRateLimit(name: string, value: unknown): void {
  const { calls, within, ...others } = typeof value === "object" && value !== null
    ? value as Partial<RateLimit>
    : {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined || typeof calls !== "number" || typeof within !== "number") {
    throw new TypeError(
      `Cannot take this for "${name}": give { calls, within }, such as two calls within 10 s`,
    );
  }
  if (!Number.isInteger(calls) || calls < 1 || calls > 1000 || !(within >= 0) || within === Infinity) {
    throw new RangeError(
      `Cannot limit to ${calls} calls within ${within} s: give 1 to 1000 calls, and a number of seconds`,
    );
  }
}
