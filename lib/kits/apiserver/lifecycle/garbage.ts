/**
 * Removal of owned objects, as the garbage collector of kube-controller-manager does it.
 *
 * An object whose owners are all gone is deleted; one that has owners left loses the references to the others. Owners in
 * foreground deletion wait for their blocking dependents; owners that orphan let go of them first.
 * Source: Kubernetes documentation, "Garbage Collection"; k8s.io/kubernetes, pkg/controller/garbagecollector.
 */

import type { KubeObject, OwnerReference } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Change, Collection } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";
import { deleteObject, FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type Propagation } from "../writes/delete.ts";
import { editObject } from "../writes/update.ts";
import type { Chores } from "../chores.ts";

/** Where an object is. */
interface Place {
  readonly collection: Collection;
  readonly key: string;
}

type OwnerState = "present" | "absent" | "waiting";

export class GarbageCollector {
  readonly #cluster: Cluster;
  readonly #chores: Chores;
  readonly #places = new Map<string, Place>();
  /** Owner's uid to uids of its dependents. */
  readonly #dependents = new Map<string, Set<string>>();

  /** Owners that have gone while they had dependents: their kind may have gone with them. */
  readonly #gone = new Set<string>();

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** To be called on each change of any object. */
  changed({ key, previous, current }: Change, collection: Collection): void {
    const uid = (current ?? previous)?.metadata.uid ?? "";
    const before = previous?.metadata.ownerReferences ?? [];
    const after = current?.metadata.ownerReferences ?? [];
    for (const owner of before) {
      if (after.includes(owner)) continue;
      const left = this.#dependents.get(owner.uid);
      left?.delete(uid);
      if (left?.size === 0) this.#gone.delete(owner.uid);
    }
    for (const owner of after) this.#own(owner.uid, uid);
    if (current === undefined) {
      this.#places.delete(uid);
      this.#removed(uid, before);
      return;
    }
    this.#places.set(uid, { collection, key });
    const { metadata } = current;
    const waits = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).some(isOurs);
    if (waits || (after.length > 0 && metadata.deletionTimestamp === undefined)) this.#plan(uid);
    if (waits) { for (const dependent of this.#dependents.get(uid) ?? []) this.#plan(dependent); }
    for (const owner of before) if (!after.includes(owner)) this.#plan(owner.uid);
  }

  #own(owner: string, dependent: string): void {
    const owned = this.#dependents.get(owner);
    if (owned === undefined) this.#dependents.set(owner, new Set([dependent]));
    else owned.add(dependent);
  }

  #removed(uid: string, owners: readonly OwnerReference[]): void {
    for (const dependent of this.#dependents.get(uid) ?? []) this.#plan(dependent);
    const left = this.#dependents.get(uid)?.size ?? 0;
    if (left === 0) this.#dependents.delete(uid);
    else this.#gone.add(uid);
    for (const owner of owners) this.#plan(owner.uid);
  }

  #plan(uid: string): void {
    if (this.#places.has(uid)) this.#chores.add(`garbage ${uid}`, () => this.#look(uid));
  }

