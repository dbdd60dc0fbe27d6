/** Finds the node of a field in a structural schema. */

import { getKey, isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";

/**
 * Returns the node of a field, "anything" where unknown fields are kept, undefined where there can be no such field.
 *
 * The fields of metadata are Kubernetes' own: all of them are anything.
 */
export function nodeAt(schema: JsonObject, path: readonly string[]): JsonObject | "anything" | undefined {
  let node = schema;
  for (const [index, key] of path.entries()) {
    if (index === 0 && (key === "metadata" || key === "apiVersion" || key === "kind")) return "anything";
    const property = getKey(isObject(node.properties) ? node.properties : {}, key);
    const next = property ?? node.additionalProperties;
    if (isObject(next)) node = next;
    else return isOpen(node) || next === true ? "anything" : undefined;
  }
  return node;
}

function isOpen(node: JsonObject): boolean {
  return node["x-kubernetes-preserve-unknown-fields"] === true ||
    node["x-kubernetes-embedded-resource"] === true ||
    (node.type === undefined && node.properties === undefined);
}
