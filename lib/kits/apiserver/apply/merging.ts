/**
 * Merging a configuration into an object, and taking fields out of one.
 *
 * Source: sigs.k8s.io/structured-merge-diff, typed/merge.go, typed/remove.go and fieldpath/set.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { getOwn, isObject, setOwn } from "../values.ts";
import { formOf, indexItems, typeOfKey } from "./comparison.ts";
import { fieldElement, itemElement } from "./elements.ts";
import { entry, type FieldSet, isEmptySet, isMember, LEAF, SELF } from "./field_set.ts";
import type { ListType, MapType, MergeType } from "./merge_type.ts";

/** Two values to be merged: undefined where one is missing. */
interface Pair {
  readonly live: unknown;
  readonly config: unknown;
}

/** Returns a new value: the live one with the configuration merged into it. Parts are shared with both. */
export function merge({ live, config }: Pair, type: MergeType): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const form = formOf(config, type);
  const isLeaf = form === "scalar" || (isNothing(live) && isNothing(config)) ||
    (form === "list" ? type.list?.relation === "atomic" : type.map?.atomic === true);
  if (isLeaf) return config;
  if (form === "list" && type.list !== undefined) {
    return mergeLists(Array.isArray(live) ? live : [], Array.isArray(config) ? config : [], type.list);
  }
  if (type.map === undefined) return config;
  return mergeMaps(isObject(live) ? live : {}, isObject(config) ? config : {}, type.map);
}

function isNothing(value: unknown): boolean {
  if (value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function mergeMaps(live: JsonObject, config: JsonObject, type: MapType): JsonObject {
  const merged: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(config)])) {
    const pair = { live: getOwn(live, key), config: getOwn(config, key) };
    const value = merge(pair, typeOfKey(type, key));
    if (value !== undefined) setOwn(merged, key, value);
  }
  return merged;
}

/** Items of the configuration stand in its order; items of the live list alone stay where they were between them. */
function mergeLists(live: readonly unknown[], config: readonly unknown[], type: ListType): unknown[] {
  const wanted = indexItems(config, type);
  const present = indexItems(live, type);
  const order = [...wanted.keys()];
  const shared = order.filter((element) => present.has(element));
  const merged: unknown[] = [];
  const taken = new Set<string>();
  const take = (element: string) => {
    taken.add(element);
    // An item that stands there several times is not merged with: the applied item takes its place.
    const same = present.get(element) ?? [];
    const pair = { live: same.length === 1 ? same[0] : undefined, config: wanted.get(element)?.[0] };
    merged.push(merge(pair, type.items()));
    if (element === shared[0]) shared.shift();
  };
  let next = 0;
  for (const item of live) {
    const element = itemElement(item, type);
    if (!wanted.has(element)) {
      merged.push(item);
    } else if (!taken.has(element) && element === shared[0]) {
      // Whatever the configuration has before this one comes first.
      while (order[next] !== undefined && order[next] !== element) take(order[next++] ?? "");
      take(element);
      next++;
    }
  }
  for (; next < order.length; next++) {
    const element = order[next] ?? "";
    if (!taken.has(element)) take(element);
  }
  return merged;
}

/** Returns a value without the fields of a set; null if no part of a map or a list is left. */
export function removeFields(value: unknown, set: FieldSet, type: MergeType): unknown {
  const form = formOf(value, type);
  if (form === "list" && Array.isArray(value) && value.length > 0 && type.list !== undefined) {
    return type.list.relation === "atomic" ? null : removeItems(value, set, type.list);
  }
  if (form !== "map" || !isObject(value) || type.map === undefined || Object.keys(value).length === 0) {
    return value;
  }
  if (type.map.atomic) return null;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const below = set[fieldElement(key)];
    if (isMember(below)) continue;
    setOwn(
      kept,
      key,
      below === undefined ? value[key] : removeFields(value[key], below, typeOfKey(type.map, key)),
    );
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

function removeItems(items: readonly unknown[], set: FieldSet, type: ListType): unknown[] | null {
  const kept = items.flatMap((item) => {
    const below = set[itemElement(item, type)];
    if (isMember(below)) return [];
    return [below === undefined ? item : removeFields(item, below, type.items())];
  });
  return kept.length > 0 ? kept : null;
}

/** Returns the set with every declared field that is on the way to a member: an owner of fields below owns these, too. */
export function withDeclared(set: FieldSet, type: MergeType): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const key in set) {
    if (key === SELF) continue;
    const below = set[key] ?? LEAF;
    const name = key.startsWith("f:") ? key.slice(2) : undefined;
    const child = name !== undefined && type.map !== undefined
      ? typeOfKey(type.map, name)
      : type.list?.items() ?? type;
    const declared = name !== undefined && type.map?.fields.has(name) === true;
    const made = entry(isMember(below) || declared, isEmptySet(below) ? below : withDeclared(below, child));
    if (made !== undefined) result[key] = made;
  }
  return result;
}
