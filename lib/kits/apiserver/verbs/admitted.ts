/**
 * Creating, changing and deleting as requests ask for it: with admission in between, where a webhook or policy wants to be asked.
 *
 * A request that waits holds no lock: the object that it read may be out of date when the answers have come. Then it all begins
 * again, as on the real server, unless the client itself has said which version it means. Writes of the server itself (garbage
 * collection, the end of namespaces) are not admitted here.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import {
  type Attributes,
  chargeFor,
  isAdmitted,
  mutate,
  type Operation,
  type Subject,
  validate,
} from "../admission/mod.ts";
import { ownersFault } from "../apply/owners.ts";
import { Views } from "../apply/views.ts";
import { checkEscalation } from "../access/escalation.ts";
import { userInfo } from "../access/user.ts";
import type { Cluster } from "../cluster.ts";
import { keptObject, writtenObject } from "../definitions/conversion.ts";
import { inStorage, oneInVersion } from "../definitions/converter.ts";
import { keyFor, type ObjectKey } from "../kinds.ts";
import { notFound } from "../refusal.ts";
import type { Stored } from "../storage/stored.ts";
import { isObject } from "../values.ts";
import { commitCreation, placeObject, prepareCreation, type WriteOptions } from "../writes/create.ts";
import { deleteObject, type DeleteOptions, type Deletion } from "../writes/delete.ts";
import { dropRepeatedOwners } from "../writes/metadata.ts";
import { commitUpdate, prepareUpdate } from "../writes/update.ts";
import type { Call } from "./call.ts";
import { optionsOf } from "../options/write_options.ts";
import { writerOf } from "../options/writer.ts";

/** An object as a client wants it, and the treatment of unknown fields. */
export interface Wish {
  readonly object: KubeObject;
  readonly report?: WriteOptions["report"];
  /** The object comes with its owners, because it was applied. */
  readonly applied?: boolean;
}

/**
 * Creates an object.
 *
 * @throws {Refusal}
 */
export async function createAdmitted(
  cluster: Cluster,
  call: Call,
  { object, report, warn, applied = false }: Wish & { readonly warn: Attributes["warn"] },
): Promise<Stored> {
  const { kind, path: { namespace }, dryRun } = call;
  // Requests of another method than POST must be allowed to create as well.
  if (call.request.method !== "POST") checkCreation(cluster, call, object);
  const isPatch = call.request.method === "PATCH";
  dropRepeatedOwners(object, { warn, isMutated: isPatch });
  await kind.rules.prepare?.(object);
  checkEscalation(cluster.gate, { kind, user: call.user, namespace, object });
  const owned = applied ? { applied } : { writer: writerOf(call.request, call.query, call.path.subresource) };
  const isAsked = isAdmitted(cluster, kind, namespace) || kind.converter !== undefined;
  const attributesFor = (found: KubeObject) => ({
    ...attributesOf(call, { operation: "CREATE", name: found.metadata.name ?? "", warn }),
    object: found,
  });
  let wanted = object;
  if (isAsked) {
    placeObject(cluster, object, { kind, namespace });
    const unknown = kind.rules.normalize(object, { applied });
    report?.(unknown);
    // NB: changes of webhooks belong to no manager.
    if (owned.writer !== undefined) {
      cluster.ownership.track({ kind, writer: owned.writer, before: undefined, after: object });
    }
    wanted = await mutated(cluster, attributesFor(object), object);
  }
  const creation = prepareCreation(cluster, wanted, {
    kind,
    namespace,
    dryRun,
    warn,
    requester: userInfo(call.user),
    ...(isAsked ? { applied: true, completed: true, mayDropOwners: !applied } : { report, ...owned }),
  });
  const named = isAsked ? attributesFor(creation.object) : undefined;
  if (named !== undefined) await validate(cluster, named);
  const isConverted = kind.converter !== undefined;
  const kept = isConverted ? await inStorage(kind, creation.object) : keptObject(kind, creation.object);
  // NB: from here on all is synchronous, so that no other write can use the same quota.
  const charge = named && chargeFor(cluster, named);
  const stored = commitCreation(cluster, creation, kept);
  if (!dryRun) charge?.();
  return isConverted ? await oneInVersion(kind, stored) : stored;
}

