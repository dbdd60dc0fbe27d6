/**
 * Paths into objects: how users write them, how values are read and set by them.
 *
 * Kopf's rules (docs/filters, "Field filters"): a dotted string, or a list of keys where a key contains dots. There are
 * no array indices. A value that is missing, null, or behind a value that is not an object counts as absent (deviation
 * G8: in Kopf it crashes the reconcile).
 */

import { getKey, isEmptyObject, isObject, setKey, shallowCopy } from "./json.ts";
import type { JsonObject } from "./object.ts";

/** A path as a list of keys; the empty one is the whole object. */
export type FieldPath = readonly string[];

/** A path as users write it: dotted ("spec.replicas"), or a list of keys. */
export type FieldSpec = string | readonly string[];

/**
 * Returns the keys of a path. Undefined, null, "" and [] give the empty path.
 *
 * @throws {TypeError} If it is neither a string nor a list of strings.
 * @throws {SyntaxError} If the dotted form has an empty key, as in "spec..replicas", or a key that has dots itself.
 */
export function parseField(spec: FieldSpec | null | undefined): FieldPath {
  if (spec === undefined || spec === null || spec === "") return [];
  if (typeof spec === "string") {
    const keys = spec.split(".");
    if (keys.includes("")) {
      throw new SyntaxError(
        `Cannot parse field "${spec}": a key is empty; write a list of keys if that is meant`,
      );
    }
    rejectSplitKey(spec, keys);
    return keys;
  }
  if (!Array.isArray(spec) || !spec.every((key) => typeof key === "string")) {
    throw new TypeError(
      `Cannot parse field "${String(spec)}": expected a dotted string or a list of strings`,
    );
  }
  return [...spec];
}

/** Labels and annotations are texts: below them there is nothing, so that further keys are parts of one key with dots in it. */
function rejectSplitKey(spec: string, keys: readonly string[]): void {
  const [stanza = "", map = "", ...rest] = keys;
  const isMap = stanza === "metadata" && (map === "labels" || map === "annotations");
  const isSplit = isMap ? rest.length > 1 : keys.some((key) => key.includes("/"));
  if (!isSplit) return;
  const example = isMap ? [stanza, map, rest.join(".")] : ["spec", "nodeSelector", "kubernetes.io/os"];
  throw new SyntaxError(
    `Cannot parse field "${spec}": a key with dots in it must stand in a list of keys, such as ${
      JSON.stringify(example)
    }`,
  );
}

/** Returns the dotted form of a path, for messages and ids. Keys with dots stay as they are. */
export function formatField(path: FieldPath): string {
  return path.join(".");
}

/** Returns the value at the path; undefined if it is absent, null, or behind a value that is not an object. */
export function getField(body: unknown, path: FieldPath): unknown {
  let value = body;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = getKey(value, key);
  }
  return value ?? undefined;
}

/** Returns a copy with the value at the path set; everything beside the path is shared with the original. */
export function withField(object: JsonObject, path: FieldPath, value: unknown): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const copy = shallowCopy(object);
  if (rest.length === 0) {
    setKey(copy, key, value);
  } else {
    const child = getKey(object, key);
    setKey(copy, key, withField(isObject(child) ? child : {}, rest, value));
  }
  return copy;
}

/**
 * Returns the object without the value at the path, and without parents emptied by that; everything else is shared.
 *
 * The original itself if there is no value at the path.
 */
export function withoutField(object: JsonObject, path: FieldPath): JsonObject {
  const key = path[0];
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  if (path.length === 1) return withoutKey(object, key);
  const rest = path.slice(1);
  const child = object[key];
  if (!isObject(child)) return object;
  const reduced = withoutField(child, rest);
  if (reduced === child) return object;
  if (isEmptyObject(reduced)) return withoutKey(object, key);
  const copy = shallowCopy(object);
  setKey(copy, key, reduced);
  return copy;
}

function withoutKey(object: JsonObject, key: string): JsonObject {
  const copy = shallowCopy(object);
  delete copy[key];
  return copy;
}
