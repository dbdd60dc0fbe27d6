/**
 * `op.cache(kind, options?)`: the objects of a kind that the operator's informers hold, for authors.
 *
 * It is the same store that handlers' objects come from: one watch for the kind, however many ask. States never go back, and a
 * write by `op.api` shows at the next line. Objects are frozen.
 */

import type { JsonObject } from "../model/object.ts";
import type { Referable } from "../model/references.ts";
import type { DeepReadonly } from "../registry/field_paths.ts";
import { type ResourceLike, selectorOf } from "../registry/resource.ts";
import type { ObjectOf } from "../registry/stanzas.ts";
import { calledFrom } from "../runtime/call_site.ts";
import type { HandlerType } from "./handler_type.ts";
import type { ObjectHandler } from "./handlers.ts";
import {
  checkBoolean,
  checkFunction,
  checkOptions,
  COMMON,
  type OptionChecks,
  type RawOptions,
} from "./option_checks.ts";
import type { Registry } from "./registry.ts";

/** An object of a cache: frozen, with everything in it. */
export type CachedView<Spec, Status> = DeepReadonly<ObjectOf<Spec, Status>>;

/** Returns the keys under which an object is found: one, several or none. */
export type CacheIndex<Spec = JsonObject, Status = JsonObject> = (
  object: CachedView<Spec, Status>,
) => string | readonly string[] | null | undefined;

/** Options of `op.cache`. */
export interface CacheOptions<Spec = JsonObject, Status = JsonObject, Indexes extends string = string> {
  /** Only objects with these labels. Default: all. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only objects with these values, by dotted paths such as "spec.nodeName". Default: all. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** Only objects of these namespaces. Default: all that are served. */
  readonly namespaces?: readonly string[];
  /** Fetch and keep the metadata alone. Only where no handler is for the kind. Default: false. */
  readonly metadataOnly?: boolean;
  /** Cuts objects down before they are kept. Only where no handler is for the kind. Default: they are kept whole. */
  readonly transform?: (object: ObjectOf<Spec, Status>) => ObjectOf<Spec, Status> | void;
  /** Keys by which `by()` finds objects, by names of your own. */
  readonly indexes?: Readonly<Record<Indexes, CacheIndex<Spec, Status>>>;
}

/** Options of a list of a cache. */
export interface CacheListOptions<Spec = JsonObject, Status = JsonObject> {
  /** Only objects of this namespace. Default: all. */
  readonly namespace?: string;
  /** Only objects with these labels. Default: all. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Asked last. */
  readonly when?: (object: CachedView<Spec, Status>) => boolean;
}

/** The objects of a kind, as far as the operator knows them. While it does not run, there are none. */
export interface Cache<Spec = JsonObject, Status = JsonObject, Indexes extends string = string> {
  /** Returns one object; undefined if it is not there. */
  get(address: { readonly namespace?: string; readonly name: string }): CachedView<Spec, Status> | undefined;
  /** Returns all objects, or some. */
  list(options?: CacheListOptions<Spec, Status>): CachedView<Spec, Status>[];
  /** Returns the objects that name this one among their owners. */
  byOwner(owner: Referable): CachedView<Spec, Status>[];
  /** Returns the objects under a key of an index. @throws {TypeError} If there is no such index. */
  by(index: Indexes, key: string): CachedView<Spec, Status>[];
  /** Whether all objects are known: the kind was listed. Handlers begin when it is. */
  readonly synced: boolean;
}

/** Declares a cache. */
export interface DeclareCache {
  <Spec = JsonObject, Status = JsonObject, const Indexes extends string = never>(
    resource: ResourceLike<Spec, Status>,
    options?: CacheOptions<Spec, Status, Indexes>,
  ): Cache<Spec, Status, Indexes>;
}

/** A kind that is watched for a cache. */
export interface CacheHandler extends ObjectHandler {
  readonly type: "cache";
  readonly options: CacheOptions;
}

/** Caches of the author's own. */
export const CACHE: HandlerType<CacheHandler> = { name: "cache", about: "related" };

const KNOWN: OptionChecks = {
  labels: COMMON.labels,
  fields: checkRecord,
  namespaces: checkNames,
  metadataOnly: checkBoolean,
  transform: checkFunction,
  indexes: checkIndexes,
};

/** Makes the declaration of a cache. @throws {TypeError} If options are unknown or of the wrong type. */
function cacheHandler(resource: ResourceLike<never, never>, given: unknown): CacheHandler {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError("Cannot take these options for op.cache: pass an object");
  }
  return {
    type: "cache",
    id: "op.cache",
    selector: selectorOf(resource),
    fn: nobody,
    // The checks make sure of it, as far as they can.
    options: checkOptions("cache", given as RawOptions, KNOWN) as CacheOptions,
  };
}

function checkRecord(name: string, value: unknown): void {
  if (typeof value === "object" && !Array.isArray(value)) return;
  throw new TypeError(`Cannot take this for "${name}": it must be an object of names and values`);
}

function checkNames(name: string, value: unknown): void {
  const isName = (each: unknown): boolean => typeof each === "string" && each !== "";
  if (Array.isArray(value) && value.length > 0 && value.every(isName)) return;
  throw new TypeError(`Cannot take this for "${name}": it must be a list of names`);
}

function checkIndexes(name: string, value: unknown): void {
  checkRecord(name, value);
  for (const [index, keysOf] of Object.entries(value as RawOptions)) {
    if (typeof keysOf !== "function") {
      throw new TypeError(`Cannot make the index "${index}": it must be a function`);
    }
  }
}

/** Is never called: it stands for the function that other handlers have. */
function nobody(): void {}

/** Returns the function that declares caches; `make` makes the handle that looks into the operator's store. */
export function declareCache(
  registry: Registry,
  make: (handler: CacheHandler) => Cache,
): DeclareCache {
  return calledFrom((resource: ResourceLike<never, never>, options: unknown = {}): Cache => {
    const handler = cacheHandler(resource, options);
    registry.add(CACHE, handler);
    return make(handler);
  }) as unknown as DeclareCache; // the types of the kind are the caller's claim
}