/** Returns an object as mutators want it, with owners that are in order. */
async function mutated(
  cluster: Cluster,
  attributes: Attributes,
  object: KubeObject,
): Promise<KubeObject> {
  const { warn } = attributes;
  const { managedFields } = object.metadata;
  const found = await mutate(cluster, attributes) ?? object;
  restoreOwners(found, { managedFields, warn });
  dropRepeatedOwners(found, { warn, isMutated: true });
  return found;
}

interface Restored {
  readonly managedFields: KubeObject["metadata"]["managedFields"];
  readonly warn: Attributes["warn"];
}

/**
 * Sets the owners of an object back to the owners before a webhook made them invalid, with a warning.
 *
 * Source: k8s.io/apiserver, pkg/endpoints/handlers/fieldmanager/admission.go.
 */
function restoreOwners({ metadata }: KubeObject, { managedFields, warn }: Restored): void {
  const fault = ownersFault(metadata.managedFields);
  if (fault === undefined) return;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  );
}

function checkCreation({ gate }: Cluster, { kind, path, user }: Call, { metadata }: KubeObject): void {
  gate.check(user, {
    verb: "create",
    group: kind.group,
    resource: kind.plural,
    subresource: "",
    name: metadata.name ?? "",
    namespace: path.namespace ?? "",
  });
}

export interface UpdateWish {
  readonly reference: ObjectKey;
  /** Returns the object as it shall be: a new one each time. */
  readonly wish: (current: Stored, views: Views) => Wish;
  readonly warn: Attributes["warn"];
}

/**
 * Changes an object.
 *
 * @throws {Refusal}
 */
export async function updateAdmitted(
  cluster: Cluster,
  call: Call,
  { reference, wish, warn }: UpdateWish,
): Promise<Stored> {
  const { kind, path: { subresource }, dryRun } = call;
  const key = keyFor(kind, reference);
  for (;;) {
    const seen = kind.collection.get(key);
    if (seen === undefined) throw notFound(kind, reference.name);
    const current = kind.converter === undefined ? seen : await oneInVersion(kind, seen);
    const views = new Views(kind);
    const { object, report, applied = false } = await views.compare(() => wish(current, views));
    const before = kind.converter === undefined ? writtenObject(kind, seen) : current.object;
    dropRepeatedOwners(object, { warn, isMutated: call.request.method === "PATCH" });
    await kind.rules.prepare?.(object);
    if (kind.collection.get(key) !== seen) continue;
    checkEscalation(cluster.gate, {
      kind,
      user: call.user,
      namespace: reference.namespace,
      object,
      old: before,
    });
    const options = { kind, reference, subresource, dryRun, warn };
    // NB: a binding has no owners.
    const owned = subresource === "binding"
      ? {}
      : applied
      ? { applied }
      : { writer: writerOf(call.request, call.query, subresource) };
    const isAsked = isAdmitted(cluster, kind, reference.namespace) || kind.converter !== undefined;
    const attributesFor = (found: KubeObject) => ({
      ...attributesOf(call, { operation: "UPDATE", name: reference.name, warn }),
      object: found,
      oldObject: before,
    });
    let wanted = object;
    if (isAsked) {
      if (kind.namespaced) object.metadata.namespace ??= reference.namespace;
      report?.(kind.rules.normalize(object, { applied }));
      const { writer } = owned;
      if (writer !== undefined) {
        await views.compare(() => cluster.ownership.track({ kind, writer, before, after: object, views }));
      }
      wanted = await mutated(cluster, attributesFor(object), object);
      if (kind.collection.get(key) !== seen) continue;
    }
    const update = prepareUpdate(cluster, {
      ...options,
      ...(isAsked ? { applied: true, mayDropOwners: !applied } : { report, ...owned }),
      current: before,
      change: () => wanted,
    });
    const checked = isAsked ? attributesFor(update.updated) : undefined;
    if (checked !== undefined) await validate(cluster, checked);
    const kept = kind.converter === undefined ? update.kept : await inStorage(kind, update.updated);
    const charge = checked && chargeFor(cluster, checked);
    const stored = commitUpdate(cluster, update, kept);
    if (stored === undefined) continue;
    if (!dryRun) charge?.();
    return kind.converter === undefined ? stored : await oneInVersion(kind, stored);
  }
}

