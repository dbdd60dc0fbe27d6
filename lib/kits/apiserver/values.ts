/**
 * Plain JSON values: copying, comparing, and setting keys that strangers chose.
 *
 * NB: `target[key] = value` with the key `__proto__` changes the prototype and loses the data; spreading and
 * JSON.parse do not. So keys from requests are only ever set through setOwn().
 */

import type { JsonObject } from "../../model/object.ts";

/** Tells objects from arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own property's value; never an inherited one. */
export function getOwn(target: JsonObject, key: string): unknown {
  return Object.hasOwn(target, key) ? target[key] : undefined;
}

/** Returns the object at the key, or undefined if another value is there. */
export function objectAt(target: unknown, key: string): JsonObject | undefined {
  if (!isObject(target)) return undefined;
  const value = getOwn(target, key);
  return isObject(value) ? value : undefined;
}

/** Sets an own property, whatever its name is. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  target[key] = value;
}

/** Copies JSON deeply. */
export function clone<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // The result has the shape of the argument, which the compiler cannot see.
  if (Array.isArray(value)) return value.map(clone) as T;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, clone((value as JsonObject)[key]));
  return copy as T;
}

/** Compares JSON deeply; the order of keys does not count, and neither do keys that are undefined. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equal(item, b[index]));
  }
  return equalObjects(a as JsonObject, b as JsonObject);
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  let count = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !equal(a[key], b[key])) return false;
    count++;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) count--;
  return count === 0;
}

/** Sets the fields that are absent. */
export function fill(target: JsonObject, defaults: Readonly<JsonObject>): void {
  for (const [key, value] of Object.entries(defaults)) {
    if (target[key] === undefined || target[key] === null) setOwn(target, key, clone(value));
  }
}

/** Returns the objects of a list of objects. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Returns the objects of a list of structs as Go reads them: an entry that is null is an empty one. */
export function structsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.map((each) => isObject(each) ? each : {}) : [];
}
