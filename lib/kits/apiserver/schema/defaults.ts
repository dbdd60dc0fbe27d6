/**
 * Defaulting with a structural schema.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/defaulting. A default fills in a missing key, and a null
 * where null is not allowed; a null that is not allowed and has no default goes away.
 */

import type { JsonObject } from "../../../model/object.ts";
import { isObject, setOwn } from "../values.ts";
import {
  isSet,
  own,
  propertySchema,
  type Schema,
  schemaEntries,
  schemaOfKey,
  subSchema,
} from "./structural.ts";

/** Fills in defaults, in place. */
export function applyDefaults(value: unknown, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) applyToItems(value, subSchema(schema, "items"));
  else if (isObject(value)) applyToObject(value, schema);
}

/** Removes the nulls that are neither allowed nor replaced by a default, in place. */
export function dropNulls(value: unknown, schema: Schema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, subSchema(schema, "items"));
    return;
  }
  if (!isObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    const childSchema = schemaOfKey(schema, key);
    if (isForbiddenNull(child, childSchema) && defaultOf(childSchema) === undefined) delete value[key];
    else dropNulls(child, childSchema);
  }
}

function applyToObject(object: JsonObject, schema: Schema): void {
  for (const [key, property] of schemaEntries(schema, "properties")) {
    const missing = !Object.hasOwn(object, key) || isForbiddenNull(object[key], property);
    const fallback = defaultOf(property);
    if (missing && fallback !== undefined) setOwn(object, key, structuredClone(fallback));
  }
  for (const key of Object.keys(object)) {
    const isProperty = propertySchema(schema, key) !== undefined;
    const childSchema = schemaOfKey(schema, key);
    if (!isProperty && isForbiddenNull(object[key], childSchema)) {
      setOwn(object, key, structuredClone(defaultOf(childSchema) ?? null));
    }
    applyDefaults(object[key], childSchema);
  }
}

function applyToItems(items: unknown[], schema: Schema | undefined): void {
  items.forEach((item, index) => {
    if (isForbiddenNull(item, schema)) items[index] = structuredClone(defaultOf(schema) ?? null);
    applyDefaults(items[index], schema);
  });
}

/** NB: `default: null` counts as no default, as in Kubernetes. */
function defaultOf(schema: Schema | undefined): unknown {
  return own(schema, "default") ?? undefined;
}

function isForbiddenNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && !isSet(schema, "nullable");
}
