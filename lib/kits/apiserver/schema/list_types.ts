/**
 * `x-kubernetes-list-type`: items of sets, and keys of maps, stand once.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/listtype.
 */

import { type Cause, duplicate, invalid } from "../causes.ts";
import { formatJson } from "../formats/go_format.ts";
import { isObject, setOwn } from "../values.ts";
import { childPath, own, propertySchema, type Schema, subSchema } from "./structural.ts";

/** Returns the duplicates in sets and maps of a value and of everything below it. */
export function findDuplicates(value: unknown, schema: Schema | undefined, path = ""): Cause[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const items = subSchema(schema, "items");
    return [
      ...duplicatesOf(value, { schema, path }),
      ...value.flatMap((item, index) => findDuplicates(item, items, `${path}[${index}]`)),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const property = propertySchema(schema, key);
    const additional = subSchema(schema, "additionalProperties");
    return property !== undefined
      ? findDuplicates(child, property, childPath(path, key))
      : findDuplicates(child, additional, `${path}[${key}]`);
  });
}

/** Returns the keys of a list of type map. */
export function mapKeys(schema: Schema | undefined): string[] | undefined {
  if (own(schema, "x-kubernetes-list-type") !== "map") return undefined;
  const keys = own(schema, "x-kubernetes-list-map-keys");
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
}

/** Returns the keys that identify an item of a list of type map. */
export function keyOfItem(item: unknown, keys: readonly string[]): Schema {
  const key: Schema = {};
  for (const name of keys) {
    if (isObject(item) && Object.hasOwn(item, name)) setOwn(key, name, item[name]);
  }
  return key;
}

function duplicatesOf(
  items: readonly unknown[],
  { schema, path }: { schema: Schema; path: string },
): Cause[] {
  if (own(schema, "x-kubernetes-list-type") === "set") {
    return repeated(items).map((index) => duplicate(`${path}[${index}]`, items[index]));
  }
  const keys = mapKeys(schema);
  if (keys === undefined) return [];
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    const detail = "must be an object for an array of list-type map";
    return [invalid(`${path}[${stray}]`, { value: items[stray], detail })];
  }
  const found = items.map((item) => keyOfItem(item, keys));
  return repeated(found).map((index) => duplicate(`${path}[${index}]`, found[index]));
}

/** Returns the index of each value's second appearance. */
function repeated(values: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = formatJson(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [index] : [];
  });
}