  #look(uid: string): void {
    const found = this.#find(uid);
    if (found === undefined) return;
    const { metadata } = found.stored.object;
    if (metadata.deletionTimestamp !== undefined) {
      if (metadata.finalizers?.includes(ORPHAN_FINALIZER)) this.#orphan(found);
      else if (metadata.finalizers?.includes(FOREGROUND_FINALIZER)) this.#finishForeground(found);
      return;
    }
    this.#judge(found);
  }

  /** Decides by its owners whether an object stays. */
  #judge(found: Found): void {
    const owners = found.stored.metadata.ownerReferences ?? [];
    const states = owners.map((owner) => this.#stateOf(owner, found.stored.object));
    if (owners.length === 0 || states.every((state) => state === "present")) return;
    if (states.includes("present")) {
      this.#update(found, (metadata) => {
        metadata.ownerReferences = owners.filter((_owner, index) => states[index] === "present");
      });
      return;
    }
    const owned = this.#dependents.get(found.uid) ?? new Set();
    const foreground = states.includes("waiting") && owned.size > 0;
    if (foreground && [...owned].some((uid) => this.#isWaiting(uid))) this.#unblock(found);
    this.#delete(found, foreground ? "Foreground" : undefined);
  }

  #isWaiting(uid: string): boolean {
    const metadata = this.#find(uid)?.stored.metadata;
    return metadata?.deletionTimestamp !== undefined &&
      metadata.finalizers?.includes(FOREGROUND_FINALIZER) === true;
  }

  /** Lets the owners of an object go before it: they wait for each other, in a circle. */
  #unblock(found: Found): void {
    this.#update(found, (metadata) => {
      metadata.ownerReferences = metadata.ownerReferences?.map((owner) => (
        { ...owner, blockOwnerDeletion: false }
      ));
    });
  }

  #stateOf(owner: OwnerReference, dependent: KubeObject): OwnerState {
    // NB: an owner of a kind that is not served cannot be looked up; the real collector waits for it, too.
    if (this.#cluster.kinds.named(owner.apiVersion, owner.kind) === undefined) {
      return this.#gone.has(owner.uid) ? "absent" : "present";
    }
    const found = this.#find(owner.uid);
    const metadata = found?.stored.metadata;
    if (metadata === undefined && this.#cluster.ownersElsewhere.has(owner.uid)) return "present";
    if (metadata === undefined || metadata.name !== owner.name) return "absent";
    if (metadata.namespace !== undefined && metadata.namespace !== dependent.metadata.namespace) {
      return "absent";
    }
    if (metadata.deletionTimestamp === undefined) return "present";
    return metadata.finalizers?.includes(FOREGROUND_FINALIZER) ? "waiting" : "present";
  }

  /** Ends a foreground deletion when no dependent blocks it any more. */
  #finishForeground(found: Found): void {
    for (const uid of this.#dependents.get(found.uid) ?? []) {
      const references = this.#find(uid)?.stored.metadata.ownerReferences ?? [];
      const blocks = references.some((owner) => owner.uid === found.uid && owner.blockOwnerDeletion === true);
      if (blocks) return;
    }
    this.#dropFinalizer(found, FOREGROUND_FINALIZER);
  }

  #orphan(found: Found): void {
    for (const uid of [...this.#dependents.get(found.uid) ?? []]) {
      const dependent = this.#find(uid);
      if (dependent === undefined) continue;
      this.#update(dependent, (metadata) => {
        metadata.ownerReferences = metadata.ownerReferences?.filter((owner) => owner.uid !== found.uid);
      });
    }
    this.#dropFinalizer(found, ORPHAN_FINALIZER);
  }

  #dropFinalizer(found: Found, finalizer: string): void {
    this.#update(found, (metadata) => {
      metadata.finalizers = metadata.finalizers?.filter((name) => name !== finalizer);
    });
  }

  #update({ kind, stored }: Found, edit: (metadata: KubeObject["metadata"]) => void): void {
    const { namespace, name = "" } = stored.metadata;
    editObject(this.#cluster, {
      kind,
      reference: { namespace, name },
      edit: ({ metadata }) => edit(metadata),
    });
  }

  #delete({ kind, stored }: Found, propagation: Propagation | undefined): void {
    const { namespace, name = "" } = stored.metadata;
    deleteObject(this.#cluster, { kind, reference: { namespace, name }, propagation });
  }

  #find(uid: string): Found | undefined {
    const place = this.#places.get(uid);
    const stored = place?.collection.get(place.key);
    if (place === undefined || stored === undefined) return undefined;
    const { apiVersion = "", kind: name = "" } = stored.object;
    const kind = this.#cluster.kinds.named(apiVersion, name);
    return kind === undefined ? undefined : { uid, stored, kind };
  }
}

interface Found {
  readonly uid: string;
  readonly stored: Stored;
  readonly kind: Kind;
}

function isOurs(finalizer: string): boolean {
  return finalizer === FOREGROUND_FINALIZER || finalizer === ORPHAN_FINALIZER;
}
