/**
 * Which parts of an object differ between two of its states: a quick answer for those who look on, not for handlers.
 *
 * What the server counts up by itself is left out, and so is what lies deeper than readers look, or is too much to read.
 */

import { isEqualJson, isObject } from "./json.ts";
import type { FieldPath } from "./fields.ts";

const DEEPEST = 4;
const MOST = 16;

/** What differs with each write, and says nothing. */
const NOISE = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);

/** Gives dotted paths of what differs, at most sixteen. */
export function changedPaths(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  compare(before, after, { path: "", depth: 0, found });
  return found;
}

/** Gives the dotted paths of everything that a merge patch or object names, at most sixteen. */
export function namedPaths(content: unknown): string[] {
  const found: string[] = [];
  name(content, { path: "", depth: 0, found });
  return found;
}

/** Writes a path as it is read: keys joined by dots. */
export function formatPath(path: FieldPath): string {
  return path.join(".");
}

/** Tells whether one of two dotted paths is, or lies in, the other. */
export function isSamePlace(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

interface Walk {
  readonly path: string;
  readonly depth: number;
  readonly found: string[];
}

function compare(before: unknown, after: unknown, { path, depth, found }: Walk): void {
  if (before === after || found.length >= MOST || NOISE.has(path)) return;
  if (depth < DEEPEST && isObject(after) && (isObject(before) || before === undefined)) {
    const old: Readonly<Record<string, unknown>> = before ?? {};
    const isNew = before === undefined && Object.keys(after).length === 0;
    if (!isNew) return compareKeys(old, after, { path, depth, found });
  }
  if (!isEqualJson(before, after)) found.push(path);
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

function compareKeys(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  { path, depth, found }: Walk,
): void {
  const at = (key: string): Walk => ({ path: path === "" ? key : `${path}.${key}`, depth: depth + 1, found });
  for (const key of Object.keys(after)) {
    compare(Object.hasOwn(before, key) ? before[key] : undefined, after[key], at(key));
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) compare(before[key], undefined, at(key));
  }
}
