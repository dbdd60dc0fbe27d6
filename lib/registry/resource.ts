/**
 * Declares a kind as a typed constant; everything else (spec, status, patches, field paths, filter values) is inferred
 * from it.
 */

import type { JsonObject } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import { parseSelector, type Selector } from "../model/selector.ts";
import type {
  Conversion,
  FurtherVersionOptions,
  InputOf,
  OutputOf,
  SchemaLike,
  VersionOptions,
} from "./schemas.ts";
import { pointTo } from "../runtime/call_site.ts";
import { nearest } from "../settings/rules.ts";

/** Which kind is meant, at least by one name; and, if it is one's own, the content of its definition. */
export interface ResourceOptions extends VersionOptions {
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
  /** Further versions by their names, such as `{ v1alpha1: { spec, deprecated: true } }`. */
  readonly versions?: Readonly<Record<string, FurtherVersionOptions>>;
  /** For the definition: short names, such as `["db"]`. */
  readonly shortNames?: readonly string[];
  /** For the definition: groups of kinds, such as `["all"]`. */
  readonly categories?: readonly string[];
}

/** A declared kind. `Spec`, `Status` and `Input`, the spec as it is sent, exist for the compiler only. Unknown: as it is read. */
export interface ResourceType<Spec = JsonObject, Status = JsonObject, Input = unknown> {
  /** As declared. */
  readonly options: ResourceOptions;
  /** The kinds of the server that it matches. */
  readonly selector: Selector;
  /** Never there at run time. */
  readonly types?: { readonly spec: Spec; readonly status: Status; readonly input?: Input };
}

/** All forms in which handlers may name a kind; strings and predicates are untyped. */
export type ResourceLike<Spec = JsonObject, Status = JsonObject> =
  | ResourceType<Spec, Status>
  | string
  | typeof import("../model/selector.ts").EVERYTHING
  | ((resource: Resource) => boolean);

/** Under it, a selector holds the options that it was made of. */
const OPTIONS = Symbol.for("lotse.resource");

/**
 * Declares a kind, with the types of its spec and status: as interfaces, or by schemas, which
 * {@link https://standardschema.dev/json-schema | Standard JSON Schema} describes and zod, ArkType and valibot make.
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
export function resource<
  Spec extends SchemaLike,
  Status extends SchemaLike<unknown> = SchemaLike<JsonObject>,
  Specs extends Readonly<Record<string, SchemaLike>> = Readonly<Record<string, SchemaLike>>,
>(
  options: Omit<ResourceOptions, "versions"> & {
    readonly spec: Spec;
    readonly status?: Status;
    readonly versions?: {
      readonly [Version in keyof Specs]: Omit<FurtherVersionOptions, "spec" | "convert"> & {
        readonly spec?: Specs[Version];
        readonly convert?: Conversion<OutputOf<Specs[Version]>, unknown, OutputOf<Spec>, OutputOf<Status>>;
      };
    };
  },
): ResourceType<OutputOf<Spec>, OutputOf<Status>, InputOf<Spec>>;
/** The same, with types that are given. */
export function resource<Spec = JsonObject, Status = JsonObject, Input = unknown>(
  options: ResourceOptions,
): ResourceType<Spec, Status, Input>;
export function resource(options: ResourceOptions): ResourceType<never, never, never> {
  const parsed = parseNames(options);
  // Not enumerable, so that selectors that mean the same stay equal.
  const selector = Object.freeze(Object.defineProperty({ ...parsed }, OPTIONS, { value: options }));
  return { options, selector };
}

/** Returns the options of the `resource()` call that made a selector; undefined for selectors that were made otherwise. */
export function optionsOf(selector: Selector): ResourceOptions | undefined {
  const found: unknown = Reflect.get(selector, OPTIONS);
  // Only resource() writes it, perhaps `resource()` of another copy of this package.
  return typeof found === "object" && found !== null ? found as ResourceOptions : undefined;
}

const NAMES = ["group", "version", "plural", "kind", "singular", "shortcut", "category"];
const DEFINED = [
  "spec",
  "status",
  "columns",
  "scale",
  "selectable",
  "rules",
  "versions",
  "shortNames",
  "categories",
];

