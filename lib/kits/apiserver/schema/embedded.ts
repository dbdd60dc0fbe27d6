/**
 * `x-kubernetes-embedded-resource`: an object inside an object must look like one.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/objectmeta.
 */

import type { JsonObject, ObjectMeta } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { annotationCauses, labelCauses } from "../labels.ts";
import { dns1035Errors, pathSegmentErrors } from "../names.ts";
import { isObject } from "../values.ts";
import { childPath, isSet, propertySchema, type Schema, subSchema } from "./structural.ts";

/** Returns the faults of the embedded resources in a value. */
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
  const { kind } = object;
  if (typeof kind === "string" && kind !== "") {
    const errors = dns1035Errors(kind.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${errors.join(",")}`;
    if (errors.length > 0) causes.push(invalid(childPath(path, "kind"), { value: kind, detail }));
  }
  const metadata = Object.hasOwn(object, "metadata") ? object.metadata : undefined;
  return metadata === undefined ? causes : [...causes, ...checkMetadata(metadata, path)];
}

/** NB: a name is not required. */
function checkMetadata(value: unknown, path: string): Cause[] {
  // Metadata that cannot be read was refused before.
  if (!isObject(value)) return [];
  const { name, labels, annotations } = value as ObjectMeta;
  const at = childPath(path, "metadata");
  const names = pathSegmentErrors(name ?? "").map((detail) => invalid(`${at}.name`, { value: name, detail }));
  return [
    ...names,
    ...labelCauses(labels, `${at}.labels`),
    ...annotationCauses(annotations, `${at}.annotations`),
  ];
}
