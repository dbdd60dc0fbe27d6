/**
 * JSON merge patches (RFC 7386): null deletes, objects merge, everything else replaces.
 *
 * Beside applying them: putting two together, and leaving out the values that the live object has already, so that no
 * write is sent that would change no field (docs/architecture.md). All functions leave their arguments as they are.
 */

import { cloneJson, getKey, isEmptyObject, isEqualJson, isObject, setKey, shallowCopy } from "./json.ts";
import type { JsonObject } from "./object.ts";

/** Returns the object as it is after the patch. Parts that the patch does not reach are shared with the original. */
export function applyMergePatch<T = JsonObject>(live: T, patch: JsonObject): T {
  const result = isObject(live) ? shallowCopy(live) : {};
  // Not by calls: patches may be nested as deep as objects.
  const open: Merge[] = [{ result, patch }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) mergeInto(next, open);
  // A merge patch can make a value of any type; callers know the type that theirs leaves.
  return result as T;
}

interface Merge {
  readonly result: JsonObject;
  readonly patch: JsonObject;
}

/** Merges one level; the objects in it are added to the list of objects that are still to be merged. */
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

/** Returns one patch for both; where they differ, the second one counts. Parts are shared with both. */
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
 * Returns the part of a patch that the live object does not have already; undefined if there is none.
 *
 * The deletion of an absent value is left out, also where its parents are absent; so is a value that is merged into itself.
 */
export function minimisePatch(live: unknown, patch: JsonObject): JsonObject | undefined {
  return minimise(live, patch, 0);
}

/** Below so many levels, patches are sent as a whole if anything of them is news. */
const DEEPEST = 200;

function minimise(live: unknown, patch: JsonObject, depth: number): JsonObject | undefined {
  const result: JsonObject = {};
  const before = isObject(live) ? live : undefined;
  let empty = true;
  for (const key of Object.keys(patch)) {
    const rest = minimiseValue(before && getKey(before, key), patch[key], depth + 1);
    if (rest === undefined) continue;
    setKey(result, key, rest);
    empty = false;
  }
  return empty ? undefined : result;
}

function minimiseValue(live: unknown, value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > DEEPEST) return isEqualJson(live, value) ? undefined : value;
  if (isObject(live)) return minimise(live, value, depth);
  // Where there is no value, deletions alone make none, but an explicit {} makes an empty object. A value that stands in the way
  // of an object is replaced.
  return live !== undefined || isEmptyObject(value) ? value : minimise({}, value, depth);
}

/** A merge patch in two parts, for kinds whose status is a subresource. */
export interface SplitPatch {
  /** For the object's own URL; undefined if the patch has only a status. */
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
