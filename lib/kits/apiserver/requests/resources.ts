/**
 * Requests for resources: from a method and a path to the verb that serves it.
 */

import type { Cluster } from "../cluster.ts";
import { IMMORTAL } from "../lifecycle/namespaces.ts";
import { keyFor, type Kind } from "../kinds.ts";
import type { ResourcePath } from "../paths.ts";
import { badRequest, forbidden, methodNotAllowed, notFound } from "../refusal.ts";
import { clone } from "../values.ts";
import { createObject } from "../writes/create.ts";
import { deleteObject, type Deletion } from "../writes/delete.ts";
import { updateObject } from "../writes/update.ts";
import { asKind, readObject } from "./body.ts";
import { readDeleteOptions } from "./delete_options.ts";
import { listPage, listResponse } from "./list.ts";
import { readPatch } from "./patch.ts";
import { jsonResponse, objectResponse, servedObject } from "./respond.ts";
import { scaleResponse } from "./scale.ts";
import { isTrue, type Shape, shapeOf } from "./shape.ts";
import { watchResponse } from "./watch.ts";

/** One request, understood. */
export interface Call {
  readonly request: Request;
  readonly kind: Kind;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly shape: Shape;
  readonly dryRun: boolean;
}

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
  const call: Call = { request, kind, path, query, shape: shapeOf(request, query), dryRun: isDryRun(query) };
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
      throw methodNotAllowed();
    default:
      throw methodNotAllowed();
  }
}

/** @throws {Refusal} 400 */
function isDryRun(query: URLSearchParams): boolean {
  const values = query.getAll("dryRun");
  if (values.some((value) => value !== "All" && value !== "")) {
    throw badRequest(`Invalid value: ${JSON.stringify(values)}: Unsupported value: supported values: "All"`);
  }
  return values.includes("All");
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
      return removeAll(cluster, call);
    default:
      throw methodNotAllowed();
  }
}

function get(cluster: Cluster, { kind, path, shape }: Call): Response {
  const name = path.name ?? "";
  const stored = kind.collection.get(keyFor(kind, { namespace: path.namespace, name }));
  if (stored === undefined) throw notFound(kind, name);
  return objectResponse(cluster, stored, { kind, shape });
}

async function create(cluster: Cluster, { request, kind, path, shape, dryRun }: Call): Promise<Response> {
  const object = await readObject(request, kind);
  const stored = createObject(cluster, object, { kind, namespace: path.namespace, dryRun });
  return objectResponse(cluster, stored, { kind, shape, code: 201 });
}

async function replace(cluster: Cluster, { request, kind, path, shape, dryRun }: Call): Promise<Response> {
  const { namespace, name = "", subresource } = path;
  const object = await readObject(request, kind);
  const { metadata } = object;
  if (metadata.name === undefined || metadata.name === "") {
    throw badRequest("name must be provided");
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata.namespace !== undefined && metadata.namespace !== "" && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the object does not match the namespace on the request");
  }
  const reference = { namespace, name };
  const creates = kind.createOnUpdate && subresource === undefined;
  if (creates && kind.collection.get(keyFor(kind, reference)) === undefined) {
    const stored = createObject(cluster, object, { kind, namespace, dryRun });
    return objectResponse(cluster, stored, { kind, shape, code: 201 });
  }
  const stored = updateObject(cluster, { kind, reference, subresource, dryRun, change: () => object });
  return objectResponse(cluster, stored, { kind, shape });
}

async function patch(cluster: Cluster, { request, kind, path, shape, dryRun }: Call): Promise<Response> {
  const { namespace, name = "", subresource } = path;
  const apply = await readPatch(request, kind);
  const reference = { namespace, name };
  const current = kind.collection.get(keyFor(kind, reference));
  if (current === undefined) throw notFound(kind, name);
  const change = () => asKind(apply(clone(servedObject(kind, current))), kind);
  return objectResponse(cluster, updateObject(cluster, { kind, reference, subresource, dryRun, change }), {
    kind,
    shape,
  });
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
  const objects = items.map((stored) => servedObject(kind, stored));
  const list = { kind: kind.listKind, apiVersion: kind.apiVersion, metadata, items: objects };
  return jsonResponse(list, { pretty: shape.pretty });
}
