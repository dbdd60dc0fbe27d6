/**
 * Making objects. Source of the order: k8s.io/apiserver, pkg/registry/rest/create.go, and admission before it.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Writer } from "../apply/ownership.ts";
import type { Cluster } from "../cluster.ts";
import { keptObject } from "../definitions/conversion.ts";
import { keyFor, type Kind } from "../kinds.ts";
import {
  alreadyExists,
  badRequest,
  forbidden,
  invalid,
  notFound,
  storageFault,
  terminating,
} from "../refusal.ts";
import { Stored } from "../storage/stored.ts";
import { objectAt } from "../values.ts";
import { generateName, metadataCauses } from "./metadata.ts";

export interface WriteOptions {
  /** Everything is checked, and the object is not written. */
  readonly dryRun?: boolean;
  /** Is told which fields the kind does not know, before the object is written; may throw. */
  readonly report?: (unknown: readonly string[]) => void;
  /** Is told faults that are no reason to refuse the write. */
  readonly warn?: (text: string) => void;
  /** The owner of the written fields. Default: none; present owners stay. */
  readonly writer?: Writer;
  /** The object comes with its owners, because it was applied. */
  readonly applied?: boolean;
  /** An object that is too large with its owners is written without them. Default: if there is a `writer`. */
  readonly mayDropOwners?: boolean;
}

export interface CreateOptions extends WriteOptions {
  /** The namespace of the URL. */
  readonly namespace?: string;
  /** The object has its defaults already, because mutators were asked about it. */
  readonly completed?: boolean;
  /** The user's name, groups and the like, for kinds that note them. Default: none, as the server itself writes. */
  readonly requester?: Readonly<JsonObject>;
}

/** An object that is ready to be created: complete, and checked by everything that needs no one else. */
export interface Creation {
  readonly kind: Kind;
  readonly key: string;
  /** Belongs to the creation; admission may look at it. */
  readonly object: KubeObject;
  readonly dryRun: boolean;
  readonly mayDropOwners: boolean;
}

/**
 * Creates an object, which belongs to the store from then on.
 *
 * @throws {Refusal}
 */
export function createObject(
  cluster: Cluster,
  object: KubeObject,
  options: CreateOptions & { readonly kind: Kind },
): Stored {
  const creation = prepareCreation(cluster, object, options);
  return commitCreation(cluster, creation, keptObject(options.kind, creation.object));
}

/**
 * Completes and checks an object that shall be created, before any write.
 *
 * @throws {Refusal}
 */
export function prepareCreation(
  cluster: Cluster,
  object: KubeObject,
  options: CreateOptions & { readonly kind: Kind },
): Creation {
  const { kind, namespace, dryRun = false, report, warn, writer, applied, requester } = options;
  const { metadata } = object;
  placeObject(cluster, object, { kind, namespace });
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    metadata.name = generateName(metadata.generateName, cluster.host.random);
  }
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  metadata.uid = cluster.host.random.uuid();
  metadata.creationTimestamp = cluster.ownership.now();
  if (kind.counted) metadata.generation = 1;
  if (kind.subresources.includes("status") && kind.rules.takesStatus !== true) delete object.status;
  if (options.completed !== true) {
    const unknown = kind.rules.normalize(object, { applied });
    report?.(unknown);
  }
  if (writer !== undefined) cluster.ownership.track({ kind, writer, before: undefined, after: object });
  else if (applied !== true) delete metadata.managedFields;
  // NB: fields of the requester have no owner, and mutating webhooks do not see them.
  if (kind.rules.namesRequester === true) nameRequester(object, requester);
  kind.rules.admit?.(object, undefined);
  kind.rules.settle?.(object, undefined, dryRun);
  const causes = [...metadataCauses(kind, object), ...kind.rules.validate(object, {})];
  if (causes.length > 0) throw invalid(kind, metadata.name ?? "", causes);
  if (warn !== undefined) { for (const text of kind.rules.warnings?.(object, undefined) ?? []) warn(text); }
  // NB: it is the storage that refuses this, which a dry run does not come to; it does not notice a version that is no number.
  if (/^0*[1-9][0-9]*$/.test(metadata.resourceVersion ?? "") && !dryRun) {
    throw storageFault("resourceVersion should not be set on objects to be created");
  }
  const key = keyFor(kind, { namespace: metadata.namespace, name: metadata.name ?? "" });
  return { kind, key, object, dryRun, mayDropOwners: options.mayDropOwners ?? writer !== undefined };
}

/** Replaces the requester that the object itself claims. */
function nameRequester(object: KubeObject, requester: Readonly<JsonObject> = {}): void {
  const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...spec } = object.spec ?? {};
  object.spec = { ...spec, ...requester };
}

/**
 * Writes a prepared object; with `stored`, in the shape in which it is kept.
 *
 * @throws {Refusal} 409 if there is such an object.
 */
export function commitCreation(
  cluster: Cluster,
  { kind, key, object, dryRun, mayDropOwners }: Creation,
  stored: KubeObject = object,
): Stored {
  const present = kind.collection.get(key)?.metadata;
  if (present !== undefined) {
    throw alreadyExists(kind, object.metadata.name ?? "", present.deletionTimestamp !== undefined);
  }
  if (dryRun) return new Stored(stored, cluster.store.version);
  return cluster.store.put(kind.collection, key, stored, { mayDropOwners });
}

/**
 * Puts an object that shall be created into the namespace of the URL.
 *
 * @throws {Refusal} If no object can be created there.
 */
export function placeObject(
  cluster: Cluster,
  object: KubeObject,
  { kind, namespace }: { readonly kind: Kind; readonly namespace?: string },
): void {
  placeInNamespace(object, kind, namespace);
  checkNamespace(cluster, kind, object.metadata);
  checkDefinition(cluster, kind, object.metadata.name);
}

function placeInNamespace({ metadata }: KubeObject, kind: Kind, namespace: string | undefined): void {
  if (!kind.namespaced) {
    delete metadata.namespace;
    return;
  }
  metadata.namespace ??= namespace;
  if (metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Objects can only be made in a namespace that exists and is not going away. */
function checkNamespace(
  cluster: Cluster,
  kind: Kind,
  { name = "", namespace = "" }: KubeObject["metadata"],
): void {
  if (!kind.namespaced) return;
  const found = cluster.store.collection("namespaces").get(namespace);
  if (found === undefined) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespace);
  if (found.metadata.deletionTimestamp !== undefined) throw terminating(kind, name, namespace);
}

function checkDefinition(cluster: Cluster, kind: Kind, name = ""): void {
  if (!kind.custom) return;
  const definitions = cluster.store.collection("customresourcedefinitions.apiextensions.k8s.io");
  const definition = definitions.get(`${kind.plural}.${kind.group}`);
  if (objectAt(definition?.object, "metadata")?.deletionTimestamp === undefined) return;
  throw forbidden(kind, name, "create not allowed while custom resource definition is terminating");
}