/** @throws {TypeError} Where the call is not one that the compiler would take. */
function parseNames(options: ResourceOptions): Selector {
  try {
    checkOptions(options);
    checkKind(options);
    const { group, version, plural, kind, singular, shortcut, category } = options;
    const name = plural !== undefined ? { plural } : { kind, singular, shortcut, category };
    return parseSelector([], { group, version, ...name });
  } catch (error) {
    pointTo(error, resource);
    throw error;
  }
}

function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError("Cannot declare a kind: pass an object, such as { group, version, plural }");
  }
  for (const [name, value] of Object.entries(options)) {
    if (DEFINED.includes(name)) continue;
    const type = name === "namespaced" ? "boolean" : "string";
    if (type === "string" && !NAMES.includes(name)) {
      const known = [...NAMES, "namespaced", ...DEFINED];
      const best = nearest(name, known);
      const hint = best === undefined ? "" : ` (did you mean "${best}"?)`;
      throw new TypeError(
        `Cannot declare a kind with option "${name}": known are ${known.join(", ")}${hint}`,
      );
    }
    if (value === undefined || typeof value === type) continue;
    throw new TypeError(
      `Cannot declare a kind with a "${name}" of type "${typeof value}": it must be a ${type}`,
    );
  }
}

/** @throws {TypeError} If names cannot be names of a kind, a schema is none, or a conversion is incomplete. */
function checkKind({ plural, spec, status, version, versions = {} }: ResourceOptions): void {
  if (plural !== undefined && plural !== plural.toLowerCase()) {
    throw new TypeError(
      `Cannot declare a kind with the plural "${plural}": Kubernetes has them in lower case, take "${plural.toLowerCase()}"`,
    );
  }
  for (const [name, schema] of Object.entries({ spec, status })) {
    if (schema === undefined || isSchema(schema)) continue;
    throw new TypeError(
      `Cannot declare a kind with this "${name}": it is no schema, take one of zod, ArkType or valibot (z.object({ … }))`,
    );
  }
  for (const [name, { convert }] of Object.entries(versions)) {
    if (convert === undefined) continue;
    const { toHub, fromHub } = convert;
    if (typeof toHub !== "function" || typeof fromHub !== "function") {
      throw new TypeError(
        `Cannot declare a kind whose version "${name}" has half a "convert": it needs two functions, "toHub" and "fromHub"`,
      );
    }
    if (version === undefined) {
      throw new TypeError(
        `Cannot declare a kind whose version "${name}" is converted, but not into what: add the kind's own "version"`,
      );
    }
  }
}

/** ArkType's schemas are functions. */
function isSchema(value: unknown): boolean {
  const isThing = (typeof value === "object" && value !== null) || typeof value === "function";
  return isThing && "~standard" in value;
}

/** Returns the selector of any form. @throws {TypeError} If the form is not understood. */
export function selectorOf(like: ResourceLike<never, never>): Selector {
  if (isResourceType(like)) return like.selector;
  if (like === undefined || like === null) {
    throw new TypeError(
      `Cannot select resources by ${like}: pass a constant of resource(), or a name such as "pods.v1" (is it imported?)`,
    );
  }
  if (Array.isArray(like)) {
    throw new TypeError("Cannot select resources by a list: register the handler once for each kind");
  }
  if (typeof like === "object") {
    throw new TypeError(
      "Cannot select resources by an object: make it a kind with resource(), or pass a name",
    );
  }
  return parseSelector([like]);
}

/** Whether it is a constant of `resource()`. */
export function isResourceType(like: unknown): like is ResourceType {
  return typeof like === "object" && like !== null && "selector" in like && "options" in like;
}

/** Tells whether there is enough to make a definition of: a schema, in some version. */
export function hasSchema({ spec, status, versions = {} }: ResourceOptions): boolean {
  return [{ spec, status }, ...Object.values(versions)].some((each) =>
    each.spec !== undefined || each.status !== undefined
  );
}

/** Tells whether objects of some version have to be converted by code. */
export function hasConversion({ versions = {} }: ResourceOptions): boolean {
  return Object.values(versions).some(({ convert }) => convert !== undefined);
}
