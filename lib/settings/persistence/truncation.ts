/**
 * Outlines: states that are too large for a note, with marks in the place of large values.
 *
 * A mark is the value's type and digest. Whether such a value has changed can be told from it, and so which fields have
 * changed, and which handlers are concerned; what it was before cannot. Small values stay as they are.
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
  /** The parts that are small enough. */
  readonly rest: JsonObject;
  /** Marks, in objects that are nested as the state is. */
  readonly large: JsonObject;
}

/** The sizes from which something is too large. In characters of JSON. */
export interface OutlineLimits {
  /** Of texts and lists. */
  readonly value: number;
  /** Of objects, with marks in them. */
  readonly object: number;
  /** Of the whole outline. */
  readonly whole: number;
}

/** The text that handlers see instead of one that was too large. */
export const LOST_TEXT = "(too large to be noted)";

/** Returns a state's outline; undefined if it would be too large: which is known before any digest is made. */
export function outlineOf(state: JsonObject, limits: OutlineLimits): Outline | undefined {
  const { rest, large, size } = cutObject(state, { ...limits, object: Infinity }, { ...limits, depth: 0 });
  if (size > limits.whole) return undefined;
  return { rest: isObject(rest) ? rest : {}, large: isObject(large) ? withDigests(large) : {} };
}

/**
 * Returns back the state: marked values that are still the same are taken from the present one; for others something of
 * their type stands in (a text that says so, or an empty list or object), which differs from the present one.
 */
export function fillOutline({ rest, large }: Outline, present: JsonObject): JsonObject {
  return fill(rest, { large, present, depth: 0 }) as JsonObject; // an object with marks in it gives an object
}

interface Cut {
  /** Undefined if nothing of it is left. */
  readonly rest?: unknown;
  /** A mark to be, or marks in an object. */
  readonly large?: JsonObject | Marked;
  /** Of both parts together. */
  readonly size: number;
}

/** A value that is too large. */
class Marked {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** The length of a mark: a quoted letter, and a digest. */
const MARK_SIZE = 19;

/** Deeper objects are taken as a whole: they can be nested deeper than calls can. */
const DEEPEST = 200;

/** The limits below one level. */
interface CutLimits extends OutlineLimits {
  readonly depth: number;
}

function cut(value: unknown, limits: CutLimits): Cut {
  if (isObject(value) && limits.depth < DEEPEST) {
    return cutObject(value, limits, { ...limits, depth: limits.depth + 1 });
  }
  const text = canonicalJson(value);
  if (text.length <= limits.value) return { rest: value, size: text.length };
  return mark(value);
}

/** `own` are the limits of the object itself. */
function cutObject(object: JsonObject, own: OutlineLimits, limits: CutLimits): Cut {
  const rest: JsonObject = {};
  const large: JsonObject = {};
  let size = 2;
  for (const key of Object.keys(object)) {
    const part = cut(object[key], limits);
    if (part.rest !== undefined) setKey(rest, key, part.rest);
    if (part.large !== undefined) setKey(large, key, part.large);
    size += key.length + 4 + part.size;
  }
  if (size > own.object) return mark(object);
  if (isEmptyObject(large)) return { rest, size };
  return { rest: isEmptyObject(rest) ? undefined : rest, large, size };
}

function mark(value: unknown): Cut {
  return { large: new Marked(value), size: MARK_SIZE };
}

function withDigests(large: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(large)) {
    const part = large[key];
    setKey(result, key, part instanceof Marked ? textOf(part) : withDigests(part as JsonObject)); // nothing else is in it
  }
  return result;
}

function textOf({ value }: Marked): string {
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
  // Ours are not nested more deeply.
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
