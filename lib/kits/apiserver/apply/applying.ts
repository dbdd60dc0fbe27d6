/**
 * Server-side apply: an object, a configuration merged into it, and the owners after that.
 *
 * Source: k8s.io/apimachinery, pkg/util/managedfields/internal/{structuredmerge,lastappliedmanager}.go;
 * sigs.k8s.io/structured-merge-diff, merge/update.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { formatJson, parseJson } from "../../../runtime/json.ts";
import type { Kind } from "../kinds.ts";
import { applyConflict, badRequest, storageFault } from "../refusal.ts";
import { clone, equal, getOwn, isObject, setOwn } from "../values.ts";
import { typeFaults } from "./checking.ts";
import { compareObjects, fieldsIn } from "./comparison.ts";
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  LEAF,
  SELF,
  union,
  withoutBelow,
} from "./field_set.ts";
import { merge, removeFields, withDeclared } from "./merging.ts";
import type { MergeType } from "./merge_type.ts";
import { type Conflict, conflictMessages } from "./conflicts.ts";
import { NOBODYS, type Ownership, withoutOwners, type Writer } from "./ownership.ts";
import { identityOf, type Owner } from "./owners.ts";
import { ignoredBy } from "./resets.ts";
import { UnfitVersionError, type Views } from "./views.ts";
import { zeroValue } from "./zero_values.ts";

/** An application: the configuration, and its manager. */
export interface Application {
  readonly kind: Kind;
  readonly writer: Writer;
  /** The object as this version of its kind shows it; undefined if there is none. */
  readonly live: KubeObject | undefined;
  readonly config: JsonObject;
  /** Takes fields of other owners. */
  readonly force: boolean;
  /** Where a webhook converts: for a function that `compare()` runs. */
  readonly views?: Views;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const KUBECTL = "kubectl";
const BEFORE = "before-first-apply";

/**
 * Returns the object with the configuration applied, and with its owners.
 *
 * @throws {Refusal} 400 if it is no configuration of the kind; 409 for conflicts; 500 if it does not fit the schema.
 */
export function applyConfiguration(ownership: Ownership, application: Application): KubeObject {
  const { kind, live, config } = application;
  checkConfiguration(kind, config);
  const type = ownership.typeOf(kind);
  const fault = typeFaults(config, type);
  if (fault !== undefined) {
    throw storageFault(`failed to create typed patch object (${titleOf(kind, config)}): ${fault}`);
  }
  try {
    return new Applying(ownership, { ...application, live: live ?? emptyObject(kind) }, type).run(
      live !== undefined,
    );
  } catch (error) {
    // The live object may hold list items without a key.
    if (error instanceof UnfitVersionError) throw storageFault(error.message);
    if (error instanceof SyntaxError) throw storageFault(`failed to merge config: ${error.message}`);
    throw error;
  }
}

function checkConfiguration(kind: Kind, config: JsonObject): void {
  const { apiVersion, kind: name, metadata } = config;
  if (apiVersion !== kind.apiVersion || name !== kind.kind) {
    const version = typeof apiVersion === "string" ? apiVersion : "";
    const shown = version.includes("/") ? version : `/${version}`;
    throw badRequest(`invalid object type: ${shown}, Kind=${typeof name === "string" ? name : ""}`);
  }
  if (isObject(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
}

function titleOf(kind: Kind, { metadata }: JsonObject): string {
  const { namespace = "", name = "" } = isObject(metadata) ? metadata : {};
  const version = kind.group === "" ? `/${kind.version}` : kind.apiVersion;
  return `${namespace}/${name}; ${version}, Kind=${kind.kind}`;
}

function emptyObject({ apiVersion, kind, custom, ...rest }: Kind): KubeObject {
  // A zero value always has metadata.
  return { apiVersion, kind, ...zeroValue({ ...rest, apiVersion, kind, custom }) } as KubeObject;
}

class Applying {
  readonly #ownership: Ownership;
  readonly #application: Application & { readonly live: KubeObject };
  readonly #type: MergeType;

  constructor(
    ownership: Ownership,
    application: Application & { readonly live: KubeObject },
    type: MergeType,
  ) {
    this.#ownership = ownership;
    this.#application = application;
    this.#type = type;
  }

  run(exists: boolean): KubeObject {
    const { live, config, kind, writer, force, views } = this.#application;
    const before = withoutOwners(live);
    const owners = exists ? this.#liveOwners(live, before) : [];
    for (const { apiVersion } of owners) this.#checkVersion(before, apiVersion);
    const owner = this.#applier();
    const identity = identityOf(owner);
    const last = owners.find((other) => identityOf(other) === identity);
    const fields = withoutBelow(fieldsIn(config, this.#type), ignoredBy(kind, writer.subresource));
    const mine: Owner = {
      ...owner,
      fieldsV1: fields,
      ...(last?.time === undefined ? {} : { time: last.time }),
    };
    const all = [...owners.filter((other) => other !== last), mine];
    const merged = merge({ live: before, config }, this.#type);
    const next = this.#prune(merged, { owners: all, last: last?.fieldsV1 ?? LEAF });
    const compared = this.#ownership.comparison(kind, {
      live: before,
      next,
      subresource: writer.subresource,
      views,
    });
    const others = all.filter((other) => other !== mine);
    const conflicts = force ? [] : conflictsOf(others, compared);
    this.#refuse(conflicts);
    const changed = !equal(next, before);
    const kept = {
      ...mine,
      fieldsV1: difference(fields, NOBODYS),
      ...(changed ? { time: this.#ownership.now() } : {}),
    };
    const object = finish(changed ? next : clone(before), { kind, before, config, writer });
    this.#ownership.store(object, [...this.#ownership.release(others, compared), kept]);
    return object;
  }

  /** Returns the owners. Whoever owned everything before anybody applied is called by a name of its own. */
  #liveOwners(live: KubeObject, before: KubeObject): readonly Owner[] {
    // A stored object was written by store().
    const owners = (live.metadata.managedFields ?? []) as Owner[];
    if (owners.length > 0) return this.#collapse(owners);
    const { kind, writer } = this.#application;
    const { added, modified } = compareObjects(zeroValue(kind), before, this.#type);
    const fieldsV1 = withoutBelow(
      difference(union(added, modified), NOBODYS),
      ignoredBy(kind, writer.subresource),
    );
    if (isEmptySet(fieldsV1)) return [];
    return [{
      ...this.#applier(),
      manager: BEFORE,
      operation: "Update",
      time: this.#ownership.now(),
      fieldsV1,
    }];
  }

  /** @throws {UnfitVersionError} If an owner's version does not know the object, so that its fields cannot be compared. */
  #checkVersion(object: JsonObject, apiVersion: string): void {
    const { kind, views } = this.#application;
    if (!kind.custom || apiVersion === kind.apiVersion) return;
    if (kind.converter === undefined || views !== undefined) {
      this.#ownership.viewIn(apiVersion, { kind, object, views });
    }
  }

  /** Returns the owners. A field that has become atomic since an owner took it is owned as a whole. */
  #collapse(owners: readonly Owner[]): readonly Owner[] {
    return owners.map((owner) => {
      const fieldsV1 = collapse(owner.fieldsV1, this.#type);
      return fieldsV1 === owner.fieldsV1 ? owner : { ...owner, fieldsV1 };
    });
  }

  #applier(): Omit<Owner, "fieldsV1" | "time"> {
    const { kind, writer } = this.#application;
    const { manager, subresource } = writer;
    return {
      manager,
      operation: "Apply",
      apiVersion: kind.apiVersion,
      fieldsType: "FieldsV1",
      ...(subresource === undefined ? {} : { subresource }),
    };
  }

  /** Removes fields that were applied last time, are not now, and have no other owner. */
  #prune(merged: unknown, { owners, last }: { owners: readonly Owner[]; last: FieldSet }): KubeObject {
    // Merging keeps the fields that every object has.
    if (isEmptySet(last)) return merged as KubeObject;
    const type = this.#type;
    const declared = (set: FieldSet) => withDeclared(set, type);
    const mergedSet = declared(fieldsIn(merged, type));
    let pruned = removeFields(merged, declared(last), type);
    const owned = declared(owners.reduce((set, { fieldsV1 }) => union(set, fieldsV1), LEAF));
    const keep = union(declared(fieldsIn(pruned, type)), owned);
    pruned = removeFields(merged, difference(mergedSet, keep), type);
    const gone = difference(mergedSet, declared(fieldsIn(pruned, type)));
    return removeFields(merged, intersection(gone, declared(last)), type) as KubeObject;
  }

  #refuse(conflicts: readonly Conflict[]): void {
    if (conflicts.length === 0) return;
    const { writer, live } = this.#application;
    const allowed = writer.manager === KUBECTL ? this.#lastApplied(live) : LEAF;
    const left = conflicts.flatMap((conflict) => {
      const fields = difference(conflict.fields, allowed);
      return isEmptySet(fields) ? [] : [{ ...conflict, fields }];
    });
    if (left.length > 0) throw applyConflict(conflictMessages(left));
  }

  /** Returns the fields that client-side `kubectl apply` has written and that are there still: kubectl may go on with them. */
  #lastApplied(live: KubeObject): FieldSet {
    const text = live.metadata.annotations?.[LAST_APPLIED];
    try {
      const config = parseJson(text ?? "", 64);
      if (!isObject(config) || config.apiVersion !== this.#application.kind.apiVersion) return LEAF;
      const { added, modified, removed } = compareObjects(config, withoutOwners(live), this.#type);
      return difference(fieldsIn(config, this.#type), union(union(added, modified), removed));
    } catch (error) {
      if (error instanceof SyntaxError) return LEAF;
      throw error;
    }
  }
}

function conflictsOf(others: readonly Owner[], compared: ReturnType<Ownership["comparison"]>): Conflict[] {
  return others.flatMap((owner) => {
    const found = compared.in(owner.apiVersion);
    if (found === undefined) return [];
    const fields = intersection(owner.fieldsV1, union(found.modified, found.added));
    return isEmptySet(fields) ? [] : [{ owner, fields }];
  });
}

/** Replaces the fields below an atomic value by the value as a whole. */
function collapse(set: FieldSet, type: MergeType): FieldSet {
  const result: Record<string, FieldSet> = {};
  let same = true;
  for (const key in set) {
    const before = set[key] ?? LEAF;
    const child = key === SELF ? undefined : childOf(type, key);
    const whole = child?.map?.atomic === true ||
      (child?.list?.relation === "atomic" && child.map === undefined);
    const after = child === undefined || isEmptySet(before) ? before : whole ? LEAF : collapse(before, child);
    if (after !== before) same = false;
    result[key] = after;
  }
  return same ? set : result;
}

function childOf(type: MergeType, key: string): MergeType | undefined {
  if (!key.startsWith("f:")) return type.list?.items();
  return (type.map?.fields.get(key.slice(2)) ?? type.map?.rest)?.();
}

interface Finishing {
  readonly kind: Kind;
  readonly before: KubeObject;
  readonly config: JsonObject;
  readonly writer: Writer;
}

/** Built-in kinds have no nulls; and the annotation of `kubectl apply` follows the configuration that kubectl applies. */
function finish(next: KubeObject, { kind, before, config, writer }: Finishing): KubeObject {
  const object = clone(next);
  if (!kind.custom) dropNulls(object, before);
  const { annotations } = object.metadata;
  if (writer.manager === KUBECTL && (annotations?.[LAST_APPLIED] ?? "") !== "") {
    setOwn(annotations ?? {}, LAST_APPLIED, `${formatJson(sorted(withoutAnnotation(config)))}\n`);
  }
  return object;
}

function dropNulls(value: JsonObject, before: unknown): void {
  for (const key of Object.keys(value)) {
    const [child, old] = [value[key], isObject(before) ? getOwn(before, key) : undefined];
    if (child === null && old !== null) delete value[key];
    else if (isObject(child)) dropNulls(child, old);
    else if (Array.isArray(child)) {
      for (const item of child) if (isObject(item)) dropNulls(item, undefined);
    }
  }
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const copy = clone(config);
  if (isObject(copy.metadata) && isObject(copy.metadata.annotations)) {
    delete copy.metadata.annotations[LAST_APPLIED];
  }
  return copy;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(result, key, sorted(value[key]));
  return result;
}
