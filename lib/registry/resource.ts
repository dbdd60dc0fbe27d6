/**
 * Declares a kind as a typed constant; everything else (spec, status, patches, field paths, filter values) is inferred
 * from it.
 */

import type { JsonObject } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import { parseSelector, type Selector } from "../model/selector.ts";

/** Which kind is meant, at least by one name. */
export interface ResourceOptions {
  /** "" for the core group. Default: any group. */
  readonly group?: string;
  /** Default: the group's preferred version. */
  readonly version?: string;
  /** Such as "databases". */
  readonly plural?: string;
  /** Such as "Database". */
  readonly kind?: string;
  /** Such as "database". */
  readonly singular?: string;
  /** A short name, such as "db". */
  readonly shortcut?: string;
  /** Such as "all": any kind in it. */
  readonly category?: string;
  /** Default: true. Matters only where objects are addressed by name before the kind was looked up. */
  readonly namespaced?: boolean;
}

/** A declared kind. `Spec` and `Status` exist for the compiler only. */
export interface ResourceType<Spec = JsonObject, Status = JsonObject> {
  /** As declared. */
  readonly options: ResourceOptions;
  /** What kinds of the server it matches. */
  readonly selector: Selector;
  /** Never there at run time. */
  readonly types?: { readonly spec: Spec; readonly status: Status };
}

/** All forms in which handlers may name a kind; strings and predicates are untyped. */
export type ResourceLike<Spec = JsonObject, Status = JsonObject> =
  | ResourceType<Spec, Status>
  | string
  | typeof import("../model/selector.ts").EVERYTHING
  | ((resource: Resource) => boolean);

/**
 * Declares a kind, with the types of its spec and status.
 *
 * @throws {TypeError} If no name or more than one is given, or one is empty. `plural` and `kind` may stand together,
 * since both are needed to create objects.
 * @example
 * ```ts
 * import { resource } from "@lotse/lotse";
 *
 * interface DatabaseSpec { engine: string; replicas?: number }
 * interface DatabaseStatus { state?: string }
 *
 * const Database = resource<DatabaseSpec, DatabaseStatus>({ group: "example.com", version: "v1", plural: "databases" });
 * ```
 */
export function resource<Spec = JsonObject, Status = JsonObject>(
  options: ResourceOptions,
): ResourceType<Spec, Status> {
  const { group, version, plural, kind, singular, shortcut, category } = options;
  const name = plural !== undefined ? { plural } : { kind, singular, shortcut, category };
  return { options, selector: parseSelector([], { group, version, ...name }) };
}

/** Gives the selector of any form. @throws {TypeError} If the form is not understood. */
export function selectorOf(like: ResourceLike<never, never>): Selector {
  if (typeof like === "object") return like.selector;
  return parseSelector([like]);
}
