/**
 * Puts objects of another cluster into a store as they are: with their uids, versions, owners of fields and status.
 *
 * No rule is applied to them, as another server has done so. Owners that did not come along must not make garbage of their
 * dependents.
 */

import type { KubeObject } from "../../model/object.ts";
import type { Cluster } from "./cluster.ts";
import { keyFor, type Kind } from "./kinds.ts";

/** Objects of another cluster. */
export interface CopiedObjects {
  /** Each with its `apiVersion`, `kind`, and metadata; custom kinds in the version in which they are stored. */
  readonly objects: readonly KubeObject[];
  /** The version at which they were listed. */
  readonly resourceVersion: string;
}

/**
 * Puts the objects in. Definitions come first, because they make the kinds of others.
 *
 * @throws {TypeError} If an object is of a kind that neither the server nor a definition among the objects knows.
 */
export function restoreCopied(cluster: Cluster, { objects, resourceVersion }: CopiedObjects): void {
  const { store, ownersElsewhere } = cluster;
  const isDefinition = ({ kind }: KubeObject): boolean => kind === DEFINITION_KIND;
  const version = Number(resourceVersion);
  store.restore(objects.filter(isDefinition).map((object) => entryOf(cluster, object)), version);
  const others = objects.filter((object) => !isDefinition(object));
  store.restore(others.map((object) => entryOf(cluster, object)), version);
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  for (const { metadata } of objects) {
    for (const { uid } of metadata.ownerReferences ?? []) if (!uids.has(uid)) ownersElsewhere.add(uid);
  }
}

const DEFINITION_KIND = "CustomResourceDefinition";

interface Entry {
  readonly collection: string;
  readonly key: string;
  readonly object: KubeObject;
}

function entryOf({ kinds }: Cluster, object: KubeObject): Entry {
  const { apiVersion = "", kind: name = "", metadata } = object;
  const kind = kinds.named(apiVersion, name);
  if (kind === undefined || kind.apiVersion !== apiVersion) {
    throw new TypeError(
      `Cannot put ${name} "${metadata.name}" into the cluster: it knows no kind "${name}" in "${apiVersion}"`,
    );
  }
  const key = keyFor(kind, { namespace: metadata.namespace, name: metadata.name ?? "" });
  return { collection: kind.collection.name, key, object: storedForm(kind, object) };
}

function storedForm({ conversion, storedIn, custom }: Kind, object: KubeObject): KubeObject {
  if (custom || conversion === undefined) return object;
  // The argument is an object, and so is the result of its conversion.
  return { ...conversion.toStored({ ...object }), apiVersion: storedIn } as KubeObject;
}
