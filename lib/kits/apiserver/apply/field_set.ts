/**
 * Sets of fields, in the form in which `metadata.managedFields` shows them (`fieldsV1`).
 *
 * A set is a tree: a key names a field (`f:spec`), an item of a list by its keys (`k:{"name":"a"}`) or by its value
 * (`v:"a"`), and leads to the set of the fields below. A field is a member of the set if no field is below it, or if it holds
 * the mark ".". Sets are never changed once they are made, so that objects can share them.
 * Source: Kubernetes API reference, FieldsV1; sigs.k8s.io/structured-merge-diff, fieldpath/set.go.
 */

/** A set of fields, and the set below one field. */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

type Draft = Record<string, FieldSet>;

/** Below a field that has others below it: the field itself is a member, too. */
export const SELF = ".";

/** A field without fields below it. */
export const LEAF: FieldSet = Object.freeze({});

/** Tells whether the set is empty. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Tells whether a key is a member of its set, by the set that it leads to. */
export function isMember(below: FieldSet | undefined): boolean {
  return below !== undefined && (SELF in below || isEmptySet(below));
}

/** Makes the set that a key leads to; undefined if the key is not to be in the set at all. */
export function entry(member: boolean, below: FieldSet | undefined): FieldSet | undefined {
  if (below === undefined || isEmptySet(below)) return member ? LEAF : undefined;
  if (member === (SELF in below)) return below;
  if (member) return { [SELF]: LEAF, ...below };
  const { [SELF]: _self, ...rest } = below;
  return isEmptySet(rest) ? undefined : rest;
}

/** Returns the fields that are in one of the sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const result: Draft = { ...a };
  for (const key in b) {
    const [mine, other] = [result[key], b[key] ?? LEAF];
    if (key === SELF || mine === undefined) result[key] = other;
    else result[key] = entry(isMember(mine) || isMember(other), union(mine, other)) ?? LEAF;
  }
  return result;
}

/** Returns the fields that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result: Draft = {};
  for (const key in a) {
    const [mine, other] = [a[key], b[key]];
    if (key === SELF || mine === undefined || other === undefined) continue;
    const kept = entry(isMember(mine) && isMember(other), intersection(mine, other));
    if (kept !== undefined) result[key] = kept;
  }
  return result;
}

/** Returns the fields of the first set that are not in the second; a field does not stand for the fields below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isApart(a, b)) return a;
  const result: Draft = {};
  let isSame = !(SELF in a);
  for (const key in a) {
    if (key === SELF) continue;
    const mine = a[key] ?? LEAF;
    const other = b[key];
    const kept = other === undefined
      ? mine
      : entry(isMember(mine) && !isMember(other), difference(mine, other));
    if (kept !== mine) isSame = false;
    if (kept !== undefined) result[key] = kept;
  }
  return isSame ? a : result;
}

/** Whether no key of the second set is one of the first. */
function isApart(a: FieldSet, b: FieldSet): boolean {
  for (const key in b) if (key in a) return false;
  return true;
}

/** Returns the fields of the first set that are not in the second, nor below a field that is. */
export function withoutBelow(a: FieldSet, b: FieldSet): FieldSet {
  const result: Draft = {};
  for (const key in a) {
    const [mine, other] = [a[key] ?? LEAF, b[key]];
    if (key === SELF || isMember(other)) continue;
    const kept = other === undefined ? mine : entry(isMember(mine), withoutBelow(mine, other));
    if (kept !== undefined) result[key] = kept;
  }
  return result;
}

/** Returns the paths of all members, each a list of keys, in the order of the set. */
export function pathsIn(set: FieldSet, prefix: readonly string[] = []): string[][] {
  return Object.keys(set).filter((key) => key !== SELF).flatMap((key) => {
    const [path, below] = [[...prefix, key], set[key] ?? LEAF];
    return [...(isMember(below) ? [path] : []), ...pathsIn(below, path)];
  });
}

/** Returns the same set with sorted keys, as the real server shows it. */
export function sortedSet(set: FieldSet): FieldSet {
  const result: Draft = {};
  for (const key of Object.keys(set).sort()) result[key] = sortedSet(set[key] ?? LEAF);
  return result;
}

/** Reads a set from a request; undefined if it is none. */
export function readSet(value: unknown): FieldSet | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  for (const [key, below] of Object.entries(value)) {
    if ((key !== SELF && !/^[fkvi]:/.test(key)) || readSet(below) === undefined) return undefined;
  }
  // Every level was looked at.
  return value as FieldSet;
}
