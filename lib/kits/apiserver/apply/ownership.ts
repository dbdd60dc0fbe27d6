/**
 * The owners of fields, kept on every write: plain writes take the fields that they change, applied configurations all that they hold.
 *
 * Source: Kubernetes documentation, "Server-Side Apply", "Field management"; k8s.io/apimachinery, pkg/util/managedfields;
 * sigs.k8s.io/structured-merge-diff, merge/update.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Clock } from "../../../runtime/host.ts";
import type { Kind, Kinds } from "../kinds.ts";
import { timestamp } from "../formats/timestamp.ts";
import { typeOfKind } from "../types/mod.ts";
import { clone, equal, setOwn } from "../values.ts";
import { typeFaults } from "./checking.ts";
import { compareObjects, type Differences } from "./comparison.ts";
import { difference, type FieldSet, isEmptySet, LEAF, SELF, union, withoutBelow } from "./field_set.ts";
import { BuiltinTypes, customType, DEDUCED, type MergeType } from "./merge_type.ts";
import {
  capOwners,
  isReset,
  isSameOwner,
  orderOwners,
  type Owner,
  readOwners,
  SharedOwners,
} from "./owners.ts";
import { ignoredBy } from "./resets.ts";
import { UnfitVersionError, type Views } from "./views.ts";
import { zeroValue } from "./zero_values.ts";

/** The author of a write. */
export interface Writer {
  /** The name of the field manager; "" is called "unknown". */
  readonly manager: string;
  /** Which part of the object is written; absent for the object itself. */
  readonly subresource?: string;
}

/** A write that may change the owners of fields. */
export interface TrackedWrite {
  readonly kind: Kind;
  readonly writer: Writer;
  /** The object before; undefined if it is new. Is not changed. */
  readonly before: KubeObject | undefined;
  /** The object as it shall be; gets its `managedFields` here. */
  readonly after: KubeObject;
  /** Where a webhook converts: for a function that `compare()` runs. */
  readonly views?: Views;
}

const METADATA: FieldSet = Object.fromEntries(
  [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "generation",
    "managedFields",
    "resourceVersion",
  ]
    .map((name) => [`f:${name}`, LEAF]),
);

/** Fields without owners. */
export const NOBODYS: FieldSet = {
  "f:apiVersion": LEAF,
  "f:kind": LEAF,
  "f:metadata": { [SELF]: LEAF, ...METADATA },
};

/** Keeps owners for a server. */
export class Ownership {
  readonly #kinds: Kinds;
  readonly #clock: Clock;
  readonly #builtin = new BuiltinTypes();
  readonly #types = new WeakMap<Kind, MergeType>();
  readonly #versionTypes = new WeakMap<JsonObject, MergeType>();
  readonly #shared = new SharedOwners();
  #last: { readonly second: number; readonly text: string } = { second: NaN, text: "" };

  constructor(kinds: Kinds, clock: Clock) {
    this.#kinds = kinds;
    this.#clock = clock;
  }

  /** Records the owners of an object that is written plainly. */
  track(write: TrackedWrite): void {
    const { before, after, writer } = write;
    const given = after.metadata.managedFields;
    const owners = this.#ownersFor({ given, before, writer });
    lendOwners(after, before);
    if (owners.length === 0 && before !== undefined) return void delete after.metadata.managedFields;
    try {
      this.#track(write, owners);
    } catch (error) {
      // It begins anew when the missing objects have been converted.
      after.metadata.managedFields = given;
      // An object with a list item without a key has no owners; validation decides about the item elsewhere.
      if (!(error instanceof SyntaxError)) throw error;
      delete after.metadata.managedFields;
    }
  }

  #track({ kind, writer, before, after, views }: TrackedWrite, owners: readonly Owner[]): void {
    const live = before === undefined ? zeroValue(kind) : shownIn(kind, before);
    const compared = this.comparison(kind, {
      live,
      next: shownIn(kind, after),
      subresource: writer.subresource,
      views,
    });
    const kept = this.release(owners, compared);
    const { added, modified } = compared.in(kind.apiVersion) ?? NOTHING;
    const changed = difference(union(modified, added), NOBODYS);
    const mine = {
      manager: writer.manager || "unknown",
      operation: "Update",
      apiVersion: kind.apiVersion,
    } as const;
    this.store(after, isEmptySet(changed) ? kept : this.#take(kept, { ...mine, changed, writer }));
  }

