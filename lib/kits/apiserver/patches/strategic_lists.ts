/**
 * How the lists of strategic merge patches merge, and in which order their items end up.
 *
 * Source: k8s.io/apimachinery, pkg/util/strategicpatch: mergeSlice, normalizeElementOrder, mergeSortedSlice.
 */

import type { JsonObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";
import { equal, getOwn, isObject } from "../values.ts";

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
 * @throws {SyntaxError} If an item lacks the key, or is an unknown directive.
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

/** Puts items into the patch's order, and weaves the items that only the object has in between, where they were. */
export function itemsInOrder(
  items: readonly unknown[],
  { order, serverOrder, mergeKey }: OrderOptions,
): unknown[] {
  const wanted = placesOf(order, mergeKey);
  const given = placesOf(serverOrder, mergeKey);
  const place = (places: Places, item: unknown): number => places.get(identityOf(item, mergeKey)) ?? -1;
  const sorted = (list: unknown[], by: Places): unknown[] => list.sort((a, b) => place(by, a) - place(by, b));
  const left = sorted(items.filter((item) => place(wanted, item) < 0), given);
  const right = sorted(items.filter((item) => place(wanted, item) >= 0), wanted);
  const woven: unknown[] = [];
  while (left.length > 0 && right.length > 0) {
    const [a, b] = [place(given, left[0]), place(given, right[0])];
    woven.push(a >= 0 && b >= 0 && a < b ? left.shift() : right.shift());
  }
  return [...woven, ...left, ...right];
}

/** Where items stand, by their identity; of several with the same one, the first. */
type Places = Map<string, number>;

function placesOf(list: readonly unknown[], mergeKey: string | undefined): Places {
  const places: Places = new Map();
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}

/** Removes the keys that are not among the wanted ones. */
export function clearMissing(target: JsonObject, wanted: readonly unknown[]): void {
  for (const key of Object.keys(target)) if (!wanted.includes(key)) delete target[key];
}

/** Items with the same text are the same. */
function identityOf(item: unknown, mergeKey: string | undefined): string {
  return formatJson(mergeKey !== undefined && isObject(item) ? getOwn(item, mergeKey) : item);
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
  const places = placesOf(items, rules.mergeKey);
  for (const change of changes) {
    const key = formatJson(keyOf(change, rules.mergeKey));
    const index = places.get(key) ?? -1;
    const found = merged[index];
    // keyOf() has made sure that the change is an object.
    if (isObject(found)) merged[index] = rules.mergeItems(found, change as JsonObject);
    else places.set(key, merged.push(change) - 1);
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
