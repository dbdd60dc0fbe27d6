/**
 * Outlines: states that are too large for a note, with a digest in the place of each large field.
 *
 * A mark is the field's type and digest. It tells whether the field has changed, and so which handlers are concerned; the
 * former value is lost. Small fields stay as they are. Outlines of earlier releases have marks at any depth: they are read.
 */

import { digestOf } from "../../model/encoding.ts";
import {
  canonicalJson,
  getKey,
  isEmptyObject,
  isEqualJson,
  isObject,
  setKey,
  shallowCopy,
} from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";

/** A state in two parts. */
export interface Outline {
  /** The fields that are small enough. */
  readonly rest: JsonObject;
  /** Marks, in objects that are nested as the state is. */
  readonly large: JsonObject;
}

/** The text that handlers see instead of one that was too large. */
export const LOST_TEXT = "(too large to be noted)";

/** Fields of more characters of JSON are marked. */
const SMALL = 256;

/** Deeper objects of a note are not ours: a stranger may have nested them deeper than calls can go. */
const DEEPEST = 200;

/** Returns the outline of a state: two levels have fields such as "spec.text", one level has "spec" as a whole. */
export function outlineOf(state: JsonObject, levels: number): Outline {
  const [rest, large]: [JsonObject, JsonObject] = [{}, {}];
  for (const key of Object.keys(state)) {
    const value = state[key];
    if (isObject(value) && levels > 1) {
      const inner = outlineOf(value, levels - 1);
      const isMarked = !isEmptyObject(inner.large);
      if (isMarked) setKey(large, key, inner.large);
      if (!isMarked || !isEmptyObject(inner.rest)) setKey(rest, key, inner.rest);
    } else if (canonicalJson(value).length <= SMALL) setKey(rest, key, value);
    else setKey(large, key, markOf(value));
  }
  return { rest, large };
}

/**
 * Returns back the state: marked values that are still the same are taken from the present one; for others a value of
 * their type stands in (a text that says so, or an empty list or object), which differs from the present one.
 */
export function fillOutline({ rest, large }: Outline, present: JsonObject): JsonObject {
  return fill(rest, { large, present, depth: 0 }) as JsonObject; // an object with marks in it gives an object
}

function markOf(value: unknown): string {
  return (Array.isArray(value) ? "l" : isObject(value) ? "o" : "t") + digestOf(value);
}

interface Filling {
  readonly large: unknown;
  readonly present: unknown;
  readonly depth: number;
}

function fill(rest: unknown, { large, present, depth }: Filling): unknown {
  if (typeof large === "string") return recall(large, present);
  const result = isObject(rest) ? shallowCopy(rest) : {};
  if (!isObject(large) || depth > DEEPEST) return result;
  for (const key of Object.keys(large)) {
    const value = fill(getKey(result, key), {
      large: large[key],
      present: isObject(present) ? getKey(present, key) : undefined,
      depth: depth + 1,
    });
    if (value !== undefined) setKey(result, key, value);
  }
  return result;
}

function recall(mark: string, present: unknown): unknown {
  if (present !== undefined && digestOf(present) === mark.slice(1)) return present;
  const standIn = mark.startsWith("l") ? [] : mark.startsWith("o") ? {} : LOST_TEXT;
  return isEqualJson(standIn, present) ? undefined : standIn;
}
