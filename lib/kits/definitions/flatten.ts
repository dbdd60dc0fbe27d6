/**
 * JSON Schema without the keywords that a structural schema does not have: references, `allOf`, `const`, lists of types.
 *
 * A structural schema describes a value in one place, so that everything that is said about one value in several
 * places is put together first.
 */

import { getKey, isEqualJson, isObject, setKey, shallowCopy } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";

/** Called for each keyword that cannot be said structurally: with its path, and the reason. */
export type Complain = (path: string, reason: string) => void;

export interface FlattenOptions {
  /** Where references such as "#/$defs/Port" begin. */
  readonly root: JsonObject;
  readonly path: string;
  /** The references that led here. */
  readonly via: readonly string[];
  readonly complain: Complain;
}

/** A schema about one value, without references, and the references that led to it. */
export interface Flat {
  readonly schema: JsonObject;
  readonly isNullable: boolean;
  readonly via: readonly string[];
}

/** Flattens one level; the levels below (properties, items, branches) are left as they are. */
export function flatten(schema: JsonObject, options: FlattenOptions): Flat {
  const resolved = resolve(schema, options);
  let flat = shallowCopy(resolved.schema);
  const parts = getKey(flat, "allOf");
  delete flat.allOf;
  let { via } = resolved;
  let isNullable = true;
  if (Array.isArray(parts)) {
    for (const part of parts.filter(isObject)) {
      const other = flatten(part, { ...options, via });
      via = [...new Set([...via, ...other.via])];
      isNullable &&= other.isNullable;
      flat = intersect(flat, other.schema, options);
    }
  }
  const own = withoutNull(flat);
  const hasParts = Array.isArray(parts) && parts.length > 0;
  return { schema: own.schema, isNullable: own.isNullable || (hasParts && isNullable), via };
}

function resolve(
  schema: JsonObject,
  options: FlattenOptions,
): { readonly schema: JsonObject; readonly via: readonly string[] } {
  const { root, path, complain } = options;
  let { via } = options;
  let current = schema;
  for (let ref = getKey(current, "$ref"); typeof ref === "string"; ref = getKey(current, "$ref")) {
    if (via.includes(ref)) {
      complain(
        path,
        "it refers to itself (take one that holds anything, such as z.unknown(), at some depth)",
      );
      return { schema: {}, via };
    }
    const target = lookUp(root, ref);
    if (target === undefined) {
      complain(path, `it refers to "${ref}", which is not there`);
      return { schema: {}, via };
    }
    via = [...via, ref];
    const { $ref: _, ...rest } = current;
    current = { ...target, ...rest };
  }
  return { schema: current, via };
}

/** Returns the schema that a reference such as "#/$defs/Port" names. */
export function lookUp(root: JsonObject, ref: string): JsonObject | undefined {
  if (!ref.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of ref.slice(1).split("/").filter((each) => each !== "")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? getKey(found, key) : undefined;
  }
  return isObject(found) ? found : undefined;
}

/** Takes null out of the types of a value. */
function withoutNull(schema: JsonObject): { readonly schema: JsonObject; readonly isNullable: boolean } {
  const result = shallowCopy(schema);
  let isNullable = result.nullable === true;
  delete result.nullable;
  if (Object.hasOwn(result, "const")) {
    result.enum = [result.const];
    delete result.const;
  }
  if (Array.isArray(result.enum) && result.enum.includes(null)) {
    isNullable = true;
    result.enum = result.enum.filter((value) => value !== null);
    if (Array.isArray(result.enum) && result.enum.length === 0) delete result.enum;
  }
  if (Array.isArray(result.type)) {
    const types = result.type.filter((type) => type !== "null");
    isNullable ||= types.length < result.type.length;
    if (types.length === 1) result.type = types[0];
    else {
      delete result.type;
      result.anyOf = types.map((type) => ({ type }));
    }
  }
  for (const key of ["anyOf", "oneOf"] as const) {
    const branches = result[key];
    if (!Array.isArray(branches)) continue;
    const others = branches.filter((branch) => !isNull(branch));
    if (others.length === branches.length) continue;
    isNullable = true;
    result[key] = others;
  }
  return { schema: result, isNullable };
}

function isNull(branch: unknown): boolean {
  if (!isObject(branch)) return false;
  return branch.type === "null" || (Object.hasOwn(branch, "const") && branch.const === null) ||
    (Array.isArray(branch.enum) && branch.enum.length === 1 && branch.enum[0] === null);
}

const LOWEST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const HIGHEST = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];

/** Puts two schemas of the same value together. */
function intersect(a: JsonObject, b: JsonObject, { path, complain }: FlattenOptions): JsonObject {
  const result = shallowCopy(a);
  for (const [key, value] of Object.entries(b)) {
    const before = getKey(result, key);
    if (before === undefined || isEqualJson(before, value)) setKey(result, key, value);
    else if (key === "properties" && isObject(before) && isObject(value)) {
      result.properties = intersectProperties(before, value);
    } else if (key === "required" && Array.isArray(before) && Array.isArray(value)) {
      result.required = [...new Set([...before, ...value])];
    } else if (key === "enum" && Array.isArray(before) && Array.isArray(value)) {
      result.enum = before.filter((each) => value.includes(each));
    } else if (LOWEST.includes(key)) result[key] = Math.min(Number(before), Number(value));
    else if (HIGHEST.includes(key)) result[key] = Math.max(Number(before), Number(value));
    else if (key === "type" && [before, value].every((type) => type === "integer" || type === "number")) {
      result.type = "integer";
    } else if (key === "additionalProperties") {
      // A strict object and a loose one: the fields that both name stay.
      result.additionalProperties = isObject(before) ? before : value;
    } else if (key === "description" || key === "title") continue;
    else complain(path, `two parts of an intersection differ in "${key}"`);
  }
  return result;
}

function intersectProperties(a: JsonObject, b: JsonObject): JsonObject {
  const result = shallowCopy(a);
  for (const [key, value] of Object.entries(b)) {
    const before = getKey(result, key);
    setKey(
      result,
      key,
      before === undefined || isEqualJson(before, value) ? value : { allOf: [before, value] },
    );
  }
  return result;
}
