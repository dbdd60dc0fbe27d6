/**
 * Expectations of objects, and the differences of an object from one, for messages.
 */

import { isEqualJson, isObject } from "../../model/json.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import { formatJson } from "../../runtime/json.ts";

/**
 * A part of a value: of lists all items, each in part; null for a field that is not to be there; a regular expression for a
 * text.
 */
export type ExpectedPart<T> = unknown extends T ? T
  : T extends readonly (infer Item)[] ? readonly ExpectedPart<Item>[]
  : T extends object ? { readonly [Key in keyof T]?: ExpectedPart<T[Key]> | null }
  : T extends string ? T | RegExp
  : T;

/**
 * An expectation of an object: a part of it, a function that returns whether it is as it should be, or "gone": that it is
 * not there.
 */
export type Expected<Spec, Status> =
  | ExpectedPart<ObjectOf<Spec, Status>>
  | ((object: ObjectOf<Spec, Status>) => unknown)
  | "gone";

/** Most differences that are told. */
const MOST = 10;
/** Most characters of a value. */
const LONGEST = 200;

/** Returns the differences of a value from the expected one, one line for each place; none if it is as expected. */
export function differences(actual: unknown, expected: unknown): string[] {
  const found = [...compare(actual, expected, "")];
  if (found.length <= MOST) return found;
  return [...found.slice(0, MOST), `and ${found.length - MOST} more`];
}

function* compare(actual: unknown, expected: unknown, path: string): Generator<string> {
  if (expected instanceof RegExp) {
    if (typeof actual !== "string" || actual.search(expected) === -1) {
      yield line(path, actual, `like ${expected}`);
    }
  } else if (expected === null || expected === undefined) {
    if (actual !== null && actual !== undefined) yield line(path, actual, "absent");
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      yield line(path, actual, show(expected));
    } else {
      for (const [index, each] of expected.entries()) {
        yield* compare(actual[index], each, `${path}[${index}]`);
      }
    }
  } else if (isObject(expected)) {
    if (!isObject(actual)) return yield line(path, actual, show(expected));
    for (const [key, each] of Object.entries(expected)) {
      const value = Object.hasOwn(actual, key) ? actual[key] : undefined;
      yield* compare(value, each, path === "" ? key : `${path}.${key}`);
    }
  } else if (!isEqualJson(actual, expected)) {
    yield line(path, actual, show(expected));
  }
}

function line(path: string, actual: unknown, expected: string): string {
  const seen = actual === undefined || actual === null ? "is absent" : `is ${show(actual)}`;
  return `${path === "" ? "it" : path} ${seen}, not ${expected}`;
}

/** Returns a value as JSON, cut where it is long. */
export function show(value: unknown): string {
  const text = typeof value === "function" ? String(value) : formatJson(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
