/**
 * How the lists of strategic merge patches merge, and in which order their items end up.
 *
 * Source: k8s.io/apimachinery, pkg/util/strategicpatch: mergeSlice, normalizeElementOrder, mergeSortedSlice.
 */

import type { JsonObject } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";
import { equal, getOwn, isObject } from "./values.ts";

/** How the items of a list merge. */
export interface ListRules {
  /** The key that identifies an item; undefined for lists of scalars. */
  readonly mergeKey: string | undefined;
  /** Merges two items with the same key. */
  mergeItems(item: JsonObject, patch: JsonObject): JsonObject;
}

/**
 * Merges a patch's list into an object's.
 *
 * @throws {SyntaxError} If an item lacks the key, or is a directive nobody knows.
 */
export function mergeLists(
  before: readonly unknown[],
  patch: readonly unknown[],
  rules: ListRules,
): unknown[] {
  const { mergeKey } = rules;
  if (before.length === 0 && patch.length === 0) return [];
  const scalars = [...before, ...patch].every((item) => !isObject(item));
  if (scalars) {
    const merged = [...new Set([...before, ...patch])];
    return itemsInOrder(merged, { order: patch, serverOrder: before, mergeKey: undefined });
  }
  if (mergeKey === undefined) throw new SyntaxError("cannot merge lists without merge key");
  const { items, changes, replaced } = applyItemDirectives(before, patch, mergeKey);
  if (replaced) return changes;
  const merged = mergeByKey(items, changes, { ...rules, mergeKey });
  return itemsInOrder(merged, { order: changes, serverOrder: items, mergeKey });
}

/** Which order a merged list takes. */
export interface OrderOptions {
  /** The order that the patch asks for: items, or at least their keys. */
  readonly order: readonly unknown[];
  /** The order that the object has. */
  readonly serverOrder: readonly unknown[];
  readonly mergeKey: string | undefined;
}

/** Puts items into the patch's order, and weaves those that only the object has in between, where they were. */
export function itemsInOrder(
  items: readonly unknown[],
  { order, serverOrder, mergeKey }: OrderOptions,
): unknown[] {
  const place = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((other) => equal(identityOf(other, mergeKey), identityOf(item, mergeKey)));
  const sorted = (list: unknown[], by: readonly unknown[]): unknown[] =>
    list.sort((a, b) => place(by, a) - place(by, b));
  const left = sorted(items.filter((item) => place(order, item) < 0), serverOrder);
  const right = sorted(items.filter((item) => place(order, item) >= 0), order);
  const woven: unknown[] = [];
  while (left.length > 0 && right.length > 0) {
    const [a, b] = [place(serverOrder, left[0]), place(serverOrder, right[0])];
    woven.push(a >= 0 && b >= 0 && a < b ? left.shift() : right.shift());
  }
  return [...woven, ...left, ...right];
}

/** Removes the keys that are not among the wanted ones. */
export function clearMissing(target: JsonObject, wanted: readonly unknown[]): void {
  for (const key of Object.keys(target)) if (!wanted.includes(key)) delete target[key];
}

function identityOf(item: unknown, mergeKey: string | undefined): unknown {
  return mergeKey !== undefined && isObject(item) ? getOwn(item, mergeKey) : item;
}

interface Directed {
  readonly items: unknown[];
  readonly changes: unknown[];
  readonly replaced: boolean;
}

/** Takes `$patch: delete` and `$patch: replace` out of a list. */
function applyItemDirectives(
  before: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): Directed {
  let items = [...before];
  let replaced = false;
  const changes: unknown[] = [];
  for (const change of patch) {
    const directive = isObject(change) ? getOwn(change, "$patch") : undefined;
    if (directive === undefined) changes.push(change);
    else if (directive === "replace") replaced = true;
    else if (directive === "delete") {
      const key = keyOf(change, mergeKey);
      items = items.filter((item) => !isObject(item) || !equal(getOwn(item, mergeKey), key));
    } else {throw new SyntaxError(
        `unknown patch type ${formatJson(directive)} in ${formatJson(change)}`,
      );}
  }
  return { items, changes, replaced };
}

function mergeByKey(
  items: readonly unknown[],
  changes: readonly unknown[],
  rules: ListRules & { readonly mergeKey: string },
): unknown[] {
  const merged = [...items];
  for (const change of changes) {
    const key = keyOf(change, rules.mergeKey);
    const index = merged.findIndex((item) => isObject(item) && equal(getOwn(item, rules.mergeKey), key));
    const found = merged[index];
    // keyOf() has made sure that the change is an object.
    if (isObject(found)) merged[index] = rules.mergeItems(found, change as JsonObject);
    else merged.push(change);
  }
  return merged;
}

function keyOf(item: unknown, mergeKey: string): unknown {
  const key = isObject(item) ? getOwn(item, mergeKey) : undefined;
  if (key === undefined) {
    throw new SyntaxError(`map: ${formatJson(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return key;
}
