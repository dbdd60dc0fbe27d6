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
  // A merge patch can make anything of anything; callers know what theirs leaves.
  return mergeObject(live, patch) as T;
}

function mergeObject(live: unknown, patch: JsonObject): JsonObject {
  const result = isObject(live) ? shallowCopy(live) : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      setKey(result, key, mergeObject(getKey(result, key), value));
    } else if (value !== undefined) {
      setKey(result, key, cloneJson(value));
    }
  }
  return result;
}

/** Returns one patch that says what both say; where they differ, what the second one says. Parts are shared with both. */
export function joinPatches(first: JsonObject, second: JsonObject): JsonObject {
  const result = shallowCopy(first);
  for (const key of Object.keys(second)) {
    const [before, value] = [getKey(result, key), second[key]];
    setKey(result, key, isObject(before) && isObject(value) ? joinPatches(before, value) : value);
  }
  return result;
}

/**
 * Returns what is left of a patch when all that the live object has already is left out; undefined if that is nothing.
 *
 * Deleting what is absent is nothing, also where its parents are absent too; so is merging into nothing but itself.
 */
export function minimisePatch(live: unknown, patch: JsonObject): JsonObject | undefined {
  const result: JsonObject = {};
  let empty = true;
  for (const key of Object.keys(patch)) {
    const rest = minimiseValue(isObject(live) ? getKey(live, key) : undefined, patch[key]);
    if (rest === undefined) continue;
    setKey(result, key, rest);
    empty = false;
  }
  return empty ? undefined : result;
}

function minimiseValue(live: unknown, value: unknown): unknown {
  if (!isObject(value)) return isEqualJson(live, value) ? undefined : value;
  if (isObject(live)) return minimisePatch(live, value);
  // Where there is nothing, deletions alone make nothing, but an explicit {} makes an empty object. What stands in the way
  // of an object is replaced.
  return live !== undefined || isEmptyObject(value) ? value : minimisePatch({}, value);
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
