/**
 * Changing objects. Source of the order: k8s.io/apiserver, pkg/registry/rest/update.go and
 * pkg/registry/generic/registry/store.go.
 */

import type { KubeObject } from "../../../model/object.ts";
import { cloneButOwners, withoutOwners } from "../apply/ownership.ts";
import type { Views } from "../apply/views.ts";
import { STATUS_ALONE } from "../apply/resets.ts";
import type { Cause } from "../causes.ts";
import type { Cluster } from "../cluster.ts";
import { keptObject, writtenObject } from "../definitions/conversion.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import type { ObjectPart } from "../paths.ts";
import { conflict, invalid, notFound, storageFault } from "../refusal.ts";
import { Stored } from "../storage/stored.ts";
import { clone, equal, isObject } from "../values.ts";
import type { WriteOptions } from "./create.ts";
import { metadataCauses, metadataChangeCauses } from "./metadata.ts";

export interface UpdateOptions extends WriteOptions {
  readonly kind: Kind;
  readonly reference: ObjectKey;
  /** "status", "ephemeralcontainers": only that part is taken. "binding": the object is bound to a node. */
  readonly subresource?: string;
  /** Returns the object as it shall be: a new one, which may be changed here. `current` must not be changed. */
  readonly change: (current: KubeObject) => KubeObject;
  /** A custom object is changed as it is kept, whatever its schema says: only the server itself does so. */
  readonly asKept?: boolean;
}

/** A change that is ready to be written: complete, and checked by everything that needs no one else. */
export interface Update {
  readonly kind: Kind;
  readonly key: string;
  /** The object as the store had it. */
  readonly seen: Stored;
  /** The object as it shall be. Belongs to the update; admission may look at it. */
  readonly updated: KubeObject;
  /** The same in the shape in which it is kept, unless a webhook has to say that. */
  readonly kept: KubeObject;
  readonly dryRun: boolean;
  readonly mayDropOwners: boolean;
}

/** Options of a write that may be prepared from another shape of the object than the one that is kept. */
export interface PrepareOptions extends UpdateOptions {
  /** The object in the version of the kind. Default: as it is kept. */
  readonly current?: KubeObject;
  /** Where a webhook converts: for a function that `compare()` runs. */
  readonly views?: Views;
}

/**
 * Changes an object that exists. Without a difference, there is no write.
 *
 * @throws {Refusal}
 */
export function updateObject(cluster: Cluster, options: UpdateOptions): Stored {
  const update = prepareUpdate(cluster, options);
  // No other write can have come between: there was no waiting.
  return commitUpdate(cluster, update) ?? update.seen;
}

/**
 * Completes and checks a change, before any write.
 *
 * @throws {Refusal}
 */
export function prepareUpdate(cluster: Cluster, options: PrepareOptions): Update {
  const { kind, reference, change, subresource, dryRun = false, report, warn, writer, applied } = options;
  const key = keyFor(kind, reference);
  const seen = kind.collection.get(key);
  if (seen === undefined) throw notFound(kind, reference.name);
  // NB: an update of the kept object, in whatever version, must not be pruned by the schema of another one.
  const bySchema = !(kind.custom && options.asKept === true);
  const current = options.current ?? (bySchema ? writtenObject(kind, seen) : seen.object);
  const next = change(current);
  next.apiVersion = current.apiVersion;
  checkVersion(kind, next, seen);
  keepSystemFields(next, current);
  // NB: of a custom object that is written, all is completed by its schema; then parts of the current one take their places.
  if (kind.custom && bySchema) report?.(kind.rules.normalize(next, { applied }));
  const updated = subresource === "status"
    ? withStatus(kind, next, current)
    : subresource === "ephemeralcontainers"
    ? withEphemeralContainers(next, current)
    : next;
  if (subresource === undefined && kind.subresources.includes("status")) keepStatus(updated, current);
  if (!kind.custom) report?.(kind.rules.normalize(updated, { applied }));
  if (writer !== undefined) {
    cluster.ownership.track({ kind, writer, before: current, after: updated, views: options.views });
  } else if (applied === true) setOwners(updated, next);
  else cluster.ownership.follow({ kind, before: current, after: updated });
  if (subresource === undefined) kind.rules.admit?.(updated, current);
  if (subresource === undefined || kind.rules.settlesStatus === true) {
    kind.rules.settle?.(updated, current, dryRun);
  }
  if (subresource !== "status" && subresource !== "binding") countGeneration(kind, updated, current);
  const causes = [
    ...metadataCauses(kind, updated),
    ...metadataChangeCauses(updated.metadata, current.metadata),
    ...(bySchema ? validate(updated, options, current) : []),
  ];
  if (causes.length > 0) throw invalid(kind, reference.name, causes);
  if (warn !== undefined && subresource === undefined) {
    for (const text of kind.rules.warnings?.(updated, current) ?? []) warn(text);
  }
  if (applied === true) keepTimes(updated, current);
  const kept = bySchema ? keptObject(kind, updated) : updated;
  const { mayDropOwners = writer !== undefined } = options;
  return { kind, key, seen, updated, kept, dryRun, mayDropOwners };
}

