/**
 * Differences between two states of an object, as Kopf shows them to handlers.
 *
 * Objects are compared key by key, lists as a whole. null and absent are the same; `1`, `true` and `"1"` are not (in
 * Kopf the first two are: Python). Absent values are `undefined` in the items, and null once written as JSON.
 */

import { type FieldPath, getField } from "./fields.ts";
import { isEqualJson, isObject } from "./json.ts";
import type { JsonObject } from "./object.ts";

export { isEqualJson } from "./json.ts";

/** The change at a path. */
export type DiffOperation = "add" | "change" | "remove";

/** One difference: a real array `[op, path, old, new]`, which has the four as properties too. Frozen. */
export type DiffItem<Value = unknown> =
  & readonly [op: DiffOperation, path: FieldPath, old: Value | undefined, new: Value | undefined]
  & {
    readonly op: DiffOperation;
    /** Kopf's longer name of `op`. */
    readonly operation: DiffOperation;
    readonly path: FieldPath;
    /** Kopf's name of `path`. */
    readonly field: FieldPath;
    /** Undefined for "add". */
    readonly old: Value | undefined;
    /** Undefined for "remove". */
    readonly new: Value | undefined;
  };

/** All differences: of each object first additions, then removals, then changes. Frozen. */
export type Diff = readonly DiffItem[];

/** The difference of equal things. */
export const NO_DIFF: Diff = Object.freeze([]);

/** Returns the differences from `a` to `b`; none (the same frozen list each time) if they mean the same. */
export function calculateDiff(a: unknown, b: unknown): Diff {
  const items: DiffItem[] = [];
  compareAll({ before: a, after: b, path: [] }, items);
  return items.length === 0 ? NO_DIFF : Object.freeze(items);
}

/** Makes an item; the path is taken as it is, not copied. */
export function makeDiffItem(
  op: DiffOperation,
  path: FieldPath,
  values: { readonly old?: unknown; readonly new?: unknown },
): DiffItem {
  const { old, new: now } = values;
  const item = [op, Object.freeze(path), old, now];
  // Not enumerable, so that the item stays deeply equal to a plain array.
  Object.defineProperties(item, {
    op: { value: op },
    operation: { value: op },
    path: { value: path },
    field: { value: path },
    old: { value: old },
    new: { value: now },
  });
  // The properties have just been defined.
  return Object.freeze(item) as unknown as DiffItem;
}

/**
 * Returns the differences as seen from a field: the ones at or below the path, with their paths relative to it.
 *
 * A difference above the path is compared anew below it: if `spec` was added, `spec.a` may have been.
 */
export function reduceDiff(diff: Diff, path: FieldPath): Diff {
  if (path.length === 0) return diff;
  const items: DiffItem[] = [];
  for (const item of diff) {
    if (startsWith(item.path, path)) {
      items.push(makeDiffItem(item.op, item.path.slice(path.length), item));
    } else if (startsWith(path, item.path)) {
      const rest = path.slice(item.path.length);
      compareAll({ before: getField(item.old, rest), after: getField(item.new, rest), path: [] }, items);
    }
  }
  return items.length === 0 ? NO_DIFF : Object.freeze(items);
}

function startsWith(path: FieldPath, prefix: FieldPath): boolean {
  return path.length >= prefix.length && prefix.every((key, index) => path[index] === key);
}

/** How many levels are walked by calls; objects may have more of them than a stack of calls. */
const CALL_DEPTH = 200;

interface Comparison {
  readonly items: DiffItem[];
  /** Where we are; grows and shrinks, and is copied only when an item is made. */
  readonly path: string[];
  /** From which length of the path on pairs are put aside. */
  readonly until: number;
  readonly later: Pair[];
}

/** Two states of the same place. */
interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: FieldPath;
}

function compareAll(pair: Pair, items: DiffItem[]): void {
  const later = [pair];
  // It grows while it is walked.
  for (const { before, after, path } of later) {
    compare(before, after, { items, path: [...path], until: path.length + CALL_DEPTH, later });
  }
}

function compare(a: unknown, b: unknown, state: Comparison): void {
  if (a === b) return;
  if (a === undefined || a === null) {
    if (b !== undefined && b !== null) add("add", state, { new: b });
  } else if (b === undefined || b === null) {
    add("remove", state, { old: a });
  } else if (isObject(a) && isObject(b)) {
    if (state.path.length < state.until) compareObjects(a, b, state);
    else state.later.push({ before: a, after: b, path: [...state.path] });
  } else if (!isEqualJson(a, b)) {
    add("change", state, { old: a, new: b });
  }
}

function compareObjects(a: JsonObject, b: JsonObject, state: Comparison): void {
  const keysOfB = Object.keys(b);
  const keysOfA = Object.keys(a);
  for (const key of keysOfB) if (!Object.hasOwn(a, key)) compareKey(key, [undefined, b[key]], state);
  for (const key of keysOfA) if (!Object.hasOwn(b, key)) compareKey(key, [a[key], undefined], state);
  for (const key of keysOfA) if (Object.hasOwn(b, key)) compareKey(key, [a[key], b[key]], state);
}

function compareKey(key: string, [a, b]: readonly [unknown, unknown], state: Comparison): void {
  state.path.push(key);
  compare(a, b, state);
  state.path.pop();
}

function add(
  op: DiffOperation,
  state: Comparison,
  values: { readonly old?: unknown; readonly new?: unknown },
): void {
  state.items.push(makeDiffItem(op, [...state.path], values));
}
