/**
 * JSON patches (RFC 6902): the steps from one state to another. Servers apply them; this package does not.
 *
 * Our own, small: the packages for it either refuse `__proto__` as a key or set the prototype by it, and rewrite each item
 * behind a removed one, so that taking our finalizer off a list would touch everybody else's.
 */

import { cloneJson, isObject, isSameJson, toJson } from "./json.ts";
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
 * @throws {TypeError} If the new state holds a value that cannot be JSON.
 */
export function createJsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, { operations, path: "", depth: 0 });
  return operations;
}

/**
 * Returns the steps that a patch makes of a body: its merge patch first, then its functions, which may change that result.
 *
 * The body stays as it is.
 *
 * @throws {TypeError} If the patch is not empty and there is no body; or if its result cannot be JSON.
 */
export function toJsonPatch(patch: Patch, body?: KubeObject): JsonPatchOperation[] {
  if (patch.isEmpty) return [];
  if (body === undefined) throw new TypeError("Cannot make a JSON patch without the body that it is for");
  const after = cloneJson(applyMergePatch(body, patch.toMergePatch()));
  for (const fn of patch.fns) fn(after);
  return createJsonPatch(body, after);
}

/** Below so many levels, values that differ are replaced as a whole. */
const DEEPEST = 200;

interface Comparison {
  readonly operations: JsonPatchOperation[];
  readonly path: string;
  readonly depth: number;
}

function compare(a: unknown, b: unknown, state: Comparison): void {
  if (a === b) return;
  const { operations, path, depth } = state;
  if (depth > DEEPEST && isSameJson(a, b)) return;
  if (depth <= DEEPEST && isObject(a) && isObject(b)) compareObjects(a, b, state);
  else if (depth <= DEEPEST && Array.isArray(a) && Array.isArray(b)) compareArrays(a, b, state);
  else if (b === undefined) operations.push({ op: "remove", path });
  else operations.push({ op: a === undefined ? "add" : "replace", path, value: toJson(b, path) });
}

function compareObjects(a: JsonObject, b: JsonObject, { operations, path, depth }: Comparison): void {
  const at = (key: string) => ({ operations, path: `${path}/${escapePointer(key)}`, depth: depth + 1 });
  for (const key of Object.keys(a)) {
    const after = Object.hasOwn(b, key) ? b[key] : undefined;
    if (a[key] !== after) compare(a[key], after, at(key));
  }
  for (const key of Object.keys(b)) {
    if (Object.hasOwn(a, key) || b[key] === undefined) continue;
    compare(undefined, b[key], at(key));
  }
}

/** Leaves equal items at both ends alone; in between, items are compared in pairs, and the rest added or removed. */
function compareArrays(
  a: readonly unknown[],
  b: readonly unknown[],
  { operations, path, depth }: Comparison,
): void {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && isSameJson(a[start], b[start])) start++;
  let end = 0;
  while (end < shorter - start && isSameJson(a[a.length - 1 - end], b[b.length - 1 - end])) end++;
  const pairs = shorter - end;
  for (let index = start; index < pairs; index++) {
    compare(a[index], b[index] ?? null, { operations, path: `${path}/${index}`, depth: depth + 1 });
  }
  // From the end, so that the positions before stay as they are.
  for (let index = a.length - end - 1; index >= pairs; index--) {
    operations.push({ op: "remove", path: `${path}/${index}` });
  }
  for (let index = pairs; index < b.length - end; index++) {
    operations.push({ op: "add", path: `${path}/${index}`, value: toJson(b[index], path) });
  }
}

/** Returns one key as it stands in a JSON pointer (RFC 6901). */
function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
