/**
 * JSON merge patches (RFC 7386): null deletes, objects merge, everything else replaces.
 *
 * Beside applying them: putting two together, and leaving out what the live object has already, so that nothing is
 * sent that changes nothing (docs/architecture.md). All functions leave their arguments as they are.
 */

import { cloneJson, getKey, isEmptyObject, isEqualJson, isObject, setKey, shallowCopy } from "./json.ts";
import type { JsonObject } from "./object.ts";

/** Returns the object as it is after the patch. Parts that the patch does not reach are shared with the original. */
export function applyMergePatch<T = JsonObject>(live: T, patch: JsonObject): T {
  const result = isObject(live) ? shallowCopy(live) : {};
  // NB: not by calls: patches may be nested as deep as objects.
  const open: Merge[] = [{ result, patch }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) mergeInto(next, open);
  // A merge patch can make anything of anything; callers know what theirs leaves.
  return result as T;
}

interface Merge {
  readonly result: JsonObject;
  readonly patch: JsonObject;
}

/** Merges one level; the objects in it are added to those that are still to be merged. */
function mergeInto({ result, patch }: Merge, open: Merge[]): void {
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      const live = getKey(result, key);
      const child = isObject(live) ? shallowCopy(live) : {};
      setKey(result, key, child);
      open.push({ result: child, patch: value });
    } else if (value !== undefined) {
      setKey(result, key, cloneJson(value));
    }
  }
}

/** Returns one patch that says what both say; where they differ, what the second one says. Parts are shared with both. */
export function joinPatches(first: JsonObject, second: JsonObject): JsonObject {
  const result = shallowCopy(first);
  const open: Merge[] = [{ result, patch: second }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const key of Object.keys(next.patch)) {
      const [before, value] = [getKey(next.result, key), next.patch[key]];
      const child = isObject(before) && isObject(value) ? shallowCopy(before) : undefined;
      setKey(next.result, key, child ?? value);
      if (child !== undefined) open.push({ result: child, patch: value as JsonObject }); // an object, as just seen
    }
  }
  return result;
}

/**
 * Returns what is left of a patch when all that the live object has already is left out; undefined if that is nothing.
 *
 * Deleting what is absent is nothing, also where its parents are absent too; so is merging into nothing but itself.
 */
export function minimisePatch(live: unknown, patch: JsonObject): JsonObject | undefined {
  return minimise(live, patch, 0);
}

/** Below so many levels, patches are sent as a whole if anything of them is news. */
const DEEPEST = 200;

function minimise(live: unknown, patch: JsonObject, depth: number): JsonObject | undefined {
  const result: JsonObject = {};
  let empty = true;
  for (const key of Object.keys(patch)) {
    const rest = minimiseValue(isObject(live) ? getKey(live, key) : undefined, patch[key], depth + 1);
    if (rest === undefined) continue;
    setKey(result, key, rest);
    empty = false;
  }
  return empty ? undefined : result;
}

function minimiseValue(live: unknown, value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > DEEPEST) return isEqualJson(live, value) ? undefined : value;
  if (isObject(live)) return minimise(live, value, depth);
  // Where there is nothing, deletions alone make nothing, but an explicit {} makes an empty object. What stands in the way
  // of an object is replaced.
  return live !== undefined || isEmptyObject(value) ? value : minimise({}, value, depth);
}

/** A merge patch in two parts, for kinds whose status is a subresource. */
export interface SplitPatch {
  /** For the object's own URL; undefined if there is nothing but status. */
  readonly main: JsonObject | undefined;
  /** For the status URL, as `{ status: … }`; undefined if there is no status. */
  readonly status: JsonObject | undefined;
}

/** Splits a merge patch into the part for the object and the part for its status. */
export function splitStatus(patch: JsonObject): SplitPatch {
  if (!Object.hasOwn(patch, "status")) {
    return { main: isEmptyObject(patch) ? undefined : patch, status: undefined };
  }
  const main = shallowCopy(patch);
  delete main.status;
  return { main: isEmptyObject(main) ? undefined : main, status: { status: patch.status } };
}