/**
 * Deletes an object, or marks it as being deleted.
 *
 * @throws {Refusal}
 */
export async function deleteAdmitted(
  cluster: Cluster,
  call: Call,
  options: DeleteOptions & { readonly warn: Attributes["warn"] },
): Promise<Deletion> {
  const { kind, reference, dryRun = false, warn } = options;
  const key = keyFor(kind, reference);
  for (;;) {
    const seen = kind.collection.get(key);
    if (seen === undefined) throw notFound(kind, reference.name);
    // NB: an object that cannot be converted cannot be deleted, either.
    const current = kind.converter === undefined
      ? writtenObject(kind, seen)
      : (await oneInVersion(kind, seen)).object;
    if (kind.collection.get(key) !== seen) continue;
    if (!isAdmitted(cluster, kind)) return deleteObject(cluster, options);
    const attributes: Attributes = {
      ...attributesOf(call, {
        operation: "DELETE",
        // NB: a request for a collection names no object.
        name: call.path.name ?? "",
        warn,
        namespace: reference.namespace,
      }),
      dryRun,
      oldObject: current,
      options: deleteOptions(options),
    };
    await mutate(cluster, attributes);
    await validate(cluster, attributes);
    if (kind.collection.get(key) === seen) return deleteObject(cluster, options);
  }
}

/** A question about an object that is none of the resource's own. */
export interface Question {
  readonly subject: Subject;
  readonly operation: Operation;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  readonly dryRun?: boolean;
  /** Get the warnings. */
  readonly headers: Headers;
}

/**
 * Asks whether a scale, a binding, an eviction or a token may be, and returns it as admission wants it.
 *
 * @throws {Refusal}
 */
export async function askAbout(cluster: Cluster, call: Call, question: Question): Promise<JsonObject> {
  const { subject, operation, object, oldObject, dryRun = call.dryRun, headers } = question;
  if (!isAdmitted(cluster, call.kind, call.path.namespace)) return object;
  const warn = (text: string) => headers.append("warning", `299 - ${JSON.stringify(text)}`);
  const names = { apiVersion: `${subject.group}/${subject.version}`.replace(/^\//, ""), kind: subject.kind };
  const shown = (body: JsonObject): KubeObject => {
    const metadata = isObject(body.metadata) ? body.metadata : {};
    return { ...body, ...names, metadata };
  };
  const attributes = {
    ...attributesOf(call, { operation, name: call.path.name ?? "", warn }),
    subject,
    dryRun,
    object: shown(object),
    ...(oldObject === undefined ? {} : { oldObject: shown(oldObject) }),
  };
  const mutated = await mutate(cluster, attributes) ?? attributes.object;
  await validate(cluster, { ...attributes, object: mutated });
  return mutated;
}

function deleteOptions(
  { dryRun, propagation, preconditions = {}, gracePeriodSeconds }: DeleteOptions,
): JsonObject {
  const { uid, resourceVersion } = preconditions;
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(uid === undefined && resourceVersion === undefined ? {} : {
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  };
}

interface Asked {
  readonly operation: Operation;
  readonly name: string;
  readonly warn: Attributes["warn"];
  /** Default: the namespace of the URL. */
  readonly namespace?: string;
}

function attributesOf(
  call: Call,
  { operation, name, warn, namespace = call.path.namespace }: Asked,
): Attributes {
  const { kind, path, dryRun, user, record, deadline } = call;
  const isNamespace = kind.group === "" && kind.plural === "namespaces";
  return {
    kind,
    operation,
    name,
    // NB: requests for a namespace are in that namespace.
    namespace: isNamespace ? name : namespace ?? "",
    subresource: path.subresource ?? "",
    dryRun,
    options: optionsOf(call),
    user,
    deadline,
    warn,
    annotate: record?.annotate ?? (() => {}),
  };
}
