/**
 * Deleting objects: preconditions, finalizers, propagation. Source: k8s.io/apiserver, pkg/registry/generic/registry/store.go
 * and pkg/registry/rest/delete.go.
 *
 * Only Pods have a grace period, and only Pods that are bound to a node: its kubelet ends it by deleting them once more,
 * with no grace left.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import { conflict, forbidden, notFound } from "../refusal.ts";
import { Stored } from "../storage/stored.ts";
import { timestamp } from "../formats/timestamp.ts";
import { equal } from "../values.ts";
import type { WriteOptions } from "./create.ts";

/** The treatment of the objects that are owned. */
export type Propagation = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions extends WriteOptions {
  readonly kind: Kind;
  readonly reference: ObjectKey;
  /** Default: by the object's finalizers, else "Background". */
  readonly propagation?: Propagation;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** How long the object may take to end, where its kind lets it. In seconds. Default: the object's own. */
  readonly gracePeriodSeconds?: number;
  /** Whether all of its collection are deleted: then protected objects go as well, as on the real server. */
  readonly inCollection?: boolean;
}

export interface Deletion {
  /** The object as it was, or as it is now that it waits for its finalizers. */
  readonly stored: Stored;
  /** Whether it is gone already. */
  readonly gone: boolean;
}

export const ORPHAN_FINALIZER = "orphan";
export const FOREGROUND_FINALIZER = "foregroundDeletion";

/**
 * Deletes an object, or marks it as being deleted while finalizers or a grace period keep it.
 *
 * @throws {Refusal}
 */
export function deleteObject(cluster: Cluster, options: DeleteOptions): Deletion {
  const { kind, reference, propagation, dryRun = false } = options;
  const key = keyFor(kind, reference);
  const current = kind.collection.get(key);
  if (current === undefined) throw notFound(kind, reference.name);
  const reason = options.inCollection ? undefined : kind.rules.lasts?.(current.object);
  if (reason !== undefined) throw forbidden(kind, reference.name, reason);
  checkPreconditions(options, current.object);
  const grace = graceOf(options, current.object);
  if (grace === "pending" && isUnchanged(current.object, propagation)) {
    return { stored: current, gone: false };
  }
  const copy = { ...current.object, metadata: { ...current.object.metadata } };
  const marked = mark(cluster, { kind, object: copy, grace: grace === "pending" ? undefined : grace });
  const finalizers = finalizersFor(marked.metadata.finalizers ?? [], propagation);
  if (finalizers.length === 0) delete marked.metadata.finalizers;
  else marked.metadata.finalizers = finalizers;
  const waits = grace === "pending" || (grace !== undefined && grace > 0);
  const kept = waits || finalizers.length > 0 || kind.rules.holds?.(marked) === true;
  if (dryRun) return { stored: kept ? new Stored(marked, current.version) : current, gone: !kept };
  if (!kept) {
    // NB: of kinds with a grace period, watches see the mark first.
    const stored = grace === undefined ? current : cluster.store.put(kind.collection, key, marked);
    cluster.store.remove(kind.collection, key);
    return { stored, gone: true };
  }
  if (equal(marked, current.object)) return { stored: current, gone: false };
  return { stored: cluster.store.put(kind.collection, key, marked), gone: false };
}

function checkPreconditions(
  { kind, reference, preconditions = {} }: DeleteOptions,
  { metadata }: KubeObject,
): void {
  const { uid, resourceVersion } = preconditions;
  // NB: here the real server calls the kind by its name, not by its plural.
  const names = { group: kind.group, plural: kind.kind, kind: kind.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      names,
      reference.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      names,
      reference.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

function finalizersFor(present: readonly string[], propagation: Propagation | undefined): string[] {
  if (propagation === undefined) return [...present];
  const others = present.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  if (propagation === "Orphan") return [...others, ORPHAN_FINALIZER];
  if (propagation === "Foreground") return [...others, FOREGROUND_FINALIZER];
  return others;
}

/**
 * The grace period of this deletion; "pending" if one that is not longer is running; undefined for kinds without.
 *
 * Source: k8s.io/apiserver, pkg/registry/rest/delete.go, BeforeDelete().
 */
function graceOf(
  { kind, gracePeriodSeconds }: DeleteOptions,
  object: KubeObject,
): number | "pending" | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (kind.rules.gracePeriod === undefined) return undefined;
  if (deletionTimestamp === undefined) return kind.rules.gracePeriod(object, gracePeriodSeconds);
  const isShorter = gracePeriodSeconds !== undefined && gracePeriodSeconds < deletionGracePeriodSeconds;
  if (isShorter) return gracePeriodSeconds;
  return gracePeriodSeconds === 0 ? 0 : "pending";
}

function isUnchanged({ metadata }: KubeObject, propagation: Propagation | undefined): boolean {
  const { finalizers = [] } = metadata;
  return equal(finalizersFor(finalizers, propagation), finalizers);
}

interface Marking {
  readonly kind: Kind;
  /** Is changed. */
  readonly object: KubeObject;
  readonly grace: number | undefined;
}

/** Puts deletion marks on the object, unless it has them; a shorter grace period replaces a longer one. */
function mark(cluster: Cluster, { kind, object, grace = 0 }: Marking): KubeObject {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) {
    const { deletionGracePeriodSeconds: before = 0 } = metadata;
    if (grace >= before || kind.rules.gracePeriod === undefined) return object;
    metadata.deletionTimestamp = timestamp(Date.parse(metadata.deletionTimestamp) - (before - grace) * 1000);
    metadata.deletionGracePeriodSeconds = grace;
    return object;
  }
  metadata.deletionTimestamp = timestamp(cluster.host.clock.now() + grace * 1000);
  metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation !== undefined) metadata.generation++;
  kind.rules.terminate?.(object);
  return object;
}
