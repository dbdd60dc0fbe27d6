/**
 * Requests for resources: from a method and a path to the verb that serves it.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";
import type { Cluster } from "../cluster.ts";
import { IMMORTAL } from "../lifecycle/namespaces.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import type { ResourcePath } from "../paths.ts";
import {
  badRequest,
  forbidden,
  invalid,
  invalidPatch,
  methodNotAllowed,
  notFound,
  notSupported,
} from "../refusal.ts";
import { clone } from "../values.ts";
import { createObject, type WriteOptions } from "../writes/create.ts";
import { deleteObject, type Deletion } from "../writes/delete.ts";
import { updateObject } from "../writes/update.ts";
import { readObject } from "./body.ts";
import type { Call } from "./call.ts";
import { type Decoded, decodePatched } from "./decode.ts";
import { readDeleteOptions } from "./delete_options.ts";
import { listPage, listResponse } from "./list.ts";
import { readPatch } from "./patch.ts";
import { jsonResponse, objectResponse, servedObject } from "./respond.ts";
import { scaleResponse } from "./scale.ts";
import { isTrue, shapeOf } from "./shape.ts";
import { checkNotFuture, readVersion } from "./versions.ts";
import { watchResponse } from "./watch.ts";

export interface CallOptions {
  readonly kind: Kind;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
}

/**
 * Serves a request for a resource.
 *
 * @throws {Refusal}
 */
export function serveResource(
  cluster: Cluster,
  request: Request,
  { kind, path, query }: CallOptions,
): Response | Promise<Response> {
  const call: Call = {
    request,
    kind,
    path,
    query,
    shape: shapeOf(request, query),
    dryRun: isDryRun(request, query),
  };
  if (path.subresource === "scale" && kind.scale !== undefined) return scaleResponse(cluster, call);
  if (path.name === undefined) return serveCollection(cluster, call);
  if (kind.namespaced && path.namespace === undefined) throw methodNotAllowed();
  switch (request.method) {
    case "GET":
      return get(cluster, call);
    case "PUT":
      return replace(cluster, call);
    case "PATCH":
      return patch(cluster, call);
    case "DELETE":
      if (path.subresource === undefined) return remove(cluster, call);
      throw unsupported(call, "delete");
    default:
      throw unsupported(call, "create");
  }
}

function unsupported({ kind, path }: Call, verb: string): Error {
  return kind.custom && path.subresource !== undefined ? notSupported(kind, verb) : methodNotAllowed();
}

const OPTION_KINDS: Readonly<Record<string, string>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
  DELETE: "DeleteOptions",
};

