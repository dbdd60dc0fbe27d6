/**
 * `x-kubernetes-embedded-resource`: an object inside an object must look like one.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/objectmeta. Of its metadata only the type is checked.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { isObject } from "../values.ts";
import { childPath, isSet, propertySchema, type Schema, subSchema } from "./structural.ts";

/** Returns what is wrong with the embedded resources in a value. */
export function checkEmbedded(value: unknown, schema: Schema | undefined, path = ""): Cause[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      checkEmbedded(item, subSchema(schema, "items"), `${path}[${index}]`)
    );
  }
  if (!isObject(value)) return [];
  const here = isSet(schema, "x-kubernetes-embedded-resource") ? checkResource(value, path) : [];
  const below = Object.entries(value).flatMap(([key, child]) => {
    const property = propertySchema(schema, key);
    return property !== undefined
      ? checkEmbedded(child, property, childPath(path, key))
      : checkEmbedded(child, subSchema(schema, "additionalProperties"), `${path}[${key}]`);
  });
  return [...here, ...below];
}

function checkResource(object: JsonObject, path: string): Cause[] {
  const causes: Cause[] = [];
  for (const key of ["apiVersion", "kind"]) {
    const at = childPath(path, key);
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value === undefined) causes.push(required(at));
    else if (typeof value !== "string") causes.push(invalid(at, { value, detail: "must be a string" }));
    else if (value === "") causes.push(invalid(at, { value, detail: "must not be empty" }));
  }
  const metadata = Object.hasOwn(object, "metadata") ? object.metadata : undefined;
  if (metadata !== undefined && !isObject(metadata)) {
    causes.push(invalid(childPath(path, "metadata"), { value: metadata, detail: "must be an object" }));
  }
  return causes;
}