  /** Takes from all owners the fields that the server itself has changed; they have no owner. */
  follow({ kind, before, after }: { kind: Kind; before: KubeObject; after: KubeObject }): void {
    // A stored object was written by store().
    const owners = (before.metadata.managedFields ?? []) as Owner[];
    lendOwners(after, before);
    if (owners.length === 0) return;
    try {
      const compared = this.comparison(kind, {
        live: shownIn(kind, before),
        next: shownIn(kind, after),
      });
      this.store(after, this.release(owners, compared));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      delete after.metadata.managedFields;
    }
  }

  /** Takes the owners that a client gives, unless it gives none; a subresource cannot give any. */
  #ownersFor(of: { given: unknown; before: KubeObject | undefined; writer: Writer }): Owner[] {
    const { given, before, writer } = of;
    const live = before?.metadata.managedFields;
    if (writer.subresource === undefined && given !== live) {
      if (isReset(given)) return [];
      const owners = readOwners(given);
      if (owners !== undefined && owners.length > 0) return owners;
    }
    // A stored object was written by store().
    return live === undefined ? [] : live as Owner[];
  }

  #take(
    owners: readonly Owner[],
    of: { manager: string; operation: "Update"; apiVersion: string; changed: FieldSet; writer: Writer },
  ): readonly Owner[] {
    const { manager, operation, apiVersion, changed, writer } = of;
    const { subresource } = writer;
    const mine: Omit<Owner, "fieldsV1"> = {
      manager,
      operation,
      apiVersion,
      // NB: the real server forgets when a scale was written.
      ...(subresource === "scale" ? {} : { time: this.now() }),
      fieldsType: "FieldsV1",
    };
    const whole = { ...mine, fieldsV1: changed, ...(subresource === undefined ? {} : { subresource }) };
    const index = owners.findIndex((owner) => isSameOwner(owner, whole));
    if (index < 0) return capOwners([...owners, whole]);
    const former = owners[index]?.fieldsV1 ?? LEAF;
    return capOwners(owners.with(index, { ...whole, fieldsV1: union(changed, former) }));
  }

  /** The time, as owners show it. */
  now(): string {
    const second = Math.floor(this.#clock.now() / 1000);
    // Many writes happen in one second.
    if (this.#last.second !== second) this.#last = { second, text: timestamp(second * 1000) };
    return this.#last.text;
  }

  /** Returns a kind's type. */
  typeOf(kind: Kind): MergeType {
    let type = this.#types.get(kind);
    if (type !== undefined) return type;
    const name = typeOfKind(kind.apiVersion, kind.kind);
    if (kind.custom) type = customType(kind.schema, this.#builtin);
    else type = name === undefined ? DEDUCED : this.#builtin.named(name);
    this.#types.set(kind, type);
    return type;
  }

  /** Returns the type of another version of a custom kind, served or not; undefined if there is none. */
  #typeIn({ versions }: Kind, apiVersion: string): MergeType | undefined {
    if (versions?.has(apiVersion) !== true) return undefined;
    const schema = versions.get(apiVersion);
    if (schema === undefined) return DEDUCED;
    let type = this.#versionTypes.get(schema);
    if (type === undefined) this.#versionTypes.set(schema, type = customType(schema, this.#builtin));
    return type;
  }

  /**
   * Returns the differences between two objects as a version shows them, and the fields that do not count; undefined if the
   * version is not served.
   *
   * @throws {UnfitVersionError} If the version of a custom kind is gone, or its schema does not fit.
   */
  differencesIn(
    apiVersion: string,
    { kind, live, next, subresource, views }: Omit<ComparedObjects, "ownership">,
  ): { readonly found: Differences; readonly ignored: FieldSet } | undefined {
    const own = apiVersion === kind.apiVersion ? kind : this.#kinds.at(apiVersion, kind.plural);
    if (own === kind || !kind.custom || (kind.converter !== undefined && views === undefined)) {
      return own &&
        { found: compareObjects(live, next, this.typeOf(own)), ignored: ignoredBy(own, subresource) };
    }
    const before = this.viewIn(apiVersion, { kind, object: live, views });
    const after = this.viewIn(apiVersion, { kind, object: next, views });
    return { found: compareObjects(before.object, after.object, before.type), ignored: LEAF };
  }

  /**
   * Returns an object in another version of a custom kind, and its type.
   *
   * @throws {UnfitVersionError} If the object is none of that type.
   */
  viewIn(
    apiVersion: string,
    { kind, object, views }: { readonly kind: Kind; readonly object: JsonObject; readonly views?: Views },
  ): { readonly object: JsonObject; readonly type: MergeType } {
    const type = this.#typeIn(kind, apiVersion);
    if (type === undefined) {
      throw new UnfitVersionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
    }
    const view = kind.converter === undefined || views === undefined ? object : views.of(object, apiVersion);
    const fault = typeFaults(view, type);
    if (fault !== undefined) throw new UnfitVersionError(fault);
    return { object: view, type };
  }

  /** Compares an object with the one before it, in each version that is asked for. */
  comparison(kind: Kind, objects: Omit<ComparedObjects, "kind" | "ownership">): Comparison {
    return new Comparison({ ...objects, kind, ownership: this });
  }

  /** Takes the changed fields from all owners. */
  release(owners: readonly Owner[], compared: Comparison): readonly Owner[] {
    let same = true;
    const kept = owners.flatMap((owner) => {
      const found = compared.in(owner.apiVersion);
      if (found === undefined) {
        same = false;
        return [];
      }
      const { fieldsV1 } = owner;
      const left = difference(difference(fieldsV1, union(found.modified, found.added)), found.removed);
      if (left === fieldsV1 || equal(left, fieldsV1)) return [owner];
      same = false;
      return [{ ...owner, fieldsV1: left }];
    });
    return same ? owners : kept;
  }

  /** Writes the owners into an object. */
  store(object: KubeObject, owners: readonly Owner[]): void {
    // The list that an object was lent by the one before belongs to the store, and is in order.
    if (owners.length > 0 && owners === object.metadata.managedFields) return;
    const kept = orderOwners(owners);
    if (kept.length === 0) delete object.metadata.managedFields;
    else {
      object.metadata.managedFields = this.#shared.list(
        kept.map((owner) => ({ ...owner, fieldsV1: this.#shared.set(owner.fieldsV1) })),
      );
    }
  }
}

const NOTHING: Differences = { added: LEAF, modified: LEAF, removed: LEAF };

interface ComparedObjects {
  readonly ownership: Ownership;
  readonly kind: Kind;
  readonly live: JsonObject;
  readonly next: JsonObject;
  readonly subresource?: string;
  readonly views?: Views;
}

/** The changes of a write, as each version of the kind would say them. */
export class Comparison {
  readonly #objects: ComparedObjects;
  readonly #found = new Map<string, Differences>();

  constructor(objects: ComparedObjects) {
    this.#objects = objects;
  }

  /** Returns the differences in a version; undefined if it is not served. @throws {SyntaxError} If its schema does not fit. */
  in(apiVersion: string): Differences | undefined {
    const known = this.#found.get(apiVersion);
    if (known !== undefined) return known;
    const differences = this.#objects.ownership.differencesIn(apiVersion, this.#objects);
    if (differences === undefined) return undefined;
    const { ignored, found: { added, modified, removed } } = differences;
    const found = isEmptySet(ignored) ? { added, modified, removed } : {
      added: withoutBelow(added, ignored),
      modified: withoutBelow(modified, ignored),
      removed: withoutBelow(removed, ignored),
    };
    this.#found.set(apiVersion, found);
    return found;
  }
}

/** Returns the object as a version of its kind shows it. */
export function shownIn(kind: Kind, object: KubeObject): JsonObject {
  return kind.conversion === undefined ? object : kind.conversion.toServed(object);
}

/** Lets an object have the owners of the one before while the two are compared: then the owners do not differ. */
function lendOwners(after: KubeObject, before: KubeObject | undefined): void {
  const owners = before?.metadata.managedFields;
  if (owners === undefined) delete after.metadata.managedFields;
  else after.metadata.managedFields = owners;
}

/** Returns a copy of an object, which shares the list of owners alone. */
export function cloneButOwners(object: KubeObject): KubeObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) if (key !== "metadata") setOwn(copy, key, clone(object[key]));
  const metadata: JsonObject = {};
  // Its fields are known by their names, and it is JSON.
  const live = object.metadata as JsonObject;
  for (const key of Object.keys(live)) {
    setOwn(metadata, key, key === "managedFields" ? live[key] : clone(live[key]));
  }
  // All that was there is there again.
  return { ...copy, metadata } as KubeObject;
}

/** Returns the object without its owners. */
export function withoutOwners(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _owners, ...metadata } = object.metadata;
  return { ...object, metadata };
}