/** @throws {Refusal} 422 */
function isDryRun({ method }: Request, query: URLSearchParams): boolean {
  const values = query.getAll("dryRun").filter((value) => value !== "");
  if (values.some((value) => value !== "All") && Object.hasOwn(OPTION_KINDS, method)) {
    throw invalid({ group: "meta.k8s.io", plural: "", kind: OPTION_KINDS[method] ?? "" }, "", [{
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`,
      field: "dryRun",
    }]);
  }
  return values.length > 0;
}

function serveCollection(cluster: Cluster, call: Call): Response | Promise<Response> {
  const { request, kind, path, query, shape } = call;
  const { namespace } = path;
  switch (request.method) {
    case "GET":
      if (!isTrue(query.get("watch"))) return listResponse(cluster, { kind, namespace, query, shape });
      return watchResponse(cluster, { kind, namespace, query, shape, signal: request.signal });
    case "POST":
      if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
      return create(cluster, call);
    case "DELETE":
      if (!kind.verbs.includes("deletecollection")) throw methodNotAllowed();
      if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
      return removeAll(cluster, call);
    default:
      throw methodNotAllowed();
  }
}

function get(cluster: Cluster, { kind, path, query, shape }: Call): Response {
  const name = path.name ?? "";
  checkNotFuture(cluster.store, readVersion(query));
  const stored = kind.collection.get(keyFor(kind, { namespace: path.namespace, name }));
  if (stored === undefined) throw notFound(kind, name);
  return objectResponse(cluster, stored, { kind, shape });
}

async function create(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, shape, dryRun } = call;
  const decoded = await readObject(request, kind);
  const headers = new Headers();
  const report = reporter(call, { headers, decoded });
  const stored = createObject(cluster, decoded.object, { kind, namespace: path.namespace, dryRun, report });
  return objectResponse(cluster, stored, { kind, shape, code: 201, headers });
}

async function replace(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, shape, dryRun } = call;
  const { namespace, name = "", subresource } = path;
  const decoded = await readObject(request, kind);
  const { object } = decoded;
  checkPlace(object, { namespace, name });
  const headers = new Headers();
  const report = reporter(call, { headers, decoded });
  const reference = { namespace, name };
  const creates = kind.createOnUpdate && subresource === undefined;
  if (creates && kind.collection.get(keyFor(kind, reference)) === undefined) {
    const stored = createObject(cluster, object, { kind, namespace, dryRun, report });
    return objectResponse(cluster, stored, { kind, shape, code: 201, headers });
  }
  const stored = updateObject(cluster, {
    kind,
    reference,
    subresource,
    dryRun,
    report,
    change: () => object,
  });
  return objectResponse(cluster, stored, { kind, shape, headers });
}

async function patch(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, shape, dryRun } = call;
  const { namespace, name = "", subresource } = path;
  const apply = await readPatch(request, kind);
  const reference = { namespace, name };
  const current = kind.collection.get(keyFor(kind, reference));
  if (current === undefined) throw notFound(kind, name);
  const decoded = decodePatched(apply(clone(servedObject(kind, current))), kind);
  const { object } = decoded;
  checkPlace(object, reference);
  if (object.metadata.uid !== undefined && object.metadata.uid !== current.object.metadata.uid) {
    throw invalid(kind, name, [immutableUid(object.metadata.uid)]);
  }
  const headers = new Headers();
  const refuse = (fault: string) => invalidPatch(object, fault);
  const report = reporter(call, { headers, decoded, refuse });
  const stored = updateObject(cluster, {
    kind,
    reference,
    subresource,
    dryRun,
    report,
    change: () => object,
  });
  return objectResponse(cluster, stored, { kind, shape, headers });
}

function immutableUid(uid: string): Cause {
  return {
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(uid)}: field is immutable`,
    field: "metadata.uid",
  };
}

/** An object must be the one that the URL names. */
function checkPlace({ metadata }: KubeObject, { namespace, name }: ObjectKey): void {
  if (metadata.name === undefined) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

interface ReporterOptions {
  /** Those of the response, for warnings. */
  readonly headers: Headers;
  readonly decoded: Decoded;
  /** Makes the refusal of unknown fields. */
  readonly refuse?: (fault: string) => Error;
}

const PREFER_DOMAIN =
  "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";

/** What becomes of unknown fields: nothing, warnings or a refusal, as `fieldValidation` says. */
function reporter(
  { query, kind }: Call,
  { headers, decoded, refuse }: ReporterOptions,
): WriteOptions["report"] {
  const mode = query.get("fieldValidation") ?? "Warn";
  const warn = (text: string) => headers.append("warning", `299 - ${JSON.stringify(text)}`);
  return (found) => {
    const unknown = [...decoded.unknown, ...found].map((field) => `unknown field "${field}"`);
    if (mode === "Strict" && unknown.length > 0) {
      const fault = `strict decoding error: ${unknown.join(", ")}`;
      const { kind: name, version } = kind;
      throw refuse?.(fault) ??
        badRequest(`${name} in version "${version}" cannot be handled as a ${name}: ${fault}`);
    }
    if (mode === "Warn") { for (const text of unknown) warn(text); }
    if (kind.deprecation !== undefined) warn(kind.deprecation);
    for (const finalizer of kind.custom ? decoded.object.metadata.finalizers ?? [] : []) {
      if (!finalizer.includes("/")) warn(`metadata.finalizers: "${finalizer}": ${PREFER_DOMAIN}`);
    }
  };
}

async function remove(cluster: Cluster, { request, kind, path, query, shape }: Call): Promise<Response> {
  const { namespace, name = "" } = path;
  if (kind.apiVersion === "v1" && kind.kind === "Namespace" && IMMORTAL.includes(name)) {
    throw forbidden(kind, name, "this namespace may not be deleted");
  }
  const options = await readDeleteOptions(request, query);
  const deletion = deleteObject(cluster, { ...options, kind, reference: { namespace, name } });
  if (!deletion.gone || kind.returnsDeleted) return objectResponse(cluster, deletion.stored, { kind, shape });
  return jsonResponse(successStatus(kind, deletion), { pretty: shape.pretty });
}

function successStatus({ group, plural }: Kind, { stored }: Deletion): unknown {
  const { name, uid } = stored.object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group === "" ? {} : { group }), kind: plural, uid },
  };
}

async function removeAll(cluster: Cluster, { request, kind, path, query, shape }: Call): Promise<Response> {
  const options = await readDeleteOptions(request, query);
  const { items, metadata } = listPage(cluster, { kind, namespace: path.namespace, query });
  for (const { object } of items) {
    const { namespace, name = "" } = object.metadata;
    deleteObject(cluster, { ...options, kind, reference: { namespace, name } });
  }
  // NB: as in lists, objects of built-in kinds do not say what they are.
  const nameless = kind.custom ? {} : { apiVersion: undefined, kind: undefined };
  const objects = items.map((stored) => ({ ...servedObject(kind, stored), ...nameless }));
  const list = { kind: kind.listKind, apiVersion: kind.apiVersion, metadata, items: objects };
  return jsonResponse(list, { pretty: shape.pretty });
}