function validate(
  updated: KubeObject,
  { kind, subresource, warn }: UpdateOptions,
  old: KubeObject,
): readonly Cause[] {
  return kind.rules.validate(updated, { old, warn, ...(isPart(subresource) ? { part: subresource } : {}) });
}

function setOwners({ metadata }: KubeObject, { metadata: from }: KubeObject): void {
  if (from.managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = from.managedFields;
}

/** If only the times of owners have changed, the times before stay. */
function keepTimes(updated: KubeObject, current: KubeObject): void {
  const [now, before] = [updated, current].map(({ metadata }) => metadata.managedFields ?? []);
  const timeless = (entry: unknown) => isObject(entry) ? { ...entry, time: undefined } : entry;
  if (equal(now, before) || !equal(now?.map(timeless), before?.map(timeless))) return;
  if (equal(withoutOwners(updated), withoutOwners(current))) setOwners(updated, current);
}

/** Writes a prepared object, in the shape in which it is kept. Returns undefined if another was faster. */
export function commitUpdate(
  cluster: Cluster,
  { kind, key, seen, kept, dryRun, mayDropOwners }: Update,
  stored: KubeObject = kept,
): Stored | undefined {
  if (kind.collection.get(key) !== seen) return undefined;
  if (equal(stored, seen.object)) return seen;
  if (dryRun) return new Stored(stored, seen.version);
  if (mayVanish(kind, stored)) {
    cluster.store.remove(kind.collection, key);
    return new Stored(stored, cluster.store.version);
  }
  return cluster.store.put(kind.collection, key, stored, { mayDropOwners });
}

export interface EditOptions {
  readonly kind: Kind;
  readonly reference: ObjectKey;
  /** The subresource that is written, if it is one. */
  readonly subresource?: string;
  /** Changes a copy of the object in place. */
  readonly edit: (copy: KubeObject) => void;
}

/** Changes an object from inside the server. */
export function editObject(cluster: Cluster, { kind, reference, subresource, edit }: EditOptions): Stored {
  const change = (current: KubeObject) => {
    // The owners of fields do not change here.
    const copy = cloneButOwners(current);
    edit(copy);
    return tidy(copy);
  };
  return updateObject(cluster, { kind, reference, subresource, change, asKept: true });
}

/** Empty lists are not written. */
function tidy(object: KubeObject): KubeObject {
  for (const field of ["finalizers", "ownerReferences"] as const) {
    if ((object.metadata[field] ?? []).length === 0) delete object.metadata[field];
  }
  return object;
}

/** Whether a deleted object is kept by no finalizer and no time any more. */
export function mayVanish(kind: Kind, object: KubeObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0) return false;
  // Its kubelet still has time to end it.
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return kind.rules.holds?.(object) !== true;
}

