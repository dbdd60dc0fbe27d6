/**
 * Walking a structural schema: which schema applies to a key or an item.
 *
 * Both schemas and objects come from strangers, so that keys such as `__proto__` are looked up as own keys only.
 */

import type { JsonObject } from "../../../model/object.ts";
import { isObject } from "../values.ts";

/** One node of an `openAPIV3Schema`. */
export type Schema = JsonObject;

/** The fields that every resource has; an embedded resource and the root keep them whatever the schema says. */
export const RESOURCE_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Returns an own key's value. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns the schema that a node has under a key such as `items`, if it is one. */
export function subSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const found = own(schema, key);
  return isObject(found) ? found : undefined;
}

/** Returns the schema of a declared property. */
export function propertySchema(schema: Schema | undefined, key: string): Schema | undefined {
  return subSchema(subSchema(schema, "properties"), key);
}

/** Returns the schema that applies to a key of an object: the property's, or the one of additional properties. */
export function schemaOfKey(schema: Schema | undefined, key: string): Schema | undefined {
  return propertySchema(schema, key) ?? subSchema(schema, "additionalProperties");
}

/** Returns the entries of a map of schemas, such as `properties`. */
export function schemaEntries(schema: Schema | undefined, key: string): [string, Schema][] {
  return Object.entries(subSchema(schema, key) ?? {})
    .filter((entry): entry is [string, Schema] => isObject(entry[1]));
}

/** Returns the schemas of `allOf`, `anyOf` or `oneOf`. */
export function schemaList(schema: Schema | undefined, key: string): Schema[] {
  const found = own(schema, key);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Tells whether a boolean extension or keyword is set on a node. */
export function isSet(schema: Schema | undefined, key: string): boolean {
  return own(schema, key) === true;
}

/** Returns a field's path as error messages write it. */
export function childPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
