/**
 * JSON patches (RFC 6902): making one of two states, and applying one.
 *
 * Our own, small: the packages for it either refuse `__proto__` as a key or set the prototype by it, and rewrite each item
 * behind a removed one, so that taking our finalizer off a list would touch everybody else's.
 */

import { cloneJson, isEqualJson, isObject, setKey, toJson } from "./json.ts";
import { applyMergePatch } from "./merge_patch.ts";
import type { JsonObject, KubeObject } from "./object.ts";
import type { Patch } from "./patch.ts";

/** One step of a JSON patch. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * Returns the steps from one state to another; none if they are the same.
 *
 * @throws {TypeError} If the new state holds what cannot be JSON.
 */
export function createJsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, { operations, path: "" });
  return operations;
}

/**
 * Returns the steps that a patch makes of a body: its merge patch first, then its functions, which may change that result.
 *
 * The body stays as it is.
 *
 * @throws {TypeError} If the patch is not empty and there is no body; or if what it makes cannot be JSON.
 */
export function toJsonPatch(patch: Patch, body?: KubeObject): JsonPatchOperation[] {
  if (patch.isEmpty) return [];
  if (body === undefined) throw new TypeError("Cannot make a JSON patch without the body that it is for");
  const after = cloneJson(applyMergePatch(body, patch.toMergePatch()));
  for (const fn of patch.fns) fn(after);
  return createJsonPatch(body, after);
}

/**
 * Returns a copy of the document after all steps.
 *
 * @throws {RangeError} If a path does not exist, or a test fails; nothing has changed then.
 * @throws {TypeError} If a step is malformed.
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return operations.reduce(applyOperation, cloneJson(document));
}

/** Returns one key as it stands in a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * Returns the keys of a JSON pointer.
 *
 * @throws {TypeError} If it is neither empty nor begins with a slash.
 */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) {
    throw new TypeError(`Cannot parse JSON pointer "${pointer}": it must begin with "/"`);
  }
  return pointer.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

interface Comparison {
  readonly operations: JsonPatchOperation[];
  readonly path: string;
}

function compare(a: unknown, b: unknown, state: Comparison): void {
  if (a === b) return;
  const { operations, path } = state;
  if (isObject(a) && isObject(b)) compareObjects(a, b, state);
  else if (Array.isArray(a) && Array.isArray(b)) compareArrays(a, b, state);
  else if (b === undefined) operations.push({ op: "remove", path });
  else operations.push({ op: a === undefined ? "add" : "replace", path, value: toJson(b, path) });
}

function compareObjects(a: JsonObject, b: JsonObject, { operations, path }: Comparison): void {
  for (const key of Object.keys(a)) {
    const after = Object.hasOwn(b, key) ? b[key] : undefined;
    if (a[key] !== after) compare(a[key], after, { operations, path: `${path}/${escapePointer(key)}` });
  }
  for (const key of Object.keys(b)) {
    if (Object.hasOwn(a, key) || b[key] === undefined) continue;
    compare(undefined, b[key], { operations, path: `${path}/${escapePointer(key)}` });
  }
}

/** Leaves alone what is the same at both ends; in between, items are compared in pairs, and the rest added or removed. */
function compareArrays(a: readonly unknown[], b: readonly unknown[], { operations, path }: Comparison): void {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && isSame(a[start], b[start])) start++;
  let end = 0;
  while (end < shorter - start && isSame(a[a.length - 1 - end], b[b.length - 1 - end])) end++;
  const pairs = shorter - end;
  for (let index = start; index < pairs; index++) {
    compare(a[index], b[index] ?? null, { operations, path: `${path}/${index}` });
  }
  // From the end, so that the positions before stay as they are.
  for (let index = a.length - end - 1; index >= pairs; index--) {
    operations.push({ op: "remove", path: `${path}/${index}` });
  }
  for (let index = pairs; index < b.length - end; index++) {
    operations.push({ op: "add", path: `${path}/${index}`, value: toJson(b[index], path) });
  }
}

function isSame(a: unknown, b: unknown): boolean {
  // Stricter than `isEqualJson`: inside of lists, null is a value.
  return a === b || (isEqualJson(a, b) && JSON.stringify(a) === JSON.stringify(b));
}

function applyOperation(document: unknown, operation: JsonPatchOperation): unknown {
  const keys = parsePointer(operation.path);
  switch (operation.op) {
    case "add":
      return insert(document, keys, cloneJson(operation.value));
    case "remove":
      return take(document, keys).rest;
    case "replace":
      return insert(take(document, keys).rest, keys, cloneJson(operation.value));
    case "move": {
      const { value, rest } = take(document, parsePointer(operation.from));
      return insert(rest, keys, value);
    }
    case "copy":
      return insert(document, keys, cloneJson(valueAt(document, parsePointer(operation.from))));
    case "test":
      if (isEqualJson(valueAt(document, keys), operation.value)) return document;
      throw new RangeError(`Cannot apply JSON patch: the test at "${operation.path}" has failed`);
    default:
      throw new TypeError(
        `Cannot apply JSON patch: unknown operation "${(operation as { op?: unknown }).op}"`,
      );
  }
}

function valueAt(document: unknown, keys: readonly string[]): unknown {
  let value = document;
  for (const key of keys) {
    if (Array.isArray(value)) value = value[position(key, value.length - 1, keys)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else throw missing(keys);
  }
  return value;
}

/** Puts a value in place: into lists by shifting the rest, over members of objects. */
function insert(document: unknown, keys: readonly string[], value: unknown): unknown {
  const key = keys.at(-1);
  if (key === undefined) return value;
  const parent = valueAt(document, keys.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(key === "-" ? parent.length : position(key, parent.length, keys), 0, value);
  } else if (isObject(parent)) setKey(parent, key, value);
  else throw missing(keys);
  return document;
}

function take(
  document: unknown,
  keys: readonly string[],
): { readonly value: unknown; readonly rest: unknown } {
  const value = valueAt(document, keys);
  const key = keys.at(-1);
  if (key === undefined) return { value, rest: undefined };
  const parent = valueAt(document, keys.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (isObject(parent)) delete parent[key];
  return { value, rest: document };
}

function position(key: string, last: number, keys: readonly string[]): number {
  if (/^(?:0|[1-9][0-9]*)$/.test(key) && Number(key) <= last) return Number(key);
  throw missing(keys);
}

function missing(keys: readonly string[]): RangeError {
  return new RangeError(`Cannot apply JSON patch: there is no "/${keys.map(escapePointer).join("/")}"`);
}