/** Optimistic locking: a version that is given must be the current one. */
function checkVersion(kind: Kind, next: KubeObject, current: Stored): void {
  const { resourceVersion, uid, name = "" } = next.metadata;
  if (resourceVersion !== undefined && !/^[0-9]+$/.test(resourceVersion)) {
    throw storageFault(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if ((resourceVersion ?? "0") === "0" && !kind.unconditionalUpdate) {
    // NB: here the real server calls the kind by its plural.
    throw invalid({ ...kind, kind: kind.plural }, name, [{
      reason: "FieldValueInvalid",
      message: "Invalid value: 0: must be specified for an update",
      field: "metadata.resourceVersion",
    }]);
  }
  const old = current.object.metadata;
  if (uid !== undefined && uid !== old.uid) {
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${
        storageKey(kind, old)
      }, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.uid}`,
    );
  }
  if ((resourceVersion ?? "0") !== "0" && resourceVersion !== old.resourceVersion) throw conflict(kind, name);
}

/** Where the real server would keep it in etcd; errors mention it. */
function storageKey({ group, plural, custom }: Kind, { namespace, name }: KubeObject["metadata"]): string {
  const place = custom ? `${group}/${plural}` : plural;
  return `/registry/${place}/${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Keeps the fields that clients cannot change. */
function keepSystemFields(next: KubeObject, { metadata: old }: KubeObject): void {
  const { metadata } = next;
  metadata.namespace ??= old.namespace;
  metadata.uid ??= old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  metadata.resourceVersion = old.resourceVersion;
  setOrDelete(next, old, "generation");
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp ??= old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  }
}

function setOrDelete<Field extends keyof KubeObject["metadata"]>(
  { metadata }: KubeObject,
  old: KubeObject["metadata"],
  field: Field,
): void {
  if (old[field] === undefined) delete metadata[field];
  else metadata[field] = old[field];
}

/** The status of one object in the rest of the other. Built-in kinds let some metadata through. */
function withStatus(kind: Kind, next: KubeObject, current: KubeObject): KubeObject {
  const metadata = kind.custom || STATUS_ALONE.includes(kind.kind) ? current.metadata : next.metadata;
  const updated: KubeObject = {
    ...clone({ ...current, metadata: {}, status: undefined }),
    metadata: { ...metadata },
  };
  setOrDelete(updated, current.metadata, "ownerReferences");
  for (const field of kind.rules.keptWithStatus ?? []) setOrDelete(updated, current.metadata, field);
  if (Object.hasOwn(next, "status")) updated.status = next.status;
  else delete updated.status;
  return updated;
}

/** Only containers for debugging are taken; they are added to the present ones. */
function withEphemeralContainers(next: KubeObject, current: KubeObject): KubeObject {
  const { ephemeralContainers } = next.spec ?? {};
  const updated = clone({ ...current, metadata: {} });
  return { ...updated, metadata: { ...current.metadata }, spec: { ...updated.spec, ephemeralContainers } };
}

function isPart(subresource: string | undefined): subresource is ObjectPart {
  return subresource === "status" || subresource === "binding" || subresource === "ephemeralcontainers";
}

function keepStatus(next: KubeObject, current: KubeObject): void {
  if (current.status === undefined) delete next.status;
  else next.status = clone(current.status);
}

/** Raises the generation if a field that the kind counts has changed. */
function countGeneration(kind: Kind, next: KubeObject, current: KubeObject): void {
  const { generation = 0 } = current.metadata;
  if (!kind.counted || !isCounted(kind, next, current)) return;
  next.metadata.generation = generation + 1;
}

function isCounted(kind: Kind, next: KubeObject, current: KubeObject): boolean {
  // NB: the real server counts no changes of PriorityClasses.
  if (kind.group === "scheduling.k8s.io") return false;
  const [now, before] = [next.metadata.annotations, current.metadata.annotations];
  if (kind.rules.countsAnnotations === true && !equal(now, before)) return true;
  const others = kind.custom && !kind.subresources.includes("status")
    ? { metadata: undefined }
    : { metadata: undefined, status: undefined };
  return !equal({ ...next, ...others }, { ...current, ...others });
}
