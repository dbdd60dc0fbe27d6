/**
 * Finalizers: the names that hold an object back from vanishing, and the list after ours is added or removed.
 *
 * The functions return the new list, and leave the object as it is: a list is replaced as a whole by a merge patch, so it must go out
 * with the `resourceVersion` it was made from (docs/architecture.md), or foreign finalizers could be lost.
 */

import type { KubeObject } from "./object.ts";
import { metadataOf } from "./references.ts";

/** Tells whether the object is being deleted: it has a deletion timestamp that is not null. */
export function isDeleting(body: KubeObject): boolean {
  return metadataOf(body).deletionTimestamp != null;
}

/** Tells whether the finalizer is on the object. */
export function hasFinalizer(body: KubeObject, finalizer: string): boolean {
  return finalizersOf(body).includes(finalizer);
}

/** Returns the object's finalizers; anything but a list of strings counts as none. */
export function finalizersOf(body: KubeObject): readonly string[] {
  const list: unknown = metadataOf(body).finalizers;
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

/** Returns the list with the finalizer appended; undefined if it is there already. */
export function addFinalizer(body: KubeObject, finalizer: string): string[] | undefined {
  const list = finalizersOf(body);
  return list.includes(finalizer) ? undefined : [...list, finalizer];
}

/** Returns the list without any occurrence of the finalizer, null if none are left; undefined if it is not there. */
export function removeFinalizer(body: KubeObject, finalizer: string): string[] | null | undefined {
  const list = finalizersOf(body);
  if (!list.includes(finalizer)) return undefined;
  const rest = list.filter((item) => item !== finalizer);
  return rest.length > 0 ? rest : null;
}
