/**
 * Work with any JSON value: look into it, copy it, compare it, write it down in one canonical way.
 *
 * Objects come from strangers. Keys such as `__proto__` are data: they are read only where the object owns them, and
 * set in a way that never changes a prototype. `null` and an absent key are the same, as in Kubernetes and in Kopf;
 * numbers and booleans are never equal to each other, unlike in Kopf (Python). Whole numbers beyond 2^53 are bigints, and
 * mean the same as a number of that size. API servers take objects of 10,000 levels, more than a stack of calls can have
 * everywhere: no function here goes deeper than some hundred calls.
 */

import type { JsonObject } from "./object.ts";

/** Tells whether the value is a JSON object: neither null nor an array nor a scalar. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a copy without the members that are undefined. */
export function withoutUndefined<Content extends object>(object: Content): Partial<Content> {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Partial<Content>; // has some of its members
}

/** Returns the object's own value under the key; undefined if it is absent or null. */
export function getKey(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] ?? undefined : undefined;
}

/** Sets the object's own value under the key, whatever the key is. */
export function setKey(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    // NB: a plain assignment would change the prototype instead.
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Tells whether the object has no keys. */
export function isEmptyObject(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}

/** Returns a copy of the object's own keys, values shared. */
export function shallowCopy(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) setKey(copy, key, object[key]);
  return copy;
}

/** How many levels are walked by calls; a deeper value is put aside, and walked from there anew. */
const CALL_DEPTH = 200;

/** The levels that values of users may have: API servers take no more. */
const DEEPEST = 10_000;

/** Returns a deep copy of a JSON value. Several times faster than `structuredClone`; only for plain JSON. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copying: Copying = { depth: 0, later: [] };
  const copy = copyOf(value, copying);
  for (let next = copying.later.pop(); next !== undefined; next = copying.later.pop()) {
    copyInto(next, copying);
  }
  // The copy has the same shape as the original, which TypeScript cannot know.
  return copy as T;
}

interface Copy {
  readonly from: unknown[] | JsonObject;
  readonly to: unknown[] | JsonObject;
}

interface Copying {
  depth: number;
  readonly later: Copy[];
}

function copyOf(value: unknown, copying: Copying): unknown {
  if (typeof value !== "object" || value === null) return value;
  // JSON has no other values.
  const from = value as unknown[] | JsonObject;
  const copy: Copy = { from, to: Array.isArray(from) ? [] : {} };
  if (copying.depth >= CALL_DEPTH) copying.later.push(copy);
  else {
    copying.depth++;
    copyInto(copy, copying);
    copying.depth--;
  }
  return copy.to;
}

function copyInto({ from, to }: Copy, copying: Copying): void {
  if (Array.isArray(from)) {
    const list = to as unknown[]; // made beside it
    for (const item of from) list.push(copyOf(item, copying));
    return;
  }
  const object = to as JsonObject; // made beside it
  for (const key of Object.keys(from)) setKey(object, key, copyOf(from[key], copying));
}

/** Freezes a JSON value and everything in it, and returns it. A frozen value is not walked again. */
export function deepFreeze<T>(value: T): T {
  if (!isOpen(value)) return value;
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const child of Object.values(next)) if (isOpen(child)) open.push(child);
  }
  return value;
}

function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}

/** Tells whether two JSON values mean the same: order of keys does not count, null is as absent. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  return isEqual(a, b, false);
}

/** Tells whether two JSON values are the same: order of keys does not count, but null is not as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isEqual(a, b, true);
}

interface Comparing {
  readonly nullCounts: boolean;
  depth: number;
  /** Pairs of values that lie deep: they are equal unless a difference is found. */
  readonly later: unknown[];
}

function isEqual(a: unknown, b: unknown, nullCounts: boolean): boolean {
  if (a === b) return true;
  const comparing: Comparing = { nullCounts, depth: 0, later: [] };
  if (!equalValues(a, b, comparing)) return false;
  while (comparing.later.length > 0) {
    if (!equalValues(comparing.later.pop(), comparing.later.pop(), comparing)) return false;
  }
  return true;
}

function equalValues(a: unknown, b: unknown, comparing: Comparing): boolean {
  if (a === b) return true;
  if (a === undefined || a === null || b === undefined || b === null) {
    return !comparing.nullCounts && (a ?? undefined) === (b ?? undefined);
  }
  if (typeof a !== "object" || typeof b !== "object") return isSameNumber(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (comparing.depth >= CALL_DEPTH) {
    comparing.later.push(a, b);
    return true;
  }
  comparing.depth++;
  const isSame = Array.isArray(a)
    // The lines above have found out the types of both.
    ? equalArrays(a, b as unknown[], comparing)
    : equalObjects(a as JsonObject, b as JsonObject, comparing);
  comparing.depth--;
  return isSame;
}

function isLarge(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Numbers of that size come from programs, and bigints from texts. */
function isSameNumber(a: unknown, b: unknown): boolean {
  if (typeof a === "number") return typeof b === "bigint" && Number.isInteger(a) && BigInt(a) === b;
  return typeof a === "bigint" && Number.isInteger(b) && BigInt(Number(b)) === a;
}

function equalArrays(a: readonly unknown[], b: readonly unknown[], comparing: Comparing): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index] && !equalValues(a[index], b[index], comparing)) return false;
  }
  return true;
}

function equalObjects(a: JsonObject, b: JsonObject, comparing: Comparing): boolean {
  // Lists of keys would cost more than the comparison, and most values are equal.
  for (const key in a) {
    if (!Object.hasOwn(a, key)) continue;
    const own = a[key];
    const other = Object.hasOwn(b, key) ? b[key] : undefined;
    if (own !== other && !equalValues(own, other, comparing)) return false;
  }
  for (const key in b) {
    if (Object.hasOwn(b, key) && !Object.hasOwn(a, key) && !equalValues(undefined, b[key], comparing)) {
      return false;
    }
  }
  return true;
}

