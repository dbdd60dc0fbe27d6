/**
 * From OpenAPI v3 as CRDs use it to the JSON Schema that ajv compiles.
 *
 * The differences: `nullable`, `x-kubernetes-int-or-string`, boolean exclusive bounds, formats that Kubernetes ignores, and
 * the ranges of integers. Everything that says nothing about validity (defaults, descriptions, extensions) is left out.
 */

import { formatCheck } from "./formats.ts";
import { isObject, setOwn } from "../values.ts";
import { isSet, own, type Schema, schemaEntries, schemaList, subSchema } from "./structural.ts";

/** The format that integers without one get: Kubernetes stores them as int64. */
export const DEFAULT_INTEGER = "integer";

const COPIED = [
  "enum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minItems",
  "minLength",
  "minProperties",
  "multipleOf",
  "pattern",
  "required",
  "uniqueItems",
] as const;

/** Returns the JSON Schema of a node and of everything below it. */
export function toJsonSchema(schema: Schema): Schema {
  const out: Schema = {};
  translateType(schema, out);
  for (const key of COPIED) {
    const value = own(schema, key);
    if (value !== undefined && value !== null) out[key] = value;
  }
  translateBound(schema, out, { bound: "maximum", exclusive: "exclusiveMaximum" });
  translateBound(schema, out, { bound: "minimum", exclusive: "exclusiveMinimum" });
  translateChildren(schema, out);
  return out;
}

function translateType(schema: Schema, out: Schema): void {
  const declared = own(schema, "type");
  const intOrString = isSet(schema, "x-kubernetes-int-or-string");
  const types = intOrString ? ["integer", "string"] : typeof declared === "string" ? [declared] : [];
  const format = translateFormat(types, own(schema, "format"));
  if (format !== undefined) out.format = format;
  if (types.length === 0) return;
  out.type = isSet(schema, "nullable") ? [...types, "null"] : types;
}

function translateFormat(types: readonly string[], format: unknown): string | undefined {
  const type = types.length === 1 ? types[0] : "";
  if (type === "integer") return format === "int32" || format === "int64" ? format : DEFAULT_INTEGER;
  if (type === "number") return format === "float" || format === "double" ? format : undefined;
  if (typeof format !== "string" || (type !== "" && type !== "string")) return undefined;
  return formatCheck(format) === undefined ? undefined : format;
}

function translateBound(schema: Schema, out: Schema, keys: { bound: string; exclusive: string }): void {
  const bound = own(schema, keys.bound);
  if (typeof bound === "number") out[isSet(schema, keys.exclusive) ? keys.exclusive : keys.bound] = bound;
}

function translateChildren(schema: Schema, out: Schema): void {
  for (const key of ["properties", "patternProperties"]) {
    const entries = schemaEntries(schema, key);
    if (entries.length === 0) continue;
    const children: Schema = {};
    for (const [name, child] of entries) setOwn(children, name, toJsonSchema(child));
    out[key] = children;
  }
  for (const key of ["items", "not"]) {
    const child = subSchema(schema, key);
    if (child !== undefined) out[key] = toJsonSchema(child);
  }
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const children = schemaList(schema, key);
    if (children.length > 0) out[key] = children.map(toJsonSchema);
  }
  const additional = own(schema, "additionalProperties");
  if (additional === false) out.additionalProperties = false;
  else if (isObject(additional)) out.additionalProperties = toJsonSchema(additional);
}
