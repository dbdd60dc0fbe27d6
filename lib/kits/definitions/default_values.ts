/**
 * Defaults of objects, with the defaults of their fields filled in.
 *
 * The API server would fill them in by itself, but holds a default against rules and required fields before it does.
 */

import { getKey, isObject, setKey, shallowCopy } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";

/** Completes all defaults of a structural schema, in place. */
export function completeDefaults(node: JsonObject): void {
  for (const below of nodesBelow(node)) completeDefaults(below);
  if (isObject(node.default)) node.default = fill(node.default, node);
}

/** Whether some field of an object has a default. */
export function hasDefaults(node: JsonObject): boolean {
  return propertiesOf(node).some(([, property]) => Object.hasOwn(property, "default"));
}

function fill(value: JsonObject, node: JsonObject): JsonObject {
  const filled = shallowCopy(value);
  for (const [key, property] of propertiesOf(node)) {
    const given = Object.hasOwn(filled, key) ? filled[key] : getKey(property, "default");
    if (given === undefined) continue;
    setKey(filled, key, isObject(given) ? fill(given, property) : given);
  }
  return filled;
}

function propertiesOf(node: JsonObject): [string, JsonObject][] {
  return Object.entries(isObject(node.properties) ? node.properties : {})
    .filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

function nodesBelow(node: JsonObject): JsonObject[] {
  const others = [node.items, node.additionalProperties].filter(isObject);
  return [...propertiesOf(node).map(([, property]) => property), ...others];
}
