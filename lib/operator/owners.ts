/**
 * Owners of objects that are written by `op.api`: which object is meant, and whether Kubernetes lets it own them.
 *
 * An owner in a namespace owns objects of that namespace only. In another one it counts as gone, and the garbage collector
 * deletes the object that was just made; an object in no namespace is never collected. So both are refused before the request
 * is sent. References do not say in which namespace their owner is: references by `ownerReference()` remember it, and the
 * object of the running handler is known. Source: Kubernetes, docs/concepts/architecture/garbage-collection, "Owners and
 * dependents".
 */

import type { Discovery } from "../client/discovery.ts";
import { currentArguments } from "../execution/invoke.ts";
import { isObject } from "../model/json.ts";
import type { OwnerReference } from "../model/object.ts";
import { namespacedName, ownerReference, ownersNamespace, type Referable } from "../model/references.ts";
import type { Resource } from "../model/resource.ts";
import type { Applied } from "../registry/api.ts";
import { findKindOf } from "../registry/find_kind.ts";
import { blamedOn } from "../runtime/call_site.ts";

/** The object that the running handler is about. @throws {TypeError} If there is none. */
export function handledObject(): Referable {
  const body = objectAtHand();
  if (body !== undefined) return body;
  throw new TypeError("Cannot tell the owner: no handler of an object is running here; pass it as `owner`");
}

/** Returns the object with a controlling owner; an object without a namespace comes into the owner's. */
export function ownedBy(
  owner: Referable,
  object: Applied<unknown, unknown>,
  { namespaced }: Resource,
): Applied<unknown, unknown> {
  const { metadata } = object;
  const namespace = metadata.namespace ?? (namespaced ? owner.metadata?.namespace : undefined);
  const ownerReferences = [...metadata.ownerReferences ?? [], ownerReference(owner)];
  return { ...object, metadata: { ...metadata, namespace, ownerReferences } };
}

export interface OwnedObject {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly ownerReferences?: unknown;
}

/** @throws {TypeError} If an owner is in another namespace than the object, or in one while the object is in none. */
export async function refuseApart(
  resource: Resource,
  metadata: OwnedObject,
  discovery: Pick<Discovery, "group" | "refresh">,
): Promise<void> {
  const { ownerReferences = [] } = metadata;
  // References of any other shape are left to the server to refuse.
  const references = Array.isArray(ownerReferences) ? ownerReferences.filter(isObject) : [];
  for (const reference of references as unknown as OwnerReference[]) {
    const place = placeOf(reference) ??
      (resource.namespaced ? undefined : await findPlace(reference, discovery));
    if (place === undefined) continue;
    const title = `Cannot write ${resource.kind} "${
      namespacedName(metadata)
    }" with the owner ${reference.kind}`;
    if (!resource.namespaced) {
      throw blamedOn(
        new TypeError(
          `${title} "${place}": an owner in a namespace cannot own what is in none, and Kubernetes would never delete it; ` +
            "leave the owner out, and delete the object by a finalizer",
        ),
      );
    }
    const [namespace] = place.split("/");
    if (metadata.namespace === undefined || metadata.namespace === namespace) continue;
    throw blamedOn(
      new TypeError(
        `${title} "${place}": owners reach no other namespace, and Kubernetes would delete it at once; put it into ` +
          `"${namespace}", or leave the owner out, and delete the object by a finalizer`,
      ),
    );
  }
}

/** Returns "namespace/name" of an owner that is known to be in a namespace. */
function placeOf(reference: OwnerReference): string | undefined {
  const handled = objectAtHand()?.metadata;
  const namespace = ownersNamespace(reference) ??
    (handled?.uid === reference.uid ? handled?.namespace : undefined);
  return namespace === undefined ? undefined : namespacedName({ namespace, name: reference.name });
}

/** The same by the owner's kind: in which namespace it is does not matter then. */
async function findPlace(
  reference: OwnerReference,
  discovery: Pick<Discovery, "group" | "refresh">,
): Promise<string | undefined> {
  try {
    return (await findKindOf(discovery, reference)).namespaced ? `…/${reference.name}` : undefined;
  } catch {
    return undefined; // a kind that is not served, or a reference without one: the server tells
  }
}

function objectAtHand(): Referable | undefined {
  const args = currentArguments();
  // Handlers of activities have arguments too, but no object.
  const body: unknown = typeof args === "object" && args !== null && "body" in args ? args.body : undefined;
  return isObject(body) ? body : undefined;
}