/**
 * Writes a JSON value in one canonical way: keys sorted by code unit, no spaces, null and undefined members left out.
 *
 * Values that are equal for `isEqualJson` give the same text.
 *
 * @throws {RangeError} If it is a circle, or has more levels than API servers take.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return canonicalScalar(value);
  // Not by calls, and depth first: values of users may have circles, and the walk must come to an end.
  const open = [openLevel(value)];
  let text = open[0]?.isList === true ? "[" : "{";
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { object, keys, isList } = level;
    const key = keys[level.at++];
    if (key === undefined) {
      text += isList ? "]" : "}";
      open.pop();
      continue;
    }
    const member = object[key];
    if (!isList && (member === null || member === undefined)) continue;
    if (!level.isEmpty) text += ",";
    level.isEmpty = false;
    if (!isList) text += PLAIN.test(key) ? `"${key}":` : `${JSON.stringify(key)}:`;
    if (typeof member !== "object" || member === null) text += canonicalScalar(member);
    else {
      if (open.length > DEEPEST) {
        throw new RangeError("Cannot write JSON: it is a circle, or nested too deeply");
      }
      const inner = openLevel(member);
      text += inner.isList ? "[" : "{";
      open.push(inner);
    }
  }
  return text;
}

/** Keys that stand in JSON as they are: nearly all. */
const PLAIN = /^[\w$./-]*$/;

/** An object or list that is being written. */
interface WrittenLevel {
  readonly object: Readonly<JsonObject>;
  readonly keys: readonly string[];
  readonly isList: boolean;
  at: number;
  isEmpty: boolean;
}

function openLevel(value: object): WrittenLevel {
  const isList = Array.isArray(value);
  const keys = isList ? Array.from(value, (_, index) => String(index)) : Object.keys(value).sort();
  // Lists are read by their indices.
  return { object: value as JsonObject, keys, isList, at: 0, isEmpty: true };
}

function canonicalScalar(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  // As JSON, such numbers end in zeros that are not theirs, or in an exponent; bigints of the same size do not.
  if (typeof value === "number" && isLarge(value)) return String(BigInt(value));
  if (typeof value === "boolean" || Number.isFinite(value)) return String(value);
  return JSON.stringify(value ?? null) ?? "null";
}

/**
 * Returns the JSON value of a value that a user made: an own deep copy, `toJSON` applied, undefined members left out, and
 * bigints as numbers where numbers are exact.
 *
 * @param where The value that is being converted, for the message: a dotted path such as "status.state".
 * @throws {TypeError} If a part of it cannot be JSON: NaN, an infinity, a circle; or if it has more than 10,000 levels.
 */
export function toJson(value: unknown, where: string): unknown {
  const state: Conversion = { where, path: [], parents: new Set(), depth: 0, later: [] };
  const converted = convert(value, state);
  for (let next = state.later.pop(); next !== undefined; next = state.later.pop()) {
    convertInto(next, { ...state, path: [...next.path], parents: new Set(next.parents), depth: 0 });
  }
  return converted;
}

interface Conversion {
  readonly where: string;
  readonly path: string[];
  /** The objects that lead to where it is: none of them may come again. */
  readonly parents: Set<object>;
  depth: number;
  readonly later: Converted[];
}

interface Converted {
  readonly from: object;
  readonly to: unknown[] | JsonObject;
  readonly path: readonly string[];
  readonly parents: ReadonlySet<object>;
}

function convert(value: unknown, state: Conversion): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // As JSON, large numbers end in zeros that are not theirs.
      if (Number.isFinite(value)) return isLarge(value) && Math.abs(value) < 1e21 ? BigInt(value) : value;
      throw notJson(String(value), state);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    case "object":
      return value === null ? null : convertObject(value, state);
    default:
      return undefined;
  }
}

function convertObject(value: object, state: Conversion): unknown {
  const { path, parents } = state;
  if (parents.has(value)) throw notJson("a circle", state);
  if (path.length >= DEEPEST) throw notJson("nested too deeply", { ...state, path: [] });
  if ("toJSON" in value && typeof value.toJSON === "function") return convert(value.toJSON(), state);
  const converted: Converted = { from: value, to: Array.isArray(value) ? [] : {}, path, parents };
  if (state.depth >= CALL_DEPTH) {
    state.later.push({ ...converted, path: [...path], parents: new Set(parents) });
  } else {
    state.depth++;
    convertInto(converted, state);
    state.depth--;
  }
  return converted.to;
}

function convertInto({ from, to }: Converted, state: Conversion): void {
  state.parents.add(from);
  if (Array.isArray(from)) {
    const list = to as unknown[]; // made beside it
    for (const [index, item] of from.entries()) list.push(convertMember(item, String(index), state) ?? null);
  } else convertMembers(from, to as JsonObject, state); // made beside it
  state.parents.delete(from);
}

function convertMembers(from: object, copy: JsonObject, state: Conversion): void {
  for (const [key, member] of Object.entries(from)) {
    const converted = convertMember(member, key, state);
    if (converted !== undefined) setKey(copy, key, converted);
  }
}

function convertMember(member: unknown, key: string, state: Conversion): unknown {
  state.path.push(key);
  const converted = convert(member, state);
  state.path.pop();
  return converted;
}

function notJson(what: string, state: Conversion): TypeError {
  const where = [state.where, ...state.path].filter((part) => part !== "").join(".");
  const error = new TypeError(`Cannot turn "${where}" into JSON: it is ${what}`);
  // The code that has put it there is on no stack any more, and our own lines do not help.
  error.stack = String(error);
  return error;
}
