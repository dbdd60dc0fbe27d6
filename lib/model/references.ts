/**
 * References from one object to another: the objects of log lines and events, and owners.
 */

import { isObject } from "./json.ts";
import type { ObjectMeta, OwnerReference } from "./object.ts";

/** The identity of an object, as readers know it. Source: Kubernetes API reference, ObjectReference. */
export interface ObjectReference {
  /** "group/version", or "version" in the core group. */
  apiVersion?: string;
  /** Such as "Pod". */
  kind?: string;
  /** In its namespace. */
  name?: string;
  /** Unique over all objects that ever were. */
  uid?: string;
  /** Absent on cluster-scoped objects. */
  namespace?: string;
}

/** An object that references are made from: any object, also a view of one that cannot be written to. */
export interface Referable {
  /** "group/version", or "version" in the core group. */
  readonly apiVersion?: string;
  /** Such as "Pod". */
  readonly kind?: string;
  /** Where its name is. */
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly namespace?: string };
}

/** Options of {@linkcode ownerReference}. */
export interface OwnerReferenceOptions {
  /** Whether the owner is the one that controls the object; there can be one such. Default: true. */
  readonly controller?: boolean;
  /** Whether the owner, deleted in the foreground, waits for the object to go. Default: true. */
  readonly blockOwnerDeletion?: boolean;
}

/** Returns the reference to an object, without members that the object lacks. */
export function objectReference(body: Referable): ObjectReference {
  const { name, uid, namespace } = metadataOf(body);
  const reference: ObjectReference = {};
  if (body.apiVersion) reference.apiVersion = body.apiVersion;
  if (body.kind) reference.kind = body.kind;
  if (name) reference.name = name;
  if (uid) reference.uid = uid;
  if (namespace) reference.namespace = namespace;
  return reference;
}

/** Returns "namespace/name", or the name alone of an object without a namespace. */
export function namespacedName(
  { namespace, name = "" }: Pick<ObjectReference, "namespace" | "name">,
): string {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Returns the reference by which other objects say that this one owns them.
 *
 * @throws {TypeError} If the object lacks apiVersion, kind, name or uid: the server would refuse such a reference.
 */
export function ownerReference(
  body: Referable,
  options: OwnerReferenceOptions = {},
): OwnerReference {
  const { controller = true, blockOwnerDeletion = true } = options;
  const { name, uid } = metadataOf(body);
  const { apiVersion, kind } = body;
  if (!apiVersion || !kind || !name || !uid) {
    const missing = Object.entries({ apiVersion, kind, name, uid }).filter(([, value]) => !value);
    throw new TypeError(
      `Cannot refer to the owner "${name ?? ""}": it has no ${missing.map(([key]) => key).join(", ")}`,
    );
  }
  const { namespace } = metadataOf(body);
  const reference = { controller, blockOwnerDeletion, apiVersion, kind, name, uid };
  return namespace ? Object.defineProperty(reference, OWNERS_NAMESPACE, { value: namespace }) : reference;
}

/** References have no field for it, and it is not sent: JSON leaves symbols out. */
const OWNERS_NAMESPACE = Symbol("the namespace of the owner");

/** Returns the namespace of the owner, where a reference of {@linkcode ownerReference} remembers it. */
export function ownersNamespace(reference: OwnerReference): string | undefined {
  return (reference as { readonly [OWNERS_NAMESPACE]?: string })[OWNERS_NAMESPACE];
}

/** Adds an owner to an object that is being made, in place, unless an owner with that uid is there already. */
export function addOwnerReference(
  object: { metadata?: Pick<ObjectMeta, "ownerReferences"> },
  reference: OwnerReference,
): void {
  const metadata = object.metadata ??= {};
  const owners = metadata.ownerReferences ??= [];
  if (!owners.some(({ uid }) => uid === reference.uid)) owners.push(reference);
}

/** Removes an owner from an object, in place, by its uid; an emptied list goes too. */
export function removeOwnerReference(
  object: { metadata?: Pick<ObjectMeta, "ownerReferences"> },
  owner: { readonly uid: string },
): void {
  const { metadata } = object;
  // Strangers' objects may have null there.
  if (!metadata?.ownerReferences) return;
  const rest = metadata.ownerReferences.filter(({ uid }) => uid !== owner.uid);
  if (rest.length > 0) metadata.ownerReferences = rest;
  else delete metadata.ownerReferences;
}

/** Returns the metadata of an object, which may lack it, whatever its type says. */
export function metadataOf<Metadata>(body: { readonly metadata?: Metadata }): Partial<Metadata> {
  return isObject(body.metadata) ? body.metadata : {};
}
