/**
 * The entries of `metadata.managedFields`: the fields of each owner, and the time of its last change.
 *
 * Source: k8s.io/apimachinery, pkg/util/managedfields/internal/managedfields.go and capmanagers.go.
 */

import { isObject } from "../values.ts";
import { type FieldSet, isEmptySet, readSet, sortedSet, union } from "./field_set.ts";

/** One owner. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version in which the fields are named. */
  readonly apiVersion: string;
  /** RFC 3339, whole seconds; absent where the entry came without. */
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: FieldSet;
  /** Absent for the object itself. */
  readonly subresource?: string;
}

/** How many owners by updates an object may have; the oldest are merged. */
const MOST_UPDATERS = 10;
const ANCIENT = "ancient-changes";

/** Two entries of one owner become one: whoever applies keeps one entry for all versions. */
export function isSameOwner(one: Omit<Owner, "fieldsV1">, other: Omit<Owner, "fieldsV1">): boolean {
  return one.manager === other.manager && one.operation === other.operation &&
    (one.operation === "Apply" || one.apiVersion === other.apiVersion) &&
    (one.subresource ?? "") === (other.subresource ?? "");
}

/** Returns the key that two entries of one owner have in common. */
export function identityOf(
  { manager, operation, apiVersion, subresource = "" }: Omit<Owner, "fieldsV1">,
): string {
  return JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

/** Reads a list of owners, each of them once; undefined if it is none, or has an entry that cannot be. */
export function readOwners(value: unknown): Owner[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const owners = new Map<string, Owner>();
  for (const owner of value.map(readOwner)) {
    if (owner === undefined) return undefined;
    // NB: of two entries of one owner, which renaming makes, the last counts.
    owners.set(identityOf(owner), owner);
  }
  return [...owners.values()];
}

/** Returns the faults of a list of owners; undefined if there is none. */
export function ownersFault(value: unknown): string | undefined {
  for (const [index, owner] of (Array.isArray(value) ? value : []).entries()) {
    if (readOwner(owner) !== undefined) continue;
    const { operation, apiVersion = "", fieldsType = "" } = isObject(owner) ? owner : {};
    if (operation !== "Apply" && operation !== "Update") return "operation must be `Apply` or `Update`";
    if (apiVersion === "") return "apiVersion must not be empty";
    if (fieldsType === "") return `missing fieldsType in managed fields entry ${index}`;
    return fieldsType === "FieldsV1"
      ? `error decoding versioned set from managed fields entry ${index}`
      : `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
  }
  return undefined;
}

function readOwner(value: unknown): Owner | undefined {
  if (!isObject(value)) return undefined;
  const { manager = "", operation, apiVersion, fieldsType, time, subresource } = value;
  const fieldsV1 = readSet(value.fieldsV1 ?? {});
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (typeof apiVersion !== "string" || apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
  if (fieldsV1 === undefined || typeof manager !== "string") return undefined;
  return {
    manager,
    operation,
    apiVersion,
    ...(typeof time === "string" ? { time } : {}),
    fieldsType,
    fieldsV1,
    ...(typeof subresource === "string" && subresource !== "" ? { subresource } : {}),
  };
}

/** Tells whether a client gives all owners up: by an empty list, or by one empty entry. */
export function isReset(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.length === 0 ||
    (value.length === 1 && isObject(value[0]) && Object.keys(value[0]).length === 0);
}

/** Returns the owners in the order in which they are shown, without owners of no field. */
export function orderOwners(owners: readonly Owner[]): Owner[] {
  const secondsOf = ({ time = "" }: Owner) => time;
  return owners.filter(({ fieldsV1 }) => !isEmptySet(fieldsV1)).sort((a, b) =>
    compare(a.operation, b.operation) || compare(secondsOf(a), secondsOf(b)) ||
    compare(a.manager, b.manager) ||
    compare(a.apiVersion, b.apiVersion) || compare(a.subresource ?? "", b.subresource ?? "")
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Merges the oldest owners by updates, if there are too many. */
export function capOwners(owners: readonly Owner[]): readonly Owner[] {
  const updaters = owners.filter(({ operation }) => operation === "Update");
  let surplus = updaters.length - MOST_UPDATERS;
  if (surplus <= 0) return owners;
  updaters.sort((a, b) => compare(a.time ?? "", b.time ?? "") || compare(identityOf(a), identityOf(b)));
  const dropped = new Set<Owner>();
  const first = new Map<string, Owner>();
  const buckets = new Map<string, Owner>();
  for (const owner of updaters) {
    if (surplus <= 0) break;
    const { apiVersion, time, fieldsV1 } = owner;
    const before = buckets.get(apiVersion) ?? first.get(apiVersion);
    if (before === undefined) {
      first.set(apiVersion, owner);
      continue;
    }
    dropped.add(before).add(owner);
    buckets.set(apiVersion, {
      manager: ANCIENT,
      operation: "Update",
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: "FieldsV1",
      fieldsV1: union(before.fieldsV1, fieldsV1),
    });
    surplus--;
  }
  return [...owners.filter((owner) => !dropped.has(owner)), ...buckets.values()];
}

/** How many sets and entries are remembered for sharing. */
const SHARED = 2000;

/** Lets objects share equal owners: most objects of a kind are owned alike. */
export class SharedOwners {
  readonly #sets = new Map<string, FieldSet>();
  readonly #lists = new Map<string, Owner[]>();

  /** Returns the set that stands for all that are equal to this one, with sorted keys. */
  set(fields: FieldSet): FieldSet {
    const text = JSON.stringify(fields);
    const known = this.#sets.get(text);
    if (known !== undefined) return known;
    if (this.#sets.size >= SHARED) this.#sets.clear();
    const sorted = sortedSet(fields);
    const own = JSON.stringify(sorted);
    const kept = this.#sets.get(own) ?? sorted;
    this.#sets.set(own, kept).set(text, kept);
    return kept;
  }

  /** Returns the list that stands for all that are equal to a list of one owner. */
  list(owners: Owner[]): Owner[] {
    const [owner, ...others] = owners;
    if (owner === undefined || others.length > 0) return owners;
    const key = `${identityOf(owner)} ${owner.apiVersion} ${owner.time}`;
    const known = this.#lists.get(key);
    if (known?.[0]?.fieldsV1 === owner.fieldsV1) return known;
    if (this.#lists.size >= SHARED) this.#lists.clear();
    this.#lists.set(key, owners);
    return owners;
  }
}
