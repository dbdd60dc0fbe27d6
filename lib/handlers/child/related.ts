/**
 * How handlers are told of other objects than their own: `op.owns`, `op.watches` and `op.on.child`.
 *
 * The first two wake reconciles. The third is for authors of change handlers: the function is called for each change of a
 * child, with its owner at hand.
 */

import type { HandlerBackoff } from "../../execution/backoff.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { formatSelector, type Selector } from "../../model/selector.ts";
import type { Children } from "../../registry/children.ts";
import type { Conditions } from "../../registry/conditions.ts";
import type { DeepReadonly } from "../../registry/field_paths.ts";
import { type ResourceLike, selectorOf } from "../../registry/resource.ts";
import { calledFrom } from "../../runtime/call_site.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { checkOptions, objectHandler, type RawOptions, takeOptions } from "../declare.ts";
import type { HandlerOptions, ObjectHandler, RetryOptions } from "../handlers.ts";
import type { TriggerTarget } from "../reconcile/targets.ts";

/** A change of another object. */
export interface RelatedChange<Spec = JsonObject, Status = JsonObject> {
  /** The sort of the change; null: it was there when the operator began to watch. */
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | null;
  /** The object as it is now; if it has gone: as it was last known. */
  readonly object: DeepReadonly<KubeObject<Spec, Status>>;
  /** The object as it was known before; undefined if it was not. */
  readonly old: DeepReadonly<KubeObject<Spec, Status>> | undefined;
}

/** Options of `op.owns`. */
export interface OwnsOptions<Spec = JsonObject, Status = JsonObject> {
  /** Asked whether a change of the child matters. Default: each does. */
  readonly predicate?: (change: RelatedChange<Spec, Status>) => boolean;
  /** Only the owner that controls the child is woken; false: each owner of the kind. Default: true. */
  readonly controller?: boolean;
}

/** Options of `op.watches`. */
export interface WatchesOptions<Spec = JsonObject, Status = JsonObject> {
  /** Its name in the log. Default: the function's name. */
  readonly id?: string;
  /** Asked whether a change matters. Default: each does. */
  readonly predicate?: (change: RelatedChange<Spec, Status>) => boolean;
}

/** Returns which objects are to be reconciled when another one has changed. It is asked about its states before and after. */
export type Mapper<Spec = JsonObject, Status = JsonObject> = (
  object: DeepReadonly<KubeObject<Spec, Status>>,
) => Iterable<TriggerTarget> | TriggerTarget | null | undefined;

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
  readonly child: DeepReadonly<KubeObject<ChildSpec, ChildStatus>>;
  /** The child as it was known before; undefined if it was not. */
  readonly old: DeepReadonly<KubeObject<ChildSpec, ChildStatus>> | undefined;
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

/** Declares that objects of a kind own objects of another kind: a change of a child wakes its owner's reconcile. */
export interface DeclareOwns {
  <OwnerSpec = JsonObject, OwnerStatus = JsonObject, Spec = JsonObject, Status = JsonObject>(
    owner: ResourceLike<OwnerSpec, OwnerStatus>,
    child: ResourceLike<Spec, Status>,
    options?: OwnsOptions<Spec, Status>,
  ): void;
}

/** Declares that objects of a kind matter to others, which a function names. */
export interface DeclareWatches {
  <Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    mapper: Mapper<Spec, Status>,
    options?: WatchesOptions<Spec, Status>,
  ): void;
}

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

/** Watches the objects of a kind, as their changes matter to other objects. */
export interface SourceHandler extends ObjectHandler {
  readonly type: "owns" | "watches";
  /** The kind of the owners that are told; undefined: the objects that the function names. */
  readonly owner: Selector | undefined;
  readonly isController: boolean;
  readonly predicate?: (change: never) => boolean;
  /** The handler of children that is told; undefined: reconciles are woken. */
  readonly child: string | undefined;
}

/** Called for each change of a child. Its kind is the owner's. */
export interface ChildHandler extends ObjectHandler {
  readonly type: "child";
  readonly backoff?: HandlerBackoff;
}

