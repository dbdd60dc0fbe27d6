/**
 * `op.index`: declares an index, and gives a typed handle on it.
 *
 * What an index holds is up to each run of the operator; the handle shows what the latest run has put there.
 * Source: Kopf, docs/indexing; B §2; deviation D13.
 */

import type { JsonObject } from "../model/object.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "./arguments.ts";
import { objectHandler, takeOptions } from "./declare.ts";
import { type Index, IndexHandle } from "./index_handle.ts";
import type { FilterOptions, HandlerOptions, RetryOptions } from "./options.ts";
import type { FieldOf, FieldValue } from "./field_paths.ts";
import type { Registry } from "./registry.ts";
import type { ResourceLike } from "./resource.ts";

/** What an index function and its filters are called with. What it writes into `patch` is thrown away. */
export type IndexArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> =
  & ObjectArguments<Spec, Status, Memo>
  & AttemptArguments<Param>;

/** Options of `op.index`. Errors are ignored by default: the object's former values are kept. */
export type IndexOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ObjectArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>;

/** Which keys an index has whose function returns this: those of a `Map`, texts for plain objects, null for all else. */
export type IndexKey<Result> = Result extends null | undefined | void ? never
  : Result extends ReadonlyMap<infer Key, unknown> ? Key
  : Result extends Whole ? null
  : Result extends object ? (keyof Result extends never ? never : string)
  : null;

/** Which values an index has whose function returns this: those of a `Map` or plain object, else the result itself. */
export type IndexValue<Result> = Result extends null | undefined | void ? never
  : Result extends ReadonlyMap<unknown, infer Value> ? Value
  : Result extends Whole ? Result
  : Result extends object ? Result[keyof Result]
  : Result;

/** Objects that are one value, not a record of values. */
export type Whole =
  | readonly unknown[]
  | ReadonlySet<unknown>
  | Date
  | URL
  | RegExp
  | ((...args: never) => unknown);

/** An index function. */
export type IndexFn<Spec, Status, Param, Result, Memo extends object = PlainMemo> = (
  args: IndexArguments<Spec, Status, Param, Memo>,
) => Result;

/** The handle on an index whose function returns this, or a promise of it. */
export type IndexOf<Result> = unknown extends Result ? Index
  : Index<IndexKey<Awaited<Result>>, IndexValue<Awaited<Result>>>;

/**
 * Declares an index of a kind's objects.
 *
 * The function is called for each state of each object that matches, before any other handler. A plain object or a `Map`
 * gives the object's keys with a value for each (all earlier keys go); null and undefined leave what was there; anything
 * else is the one value under the key null. The index is named by `id`, or by the function's name: functions for different
 * kinds with one id fill one index.
 *
 * It throws a TypeError where options contradict each other, and where another function for the kind has the same id.
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
export interface IndexWord<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject, Result = unknown>(
    resource: ResourceLike<Spec, Status>,
    fn: IndexFn<Spec, Status, undefined, Result, Memo>,
  ): IndexOf<Result>;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldOf<Spec, Status> | readonly string[] | undefined = undefined,
    Param = undefined,
    Result = unknown,
  >(
    resource: ResourceLike<Spec, Status>,
    options: IndexOptions<Spec, Status, Field, Param, Memo>,
    fn: IndexFn<Spec, Status, Param, Result, Memo>,
  ): IndexOf<Result>;
}

/** Makes `op.index`: what is declared with it goes into the registry. */
export function indexWord<Memo extends object>(registry: Registry): IndexWord<Memo> {
  function index(resource: ResourceLike<never, never>, ...rest: readonly unknown[]): Index {
    const handle = new IndexHandle();
    const { options, fn } = takeOptions(rest);
    registry.addIndex({ ...objectHandler({ resource, options, fn, cause: "index" }), handle });
    return handle;
  }
  // The overloads say what will be in the index, which is what their functions return.
  return index as IndexWord<Memo>;
}
