/**
 * Deleting objects: preconditions, finalizers, propagation. Source: k8s.io/apiserver, pkg/registry/generic/registry/store.go
 * and pkg/registry/rest/delete.go.
 *
 * There are no kubelets, so nobody could end a grace period: Pods go at once, whatever `gracePeriodSeconds` says.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import { conflict, notFound } from "../refusal.ts";
import { Stored } from "../storage/stored.ts";
import { timestamp } from "../timestamp.ts";
import { equal } from "../values.ts";
import type { WriteOptions } from "./create.ts";

/** The treatment of the objects that are owned. */
export type Propagation = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions extends WriteOptions {
  readonly kind: Kind;
  readonly reference: ObjectKey;
  /** Default: what the object's finalizers say, else "Background". */
  readonly propagation?: Propagation;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
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
 * Deletes an object, or marks it as being deleted while something keeps it.
 *
 * @throws {Refusal}
 */
export function deleteObject(cluster: Cluster, options: DeleteOptions): Deletion {
  const { kind, reference, propagation, dryRun = false } = options;
  const key = keyFor(kind, reference);
  const current = kind.collection.get(key);
  if (current === undefined) throw notFound(kind, reference.name);
  checkPreconditions(options, current.object);
  const marked = mark(cluster, kind, { ...current.object, metadata: { ...current.object.metadata } });
  const finalizers = finalizersFor(marked.metadata.finalizers ?? [], propagation);
  if (finalizers.length === 0) delete marked.metadata.finalizers;
  else marked.metadata.finalizers = finalizers;
  const kept = finalizers.length > 0 || kind.rules.holds?.(marked) === true;
  if (dryRun) return { stored: kept ? new Stored(marked, current.version) : current, gone: !kept };
  if (!kept) {
    cluster.store.remove(kind.collection, key);
    return { stored: current, gone: true };
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

/** Puts deletion marks on the object, unless it has them. */
function mark(cluster: Cluster, kind: Kind, object: KubeObject): KubeObject {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return object;
  metadata.deletionTimestamp = timestamp(cluster.host.clock.now());
  metadata.deletionGracePeriodSeconds = 0;
  if (metadata.generation !== undefined) metadata.generation++;
  kind.rules.terminate?.(object);
  return object;
}