/** The part of the registry that takes handlers. */
interface HandlerSink {
  add(handler: SourceHandler | ChildHandler): void;
}

/** The declarations of this module. */
export interface RelatedDeclarations<Memo extends object> {
  readonly owns: DeclareOwns;
  readonly watches: DeclareWatches;
  readonly child: DeclareChild<Memo>;
}

/** Returns the functions that declare these handlers and put them into the registry; their errors point to the caller. */
export function declareRelated<Memo extends object>(registry: HandlerSink): RelatedDeclarations<Memo> {
  return {
    owns: calledFrom((owner, child, options = {}) => {
      registry.add(
        ownsHandler({ owner: selectorOf(owner as never), child: selectorOf(child as never), options }),
      );
    }),
    watches: calledFrom((resource, mapper, options = {}) => {
      registry.add(watchesHandler({ resource: resource as ResourceLike<never, never>, fn: mapper, options }));
    }),
    child: calledFrom((...args: readonly unknown[]) => {
      const [owner, child, ...rest] = args as [ResourceLike<never, never>, ResourceLike<never, never>];
      const { options, fn } = takeOptions(rest);
      const handler = childHandler({ owner, child, options, fn });
      const { predicate, controller } = options;
      const source = {
        owner: selectorOf(owner),
        child: selectorOf(child),
        options: { predicate, controller },
      };
      registry.add(handler);
      registry.add({ ...ownsHandler(source), child: handler.id });
    }),
  };
}

function ownsHandler(
  { owner, child, options: given }: {
    readonly owner: Selector;
    readonly child: Selector;
    readonly options: object;
  },
): SourceHandler {
  const options = definedIn(given, "op.owns");
  checkOptions("owns", { options, known: ["predicate", "controller"] });
  const { predicate, controller = true } = options as OwnsOptions<never, never>; // just checked
  const id = `${formatSelector(owner)} owns ${formatSelector(child)}`;
  return {
    type: "owns",
    id,
    selector: child,
    fn: nobody,
    owner,
    isController: controller,
    predicate,
    child: undefined,
  };
}

function watchesHandler(
  { resource, fn, options: given }: {
    readonly resource: ResourceLike<never, never>;
    readonly fn: unknown;
    readonly options: object;
  },
): SourceHandler {
  const options = definedIn(given, "op.watches");
  checkOptions("watches", { options, known: ["id", "predicate"] });
  if (typeof fn !== "function") {
    throw new TypeError("Cannot watch without a function that names objects: pass it as the second argument");
  }
  if (Object.prototype.toString.call(fn) === "[object AsyncFunction]") {
    throw new TypeError(
      "Cannot watch with an async function: a mapper names objects at once (look others up by an index or op.cache)",
    );
  }
  const { predicate, id = fn.name || "watches" } = options as WatchesOptions<never, never>; // just checked
  return {
    type: "watches",
    id,
    selector: selectorOf(resource),
    fn: fn as SourceHandler["fn"],
    owner: undefined,
    isController: false,
    predicate,
    child: undefined,
  };
}

function childHandler(
  { owner, child, options, fn }: {
    readonly owner: ResourceLike<never, never>;
    readonly child: ResourceLike<never, never>;
    readonly options: RawOptions;
    readonly fn: (args: never) => unknown;
  },
): ChildHandler {
  const { predicate: _, controller: __, ...own } = options; // checked as options of `op.owns`
  const handler = objectHandler({ cause: "child", resource: owner, options: own, fn });
  // A function may be for children of several kinds: it is as many handlers.
  const id = own.id === undefined ? `${handler.id}/${formatSelector(selectorOf(child))}` : handler.id;
  return { ...handler, id, type: "child" };
}

function definedIn(options: unknown, title: string): RawOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`Cannot take these options for ${title}: pass an object`);
  }
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Is never called: it takes the place of the function that other handlers have. */
function nobody(): void {}
