/**
 * Work with any JSON value: look into it, copy it, compare it, write it down in one canonical way.
 *
 * Objects come from strangers. Keys such as `__proto__` are data: they are read only where the object owns them, and
 * set in a way that never changes a prototype. `null` and an absent key are the same, as in Kubernetes and in Kopf;
 * numbers and booleans are never equal to each other, unlike in Kopf (Python).
 */

import type { JsonObject } from "./object.ts";

/** Tells whether the value is a JSON object: neither null nor an array nor a scalar. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

/** Returns a deep copy of a JSON value. Several times faster than `structuredClone`; only for plain JSON. */
export function cloneJson<T>(value: T): T {
  // The copy has the same shape as the original, which TypeScript cannot know.
  return cloneValue(value) as T;
}

function cloneValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneValue);
  const copy: JsonObject = {};
  // `isObject` has been decided by the two lines above.
  const object = value as JsonObject;
  for (const key of Object.keys(object)) setKey(copy, key, cloneValue(object[key]));
  return copy;
}

/** Freezes a JSON value and everything in it, and gives it back. What is frozen already is not walked again. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Object.keys(value)) deepFreeze((value as JsonObject)[key]); // reading own keys of any object
  return value;
}

/** Tells whether two JSON values mean the same: order of keys does not count, null is as absent. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === undefined || a === null) return b === undefined || b === null;
  if (typeof a !== "object" || typeof b !== "object" || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b);
  // Both are objects and neither is null; the first is no array.
  return !Array.isArray(b) && equalObjects(a as JsonObject, b as JsonObject);
}

function equalArrays(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!isEqualJson(a[index], b[index])) return false;
  return true;
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  // NB: lists of keys would cost more than the comparison, and most of what is compared is equal.
  for (const key in a) {
    if (!Object.hasOwn(a, key)) continue;
    const own = a[key];
    const other = Object.hasOwn(b, key) ? b[key] : undefined;
    if (own !== other && !isEqualJson(own, other)) return false;
  }
  for (const key in b) {
    if (Object.hasOwn(b, key) && !Object.hasOwn(a, key) && b[key] !== null && b[key] !== undefined) {
      return false;
    }
  }
  return true;
}

/**
 * Writes a JSON value in one canonical way: keys sorted by code unit, no spaces, null and undefined members left out.
 *
 * Values that are equal for `isEqualJson` give the same text.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const object = value as JsonObject; // decided by the two lines above
  const members: string[] = [];
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member === null || member === undefined) continue;
    members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * Returns what JSON makes of a value that a user made: an own deep copy, `toJSON` applied, undefined members left out.
 *
 * @param where What is being converted, for the message: a dotted path such as "status.state".
 * @throws {TypeError} If a part of it cannot be JSON: a BigInt, NaN, an infinity, a circle (or deeper than 1,000).
 */
export function toJson(value: unknown, where: string): unknown {
  return convert(value, { where, path: [] });
}

interface Conversion {
  readonly where: string;
  readonly path: string[];
}

function convert(value: unknown, state: Conversion): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw notJson(String(value), state);
    case "bigint":
      throw notJson("a BigInt", state);
    case "object":
      return value === null ? null : convertObject(value, state);
    default:
      return undefined;
  }
}

function convertObject(value: object, state: Conversion): unknown {
  if (state.path.length > 1000) throw notJson("a circle, or nested too deeply", { ...state, path: [] });
  if ("toJSON" in value && typeof value.toJSON === "function") return convert(value.toJSON(), state);
  if (Array.isArray(value)) {
    return value.map((item, index) => convertMember(item, String(index), state) ?? null);
  }
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const converted = convertMember(member, key, state);
    if (converted !== undefined) setKey(copy, key, converted);
  }
  return copy;
}

function convertMember(member: unknown, key: string, state: Conversion): unknown {
  state.path.push(key);
  const converted = convert(member, state);
  state.path.pop();
  return converted;
}

function notJson(what: string, state: Conversion): TypeError {
  const where = [state.where, ...state.path].filter((part) => part !== "").join(".");
  return new TypeError(`Cannot turn "${where}" into JSON: it is ${what}`);
}
