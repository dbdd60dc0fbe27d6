/**
 * How handlers of children are declared: `op.on.child`, and their arguments. The function is called for each change of a child,
 * with its owner at hand.
 */

import type { HandlerBackoff } from "../../execution/handler_backoff.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatSelector } from "../../model/selector.ts";
import type { Children } from "../../registry/children.ts";
import type { Conditions } from "../../registry/object_conditions.ts";
import type { DeepReadonly } from "../../registry/field_paths.ts";
import { type ResourceLike, selectorOf } from "../../registry/resource.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import { calledFrom } from "../../runtime/call_site.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { objectHandler, takeOptions } from "../declare.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler, RetryOptions } from "../handlers.ts";
import { acceptAny, checkString, type OptionChecks, RETRY } from "../option_checks.ts";
import { ownsHandler, type OwnsOptions, type RelatedChange, SOURCE } from "../reconcile/source_handler.ts";
import type { Registry } from "../registry.ts";

/** The arguments of a handler of children: everything about the owner, and the change of the child. */
export interface ChildHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  ChildSpec = JsonObject,
  ChildStatus = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** The sort of the change; null: the child was there when the operator began to watch. */
  readonly type: RelatedChange["type"];
  /** The child as it is now; if it has gone: as it was last known. */
  readonly child: DeepReadonly<ObjectOf<ChildSpec, ChildStatus>>;
  /** The child as it was known before; undefined if it was not. */
  readonly old: DeepReadonly<ObjectOf<ChildSpec, ChildStatus>> | undefined;
  /** The conditions in the owner's status. */
  readonly conditions: Conditions;
  /** The objects that the owner wants to be there. */
  readonly children: Children;
}

/** Options of `op.on.child`. */
export type ChildHandlerOptions<ChildSpec = JsonObject, ChildStatus = JsonObject, Param = undefined> =
  & HandlerOptions<Param>
  & RetryOptions
  & OwnsOptions<ChildSpec, ChildStatus>;

/** Declares handlers of children. */
export interface DeclareChild<Memo extends object = PlainMemo> {
  <Spec = JsonObject, Status = JsonObject, ChildSpec = JsonObject, ChildStatus = JsonObject>(
    owner: ResourceLike<Spec, Status>,
    child: ResourceLike<ChildSpec, ChildStatus>,
    fn: (args: ChildHandlerArguments<Spec, Status, ChildSpec, ChildStatus, undefined, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    ChildSpec = JsonObject,
    ChildStatus = JsonObject,
    Param = undefined,
  >(
    owner: ResourceLike<Spec, Status>,
    child: ResourceLike<ChildSpec, ChildStatus>,
    options: ChildHandlerOptions<ChildSpec, ChildStatus, Param>,
    fn: (args: ChildHandlerArguments<Spec, Status, ChildSpec, ChildStatus, Param, Memo>) => unknown,
  ): void;
}

/** Called for each change of a child. Its kind is the owner's. */
export interface ChildHandler extends ObjectHandler {
  readonly type: "child";
  readonly backoff?: HandlerBackoff;
}

/** Handlers of children. A function that is declared twice is called once for each change. */
export const CHILD: HandlerType<ChildHandler> = {
  name: "child",
  about: "objects",
  ids: "turns",
  isFirstOnly: true,
};

const KNOWN: OptionChecks = { id: checkString, param: acceptAny, ...RETRY };

/** Returns `op.on.child`. */
export function declareChildren(registry: Registry): Record<"child", (...args: readonly unknown[]) => void> {
  return {
    child: calledFrom((...args: readonly unknown[]) => {
      const [owner, child, ...rest] = args as [ResourceLike<never, never>, ResourceLike<never, never>];
      const { options: { predicate, controller, ...own }, fn } = takeOptions(rest);
      const handler = objectHandler({ resource: owner, options: own, fn }, { cause: "child", known: KNOWN });
      const selector = selectorOf(child);
      // A function may be for children of several kinds: it is as many handlers.
      const id = own.id === undefined ? `${handler.id}/${formatSelector(selector)}` : handler.id;
      const source = ownsHandler({
        owner: handler.selector,
        child: selector,
        options: { predicate, controller },
      });
      registry.add(CHILD, { ...handler, id, type: "child" });
      registry.add(SOURCE, { ...source, child: id });
    }),
  };
}
