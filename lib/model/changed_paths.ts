/**
 * Which parts of an object differ between two of its states: a quick answer for observers, not for handlers.
 *
 * Fields that the server counts up by itself are left out. So are fields that lie deeper than readers look, and fields that are
 * too many to read.
 */

import { isEmptyObject, isEqualJson, isObject } from "./json.ts";
import type { JsonObject, KubeObject } from "./object.ts";

const DEEPEST = 4;
const MOST = 16;

/** Keys of the metadata that differ with each write. */
const NOISE: readonly string[] = ["resourceVersion", "managedFields", "generation"];

/** Returns dotted paths of the fields that differ, at most sixteen. */
export function changedPaths(before: unknown, after: unknown): string[] {
  if (before === after) return [];
  const search: Search = { trail: [], found: [] };
  if (!descend(before, after, search) && !isEqualJson(before, after)) search.found.push("");
  return search.found;
}

/** Returns the dotted paths of everything that a merge patch or object names, at most sixteen. */
export function namedPaths(content: unknown): string[] {
  const found: string[] = [];
  name(content, { path: "", depth: 0, found });
  return found;
}

/** Tells whether one of two dotted paths is, or lies in, the other. */
export function isSamePlace(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

interface Search {
  /** The keys that lead to where it looks now. Paths are made of it only where a difference is found: most fields are equal. */
  readonly trail: string[];
  readonly found: string[];
}

interface Walk {
  readonly path: string;
  readonly depth: number;
  readonly found: string[];
}

/** Looks into two states of the same place, and tells whether that could be done. */
function descend(before: unknown, after: unknown, search: Search): boolean {
  if (search.trail.length >= DEEPEST || !isObject(after)) return false;
  if (before === undefined) {
    if (isEmptyObject(after)) return false;
    compareKeys(NOTHING, after, search);
    return true;
  }
  if (!isObject(before)) return false;
  compareKeys(before, after, search);
  return true;
}

const NOTHING: JsonObject = Object.freeze({});

function compareKeys(before: JsonObject, after: JsonObject, search: Search): void {
  for (const key in after) {
    if (!Object.hasOwn(after, key)) continue;
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old !== after[key]) compare(key, { old, new: after[key] }, search);
  }
  for (const key in before) {
    if (Object.hasOwn(before, key) && !Object.hasOwn(after, key)) {
      compare(key, { old: before[key], new: undefined }, search);
    }
  }
}

function compare(
  key: string,
  values: { readonly old: unknown; readonly new: unknown },
  search: Search,
): void {
  const { trail, found } = search;
  if (found.length >= MOST || (trail.length === 1 && trail[0] === "metadata" && NOISE.includes(key))) return;
  trail.push(key);
  if (!descend(values.old, values.new, search) && !isEqualJson(values.old, values.new)) {
    found.push(trail.join("."));
  }
  trail.pop();
}

function name(content: unknown, { path, depth, found }: Walk): void {
  if (found.length >= MOST) return;
  if (depth >= DEEPEST || !isObject(content) || (depth > 0 && Object.keys(content).length === 0)) {
    found.push(path);
    return;
  }
  for (const key of Object.keys(content)) {
    name(content[key], { path: path === "" ? key : `${path}.${key}`, depth: depth + 1, found });
  }
}

// The owners of fields, as the server keeps them in `metadata.managedFields`.
// Source: Kubernetes, "Server-Side Apply", "Field management"; structured-merge-diff, FieldsV1.

/** Returns the names of the managers that own one of these places (dotted paths), or a field in them; sorted. */
export function managersOf(object: KubeObject, paths: readonly string[]): string[] {
  const { managedFields } = object.metadata;
  if (!Array.isArray(managedFields)) return [];
  const names = managedFields.flatMap((entry) => {
    if (!isObject(entry) || typeof entry.manager !== "string") return [];
    const owned = [...ownedPaths(entry.fieldsV1, "")];
    return owned.some((path) => paths.some((wanted) => isSamePlace(path, wanted))) ? [entry.manager] : [];
  });
  return [...new Set(names)].sort();
}

/**
 * Returns the names of the managers that may have taken these fields (dotted paths) off the object, sorted: the server does not keep
 * who removes a field. They own other fields of the same stanza, or else they update the object. `own` is our own manager.
 */
export function takersOf(object: KubeObject, fields: readonly string[], own: string): string[] {
  const stanzas = fields.map((field) =>
    field.split(".").slice(0, field.startsWith("metadata.") ? 2 : 1).join(".")
  );
  const isOther = (name: string): boolean => name !== own;
  const neighbours = managersOf(object, stanzas).filter(isOther);
  if (neighbours.length > 0) return neighbours;
  const { managedFields } = object.metadata;
  const names = (Array.isArray(managedFields) ? managedFields : []).flatMap((entry) => {
    if (!isObject(entry) || typeof entry.manager !== "string" || entry.subresource) return [];
    return entry.operation === "Update" ? [entry.manager] : [];
  });
  return [...new Set(names)].filter(isOther).sort();
}

/** The leaves of a set of fields: keys begin with "f:"; an owner of an item counts as an owner of the list. */
function* ownedPaths(fields: unknown, path: string): Generator<string> {
  const keys = isObject(fields) ? Object.keys(fields).filter((key) => key.startsWith("f:")) : [];
  if (keys.length === 0 && path !== "") yield path;
  for (const key of keys) {
    const name = key.slice(2);
    yield* ownedPaths((fields as Record<string, unknown>)[key], path === "" ? name : `${path}.${name}`);
  }
}
