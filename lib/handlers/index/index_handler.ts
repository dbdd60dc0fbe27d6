/**
 * How indexes are declared: `op.index`, and the arguments of their functions.
 *
 * Source: Kopf, docs/indexing.
 */

import type { JsonObject } from "../../model/object.ts";
import type { FieldPathOf, FieldValue } from "../../registry/field_paths.ts";
import type { ResourceLike } from "../../registry/resource.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { declaring, objectHandler } from "../declare.ts";
import type { FilterOptions } from "../filters.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler, RetryOptions } from "../handlers.ts";
import { COMMON, RETRY } from "../option_checks.ts";
import type { Registry } from "../registry.ts";
import { type Index, IndexHandle, type IndexOf } from "./index_handle.ts";

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

/** Arguments of an index function and its filters. Its changes to `patch` are thrown away. */
export interface IndexArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {}

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
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
    Result = unknown,
  >(
    resource: ResourceLike<Spec, Status>,
    options: IndexOptions<Spec, Status, Field, Param, Memo>,
    fn: (args: IndexArguments<Spec, Status, Param, Memo>) => Result,
  ): IndexOf<Result>;
}

/** An index function with the handle that its declaration returned. */
export interface IndexHandler extends ObjectHandler {
  readonly type: "index";
  readonly handle: IndexHandle;
}

/** Index functions: the handle that a program holds goes on with the index that a run has begun with. */
export const INDEX: HandlerType<IndexHandler> = {
  name: "index",
  about: "objects",
  isOutsideEssence: true,
  isFixed: true,
  keep: (before, now) => void IndexHandle.attach(now.handle, before.handle),
};

const RULES = { cause: "index", known: { ...COMMON, ...RETRY }, hasPlainId: true };

/** Returns `op.index`. */
export function declareIndexes<Memo extends object>(
  registry: Registry,
): { readonly index: DeclareIndex<Memo> } {
  const index = declaring((declaration): Index => {
    const handle = new IndexHandle();
    registry.add(INDEX, { ...objectHandler(declaration, RULES), type: "index", handle });
    return handle;
  });
  // The call signatures name the type of the index's values, which is the type of the functions' results.
  return { index: index as DeclareIndex<Memo> };
}
