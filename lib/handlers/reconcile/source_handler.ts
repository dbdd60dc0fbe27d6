/**
 * How reconciles are told of other objects than their own: `op.owns` and `op.watches`. The declarations are of objects that are
 * watched for the sake of others: they call no handler of these objects.
 */

import type { JsonObject } from "../../model/object.ts";
import { formatSelector, type Selector } from "../../model/selector.ts";
import type { DeepReadonly } from "../../registry/field_paths.ts";
import { type ResourceLike, selectorOf } from "../../registry/resource.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import { calledFrom } from "../../runtime/call_site.ts";
import type { HandlerType } from "../handler_type.ts";
import type { ObjectHandler } from "../handlers.ts";
import {
  checkBoolean,
  checkOptions,
  checkPredicate,
  checkString,
  type OptionChecks,
  type RawOptions,
} from "../option_checks.ts";
import type { Registry } from "../registry.ts";
import type { TriggerTarget } from "./targets.ts";

/** A change of another object. */
export interface RelatedChange<Spec = JsonObject, Status = JsonObject> {
  /** The sort of the change; null: it was there when the operator began to watch. */
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | null;
  /** The object as it is now; if it has gone: as it was last known. */
  readonly object: DeepReadonly<ObjectOf<Spec, Status>>;
  /** The object as it was known before; undefined if it was not. */
  readonly old: DeepReadonly<ObjectOf<Spec, Status>> | undefined;
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
  object: DeepReadonly<ObjectOf<Spec, Status>>,
) => Iterable<TriggerTarget> | TriggerTarget | null | undefined;

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

/** Declarations by which other objects matter. */
export const SOURCE: HandlerType<SourceHandler> = {
  name: "source",
  about: "related",
  causeOf: ({ type }) => type,
};

const OWNS: OptionChecks = { predicate: checkPredicate, controller: checkBoolean };

const WATCHES: OptionChecks = { id: checkString, predicate: checkPredicate };

/** Returns `op.owns` and `op.watches`. */
export function declareSources(
  registry: Registry,
): { readonly owns: DeclareOwns; readonly watches: DeclareWatches } {
  return {
    owns: calledFrom((owner, child, options = {}) => {
      registry.add(
        SOURCE,
        ownsHandler({ owner: selectorOf(owner as never), child: selectorOf(child as never), options }),
      );
    }),
    watches: calledFrom((resource, mapper, options = {}) => {
      registry.add(
        SOURCE,
        watchesHandler({ resource: resource as ResourceLike<never, never>, fn: mapper, options }),
      );
    }),
  };
}

/** @throws {TypeError} If an option is wrong. */
export function ownsHandler(
  { owner, child, options: given }: {
    readonly owner: Selector;
    readonly child: Selector;
    readonly options: object;
  },
): SourceHandler {
  const options = checkOptions("owns", objectOf(given, "op.owns"), OWNS);
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
  const options = checkOptions("watches", objectOf(given, "op.watches"), WATCHES);
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

function objectOf(options: unknown, title: string): RawOptions {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) {
    return options as RawOptions;
  }
  throw new TypeError(`Cannot take these options for ${title}: pass an object`);
}

/** Is never called: it takes the place of the function that other handlers have. */
function nobody(): void {}
