/**
 * Which fields a value has, and which differ between two.
 *
 * Source: sigs.k8s.io/structured-merge-diff, typed/compare.go and typed/tofieldset.go.
 */

import { equal, isObject } from "../values.ts";
import { fieldElement, itemElement } from "./elements.ts";
import { entry, type FieldSet, isEmptySet, LEAF, SELF } from "./field_set.ts";
import { DEDUCED, type ListType, type MapType, type MergeType } from "./merge_type.ts";

type Draft = Record<string, FieldSet>;

/** The fields that differ between two objects. An absent set is empty. */
export interface Differences {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Which of its forms a value has; undefined where the type has no such form. */
type Form = "scalar" | "list" | "map" | undefined;

/** Returns the form of a value, null being whatever the type begins with. */
export function formOf(value: unknown, type: MergeType): Form {
  if (Array.isArray(value) && type.list !== undefined) return "list";
  if (isObject(value) && type.map !== undefined) return "map";
  if (value !== null && typeof value !== "object" && type.scalar !== undefined) return "scalar";
  return type.map !== undefined ? "map" : type.scalar !== undefined ? "scalar" : "list";
}

/** Returns the type of a key of a map. */
export function typeOfKey(type: MapType, key: string): MergeType {
  return (type.fields.get(key) ?? type.rest)?.() ?? DEDUCED;
}

/** Returns the fields that a configuration is about: its applier owns them from then on. */
export function fieldsIn(value: unknown, type: MergeType): FieldSet {
  const form = formOf(value, type);
  if (form === "map" && isObject(value) && type.map?.atomic === false) {
    const set: Draft = {};
    for (const key of Object.keys(value)) {
      const child = value[key];
      const below = isEntire(child, typeOfKey(type.map, key))
        ? undefined
        : fieldsIn(child, typeOfKey(type.map, key));
      const isNothing = child === null || (isObject(child) && Object.keys(child).length === 0);
      const member = below === undefined || isNothing || !type.map.fields.has(key);
      const kept = entry(member, below);
      if (kept !== undefined) set[fieldElement(key)] = kept;
    }
    return set;
  }
  if (form !== "list" || !Array.isArray(value) || type.list === undefined) return LEAF;
  const set: Draft = {};
  for (const [element, items] of indexItems(value, type.list)) {
    const single = items.length === 1 && !isEntire(items[0], type.list.items());
    set[element] = entry(true, single ? fieldsIn(items[0], type.list.items()) : undefined) ?? LEAF;
  }
  return set;
}

/** Whether a value is one for its type: a scalar, an atomic list or an atomic map. */
function isEntire(value: unknown, type: MergeType): boolean {
  const form = formOf(value, type);
  if (form === "scalar") return true;
  return form === "list" ? type.list?.relation === "atomic" : type.map?.atomic === true;
}

/** Returns the items by their elements. @throws {SyntaxError} If one has no key. */
export function indexItems(items: readonly unknown[], type: ListType): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const element = itemElement(item, type);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

/** Returns all fields of a value: they appear and go with the value. */
function allFields(value: unknown, type: MergeType): FieldSet {
  if (isEntire(value, type)) return LEAF;
  const set: Draft = { [SELF]: LEAF };
  if (isObject(value) && type.map !== undefined) {
    for (const key of Object.keys(value)) {
      set[fieldElement(key)] = allFields(value[key], typeOfKey(type.map, key));
    }
  } else if (Array.isArray(value) && type.list !== undefined) {
    for (const [element, items] of indexItems(value, type.list)) {
      set[element] = items.length === 1 ? allFields(items[0], type.list.items()) : LEAF;
    }
  }
  return Object.keys(set).length === 1 ? LEAF : set;
}

/** The differences below one field, and the field itself. */
interface Found {
  added?: FieldSet;
  modified?: FieldSet;
  removed?: FieldSet;
}

/** Returns the differences between two objects of a type. @throws {SyntaxError} If a list holds an item without a key. */
export function compareObjects(before: unknown, after: unknown, type: MergeType): Differences {
  const found = compare({ before, after }, type) ?? {};
  return { added: found.added ?? LEAF, modified: found.modified ?? LEAF, removed: found.removed ?? LEAF };
}

interface Pair {
  /** undefined where there is no value; so is `after`. */
  readonly before: unknown;
  readonly after: unknown;
}

function compare({ before, after }: Pair, type: MergeType): Found | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: allFields(after, type) };
  if (after === undefined) return { removed: allFields(before, type) };
  const form = formOf(after, type);
  if (before !== null && after !== null && formOf(before, type) !== form) {
    return { modified: LEAF, added: below(allFields(after, type)), removed: below(allFields(before, type)) };
  }
  const isLeaf = form === "scalar" || (isNothing(before) && isNothing(after)) ||
    isEntire(after ?? before, type);
  if (isLeaf) return equal(before, after) ? undefined : { modified: LEAF };
  if (type.list !== undefined && (Array.isArray(before) || Array.isArray(after))) {
    return compareLists(asList(before), asList(after), type.list);
  }
  return type.map === undefined ? undefined : compareMaps(asMap(before), asMap(after), type.map);
}

function below(set: FieldSet): FieldSet | undefined {
  return entry(false, set);
}

function isNothing(value: unknown): boolean {
  if (value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function compareMaps(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  type: MapType,
): Found | undefined {
  const found = new Collected();
  for (const key of Object.keys(after)) {
    const pair = { before: Object.hasOwn(before, key) ? before[key] : undefined, after: after[key] };
    if (pair.before !== pair.after) found.addField(key, compare(pair, typeOfKey(type, key)));
  }
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key) && after[key] !== undefined) continue;
    found.addField(key, compare({ before: before[key], after: undefined }, typeOfKey(type, key)));
  }
  return found.result;
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  type: ListType,
): Found | undefined {
  const found = new Collected();
  const [left, right] = [indexItems(before, type), indexItems(after, type)];
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const [mine, theirs] = [left.get(element) ?? [], right.get(element) ?? []];
    const [first, second] = [mine[0], theirs[0]];
    if (mine.length < 2 && theirs.length < 2) {
      found.add(element, compare({ before: first, after: second }, type.items()));
    } else if (mine.length > 1 && theirs.length > 1) {
      if (!equal(mine, theirs)) found.add(element, { modified: LEAF });
    } else if (mine.length > 1) {
      // Repeated items were one value; the single item that remains is new.
      if (second !== undefined) {
        found.add(element, compare({ before: undefined, after: second }, type.items()));
      }
      found.add(element, { removed: LEAF });
    } else {
      if (first !== undefined) found.add(element, compare({ before: first, after: undefined }, type.items()));
      found.add(element, { added: LEAF });
    }
  }
  return found.result;
}

/** Gathers the differences below the keys of one map or list. */
class Collected {
  readonly #sets: { added?: Draft; modified?: Draft; removed?: Draft } = {};

  addField(key: string, found: Found | undefined): void {
    if (found !== undefined) this.add(fieldElement(key), found);
  }

  add(element: string, found: Found | undefined): void {
    if (found === undefined) return;
    for (const kind of ["added", "modified", "removed"] as const) {
      const set = found[kind];
      if (set !== undefined) (this.#sets[kind] ??= {})[element] = set;
    }
  }

  get result(): Found | undefined {
    const { added, modified, removed } = this.#sets;
    if (added === undefined && modified === undefined && removed === undefined) return undefined;
    return this.#sets;
  }
}

/** Tells whether there is no difference. */
export function isSame({ added, modified, removed }: Differences): boolean {
  return isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
}
