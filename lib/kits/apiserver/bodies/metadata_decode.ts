/**
 * From a JSON value to metadata, as Go's decoder reads it, with its words for faults.
 */

import type { JsonObject, ObjectMeta } from "../../../model/object.ts";
import { isObject, setOwn } from "../values.ts";

/** The type of a field: Go's name for the type of the whole, and of its items. */
type FieldType = "string" | "int64" | "map" | "strings" | "objects" | "anything";

/** Fields that are not listed are dropped. */
const METADATA: Readonly<Record<string, FieldType>> = {
  name: "string",
  generateName: "string",
  namespace: "string",
  selfLink: "anything",
  uid: "string",
  resourceVersion: "string",
  generation: "int64",
  creationTimestamp: "string",
  deletionTimestamp: "string",
  deletionGracePeriodSeconds: "int64",
  labels: "map",
  annotations: "map",
  ownerReferences: "objects",
  finalizers: "strings",
  managedFields: "anything",
};

/** The treatment of members that do not fit. */
export interface MetadataDecoding {
  /** Go's name for the place in its errors. */
  readonly prefix: string;
  /** Takes the paths of unknown fields, such as `metadata.nickname`. */
  readonly unknown: string[];
  /** Refuses the object. */
  readonly fail: (fault: string) => never;
}

/** Returns the known fields of `metadata`; empty ones are left out. */
export function decodeMetadata(value: unknown, { prefix, unknown, fail }: MetadataDecoding): ObjectMeta {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    return fail(`json: cannot unmarshal ${wordFor(value)} into Go value of type v1.ObjectMeta`);
  }
  const metadata: JsonObject = {};
  for (const field of Object.keys(value)) {
    const found = value[field];
    const type = Object.hasOwn(METADATA, field) ? METADATA[field] : undefined;
    if (type === undefined) unknown.push(`metadata.${field}`);
    else if (field === "managedFields" && Array.isArray(found)) metadata[field] = found;
    else if (type !== "anything" && !isEmpty(found)) {
      const fault = typeFault(found, type);
      if (fault !== undefined) {
        fail(
          `json: cannot unmarshal ${fault.found} into Go struct field ${prefix}.${field} of type ${fault.wanted}`,
        );
      }
      metadata[field] = type === "map" && isObject(found) ? withoutNulls(found) : found;
    }
  }
  return metadata;
}

/** NB: to Go, a null among texts is an empty one. */
function withoutNulls(map: JsonObject): JsonObject {
  if (!Object.values(map).includes(null)) return map;
  const copy: JsonObject = {};
  for (const key of Object.keys(map)) setOwn(copy, key, map[key] ?? "");
  return copy;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

interface TypeFault {
  readonly found: string;
  readonly wanted: string;
}

function typeFault(value: unknown, type: FieldType): TypeFault | undefined {
  switch (type) {
    case "string":
      return typeof value === "string" ? undefined : { found: wordFor(value), wanted: "string" };
    case "int64":
      return Number.isSafeInteger(value) || typeof value === "bigint"
        ? undefined
        : { found: wordFor(value), wanted: "int64" };
    case "map":
      if (!isObject(value)) return { found: wordFor(value), wanted: "map[string]string" };
      return firstFault(
        Object.values(value),
        (item) => item === null ? undefined : typeFault(item, "string"),
      );
    case "strings":
      if (!Array.isArray(value)) return { found: wordFor(value), wanted: "[]string" };
      return firstFault(value, (item) => typeFault(item, "string"));
    case "objects":
      if (!Array.isArray(value)) return { found: wordFor(value), wanted: "[]v1.OwnerReference" };
      return firstFault(
        value,
        (item) => isObject(item) ? undefined : { found: wordFor(item), wanted: "v1.OwnerReference" },
      );
    case "anything":
      return undefined;
  }
}

function firstFault(
  values: readonly unknown[],
  check: (value: unknown) => TypeFault | undefined,
): TypeFault | undefined {
  for (const value of values) {
    const fault = check(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Go's words for JSON types. */
function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}
