/**
 * Fields whose values must not be read off notes, log lines and events: digests stand in their place, or they are left out.
 *
 * A digest tells only whether a value has changed since it was noted: handlers then get a text for the former value
 * before. Digests of two objects differ for the same value.
 */

import type { Diff } from "./diff.ts";
import { digestOf, fromBase64 } from "./encoding.ts";
import { type FieldPath, getField, withField } from "./fields.ts";
import { isEqualJson, isObject, setKey } from "./json.ts";
import type { JsonObject, KubeObject } from "./object.ts";

/** The text that handlers see in place of a confidential value that has changed or gone since it was noted. */
export const HIDDEN_TEXT = "(confidential)";

const MARK = /^\$digest:[0-9a-f]{16}$/;

/** Deeper objects are hidden as a whole: they can be nested deeper than calls can. */
const DEEPEST = 200;

/** Returns the object with digests in place of all values at or below these fields; itself if it has none of them. */
export function hideFields<T extends JsonObject>(
  object: T,
  fields: readonly FieldPath[],
  owner: Pick<KubeObject, "metadata">,
): T {
  let result: JsonObject = object;
  for (const path of fields) {
    const value = getField(object, path);
    if (value !== undefined) result = withField(result, path, hide(value, saltOf(owner), 0));
  }
  // Values are replaced by texts: the type of the result is for callers that treat it as JSON.
  return result as T;
}

/** Returns a noted state with the present values in place of the digests that are theirs, and a text in place of others. */
export function revealFields(
  noted: JsonObject,
  fields: readonly FieldPath[],
  present: KubeObject,
): JsonObject {
  let result = noted;
  for (const path of fields) {
    const value = getField(result, path);
    if (value === undefined) continue;
    result = withField(
      result,
      path,
      reveal(value, getField(present, path), { salt: saltOf(present), depth: 0 }),
    );
  }
  return result;
}

/** Tells whether a noted state holds values of these fields as they are: it was noted before they were confidential. */
export function holdsPlain(noted: JsonObject, fields: readonly FieldPath[]): boolean {
  return fields.some((path) => {
    const value = getField(noted, path);
    return value !== undefined && isPlain(value, 0);
  });
}

/** Returns the differences for a log line: of confidential values only the operation and the path. */
export function withoutValues(diff: Diff, fields: readonly FieldPath[]): readonly (readonly unknown[])[] {
  if (fields.length === 0) return diff;
  return diff.map((item) => {
    const { op, path } = item;
    return fields.some((field) => isPrefix(field, path) || isPrefix(path, field)) ? [op, path] : item;
  });
}

/** Shorter values stand in other words by chance, and are not replaced in texts. In UTF-16 units. */
const SHORTEST_VALUE = 4;

/** How many values of one object are looked for in a text. */
const MOST_VALUES = 200;

/**
 * Returns a text, such as the message of an error, in which the values of these fields of the object are replaced. A value that
 * is base64, as those of Secrets are, is replaced in its decoded form, too.
 */
export function hideValues(text: string, fields: readonly FieldPath[], object: JsonObject): string {
  if (fields.length === 0) return text;
  const values: string[] = [];
  for (const path of fields) collectValues(getField(object, path), values, 0);
  let hidden = text;
  for (const value of values.sort((a, b) => b.length - a.length)) {
    hidden = hidden.replaceAll(value, HIDDEN_TEXT);
  }
  return hidden;
}

function collectValues(value: unknown, into: string[], depth: number): void {
  if (into.length >= MOST_VALUES || depth > DEEPEST) return;
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) collectValues(item, into, depth + 1);
    return;
  }
  const plain = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const decoded = typeof value === "string" ? fromBase64(value) : undefined;
  for (const each of [plain, decoded ?? ""]) if (each.length >= SHORTEST_VALUE) into.push(each);
}

function hide(value: unknown, salt: string, depth: number): unknown {
  if (value === null) return null;
  if (!isObject(value) || depth >= DEEPEST) return `$digest:${digestOf([salt, value])}`;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) setKey(result, key, hide(value[key], salt, depth + 1));
  return result;
}

interface Revealing {
  readonly salt: string;
  readonly depth: number;
}

function reveal(noted: unknown, present: unknown, { salt, depth }: Revealing): unknown {
  if (typeof noted === "string" && MARK.test(noted)) {
    if (present !== undefined && noted === hide(present, salt, DEEPEST)) return present;
    // It has changed, so that it must not look the same.
    return isEqualJson(present, HIDDEN_TEXT) ? "" : HIDDEN_TEXT;
  }
  if (!isObject(noted) || depth > DEEPEST) return noted;
  const result: JsonObject = {};
  for (const key of Object.keys(noted)) {
    const below = isObject(present) ? getField(present, [key]) : undefined;
    setKey(result, key, reveal(noted[key], below, { salt, depth: depth + 1 }));
  }
  return result;
}

function isPlain(noted: unknown, depth: number): boolean {
  if (!isObject(noted) || depth > DEEPEST) {
    return noted !== null && !(typeof noted === "string" && MARK.test(noted));
  }
  return Object.values(noted).some((value) => isPlain(value, depth + 1));
}

/** The same value has another digest on another object. Not the uid: it is another one after a restore from a backup. */
function saltOf({ metadata: { namespace = "", name = "" } }: Pick<KubeObject, "metadata">): string {
  return `${namespace}/${name}`;
}

function isPrefix(prefix: FieldPath, path: FieldPath): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => path[index] === key);
}
