/**
 * Requests for resources: from a method and a path to the verb that serves it.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { userInfo } from "../access/user.ts";
import type { Cause } from "../causes.ts";
import { cloneButOwners } from "../apply/ownership.ts";
import type { Views } from "../apply/views.ts";
import type { Cluster } from "../cluster.ts";
import { servedObject } from "../definitions/conversion.ts";
import { inVersion, oneInVersion } from "../definitions/converter.ts";
import { isOnlyCreated } from "../documents/discovery.ts";
import { IMMORTAL } from "../lifecycle/namespaces.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  invalidPatch,
  methodNotAllowed,
  notFound,
  notSupported,
  Refusal,
} from "../refusal.ts";
import type { Stored } from "../storage/stored.ts";
import { clone } from "../values.ts";
import type { WriteOptions } from "../writes/create.ts";
import type { Deletion } from "../writes/delete.ts";
import { finalizerWarnings } from "../writes/metadata.ts";
import { createAdmitted, deleteAdmitted, updateAdmitted } from "./admitted.ts";
import { readConfiguration } from "./apply.ts";
import { contentTypeOf, readObject } from "./body.ts";
import type { Call } from "./call.ts";
import { decodeApplied, type Decoded, decodePatched } from "./decode.ts";
import { type DeleteRequest, readDeleteOptions } from "./delete_options.ts";
import { listPage, listResponse } from "./list.ts";
import { pageResponse } from "./list_body.ts";
import { JSON_PATCH, readPatch } from "./patch.ts";
import { podResponse } from "./pod_subresources.ts";
import { encodedResponse, objectResponse } from "./respond.ts";
import { scaleResponse } from "./scale.ts";
import { isTrue, shapeOf } from "./shape.ts";
import { configurationFault, strictFaults, warningsOf } from "./strict_faults.ts";
import { timeoutIn } from "./timeout.ts";
import { tokenResponse } from "./token.ts";
import { checkNotFuture, readVersion } from "./versions.ts";
import { watchResponse } from "./watch.ts";
import { isDryRun } from "./write_options.ts";
import { APPLY_PATCH } from "./writer.ts";

export type CallOptions = Pick<Call, "kind" | "path" | "query" | "user" | "record">;

/**
 * Serves a request for a resource.
 *
 * @throws {Refusal}
 */
export function serveResource(
  cluster: Cluster,
  request: Request,
  { kind, path, query, user, record }: CallOptions,
): Response | Promise<Response> {
  // NB: before the options are read, which an apply may lack.
  if (isOnlyCreated(path.subresource) && !kind.custom && request.method !== "POST") throw methodNotAllowed();
  const call: Call = {
    request,
    kind,
    path,
    query,
    shape: shapeOf(request, { query, kind, isList: path.name === undefined && request.method !== "POST" }),
    dryRun: isDryRun(request, query),
    user,
    record,
    deadline: cluster.host.clock.now() + timeoutIn(query) * 1000,
  };
  if (path.subresource === "scale" && kind.scale !== undefined) return scaleResponse(cluster, call);
  if (path.subresource === "token") return tokenResponse(cluster, call);
  if (path.name === undefined) return serveCollection(cluster, call);
  const own = podResponse(cluster, call);
  if (own !== undefined) return own;
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

async function get(cluster: Cluster, { kind, path, query, shape }: Call): Promise<Response> {
  const name = path.name ?? "";
  if (isTrue(query.get("export"))) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  checkNotFuture(cluster.store, readVersion(query, true));
  const stored = kind.collection.get(keyFor(kind, { namespace: path.namespace, name }));
  if (stored === undefined) throw notFound(kind, name);
  return objectResponse(cluster, await oneInVersion(kind, stored), { kind, shape });
}

async function create(cluster: Cluster, call: Call): Promise<Response> {
  const decoded = await readObject(call.request, { kind: call.kind, strict: isStrict(call) });
  return await created(cluster, call, decoded);
}

/** The group whose requests say who has made them. */
const CERTIFICATES = "certificates.k8s.io/v1";

interface CreatedOptions {
  /** The object comes with its owners, because it was applied. */
  readonly applied?: boolean;
}

async function created(
  cluster: Cluster,
  call: Call,
  { applied, ...decoded }: Decoded & CreatedOptions,
): Promise<Response> {
  const { kind, shape } = call;
  const headers = new Headers();
  const report = reporter(call, { headers, decoded });
  const { object } = decoded;
  call.record?.name(object);
  if (kind.apiVersion === CERTIFICATES) object.spec = { ...object.spec, ...userInfo(call.user) };
  const wish = { object, report, applied, warn: warner(headers) };
  const stored = await warned(headers, createAdmitted(cluster, call, wish));
  return objectResponse(cluster, stored, { kind, shape, code: 201, headers });
}

async function replace(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, shape } = call;
  const { namespace, name = "", subresource } = path;
  const decoded = await readObject(request, { kind, strict: isStrict(call) });
  const reference = { namespace, name };
  call.record?.name(decoded.object);
  checkPlace(decoded.object, kind, reference);
  const creates = kind.createOnUpdate && subresource === undefined;
  if (creates && kind.collection.get(keyFor(kind, reference)) === undefined) {
    return await created(cluster, call, decoded);
  }
  const headers = new Headers();
  const wish = ({ object: before }: Stored) => ({
    object: clone(decoded.object),
    report: reporter(call, { headers, decoded, before }),
  });
  const update = { reference, wish, warn: warner(headers) };
  const stored = await warned(headers, updateAdmitted(cluster, call, update));
  return objectResponse(cluster, stored, { kind, shape, headers });
}

async function patch(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, shape } = call;
  if (contentTypeOf(request) === APPLY_PATCH) return await apply(cluster, call);
  const { namespace, name = "" } = path;
  const { change, source } = await readPatch(request, kind);
  const reference = { namespace, name };
  const headers = new Headers();
  const wish = (current: Stored) => {
    const patched = change(copyOf(servedObject(kind, current), request));
    const isStrategic = source.form === "strategic patch";
    const decoded = { ...decodePatched(patched, kind, isStrategic), source };
    const { object } = decoded;
    checkPlace(object, kind, reference);
    if (object.metadata.uid !== undefined && object.metadata.uid !== current.object.metadata.uid) {
      throw invalid(kind, name, [immutableUid(object.metadata.uid)]);
    }
    const refuse = (fault: string) => invalidPatch(object, fault);
    return { object, report: reporter(call, { headers, decoded, before: current.object, refuse }) };
  };
  const update = { reference, wish, warn: warner(headers) };
  const stored = await warned(headers, updateAdmitted(cluster, call, update));
  return objectResponse(cluster, stored, { kind, shape, headers });
}

/** Only JSON patches can reach into the owners, which objects share. */
function copyOf(object: KubeObject, request: Request): KubeObject {
  return contentTypeOf(request) === JSON_PATCH ? clone(object) : cloneButOwners(object);
}

async function apply(cluster: Cluster, call: Call): Promise<Response> {
  const { kind, path, shape } = call;
  const { namespace, name = "", subresource } = path;
  const { applyTo, source } = await readConfiguration(cluster, call);
  const reference = { namespace, name };
  const take = (live: Stored | undefined, views?: Views) => {
    const decoded = decodeApplied(applyTo(live && servedObject(kind, live), views), kind);
    checkPlace(decoded.object, kind, reference);
    return { ...decoded, source, applied: true };
  };
  if (kind.collection.get(keyFor(kind, reference)) === undefined) {
    if (subresource !== undefined) throw notFound(kind, name);
    const taken = take(undefined);
    const { uid } = taken.object.metadata;
    if (uid !== undefined) {
      throw conflict(
        kind,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    return await created(cluster, call, taken);
  }
  const headers = new Headers();
  const wish = (current: Stored, views: Views) => {
    const decoded = take(current, views);
    const report = reporter(call, { headers, decoded, before: current.object });
    return { object: decoded.object, applied: true, report };
  };
  const update = { reference, wish, warn: warner(headers) };
  const stored = await warned(headers, updateAdmitted(cluster, call, update));
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
function checkPlace({ metadata }: KubeObject, kind: Kind, { namespace, name }: ObjectKey): void {
  if (!kind.namespaced) delete metadata.namespace;
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
  /** The object before an update. */
  readonly before?: KubeObject;
  /** Makes the refusal of unknown fields. */
  readonly refuse?: (fault: string) => Error;
}

function isStrict({ query }: Call): boolean {
  return query.get("fieldValidation") !== "Ignore";
}

/** Returns how unknown fields are reported: not at all, as warnings or as a refusal, as `fieldValidation` says. */
function reporter(
  { query, kind }: Call,
  { headers, decoded, before, refuse }: ReporterOptions,
): WriteOptions["report"] {
  const mode = query.get("fieldValidation") || "Warn";
  const warn = warner(headers);
  const { source } = decoded;
  return (found) => {
    const unknown = [...decoded.unknown, ...found];
    const faults = mode === "Ignore" ? [] : strictFaults({ source, unknown, custom: kind.custom });
    if (mode === "Strict" && faults.length > 0) {
      const applied = configurationFault(faults);
      if (applied !== undefined && source?.form === "configuration") throw badRequest(applied);
      const fault = `strict decoding error: ${faults.join(", ")}`;
      const { kind: name, version } = kind;
      throw refuse?.(fault) ??
        badRequest(`${name} in version "${version}" cannot be handled as a ${name}: ${fault}`);
    }
    for (const text of faults.flatMap(warningsOf)) warn(text);
    // NB: a deprecated version of a custom kind is warned of in reads, too.
    if (kind.deprecation !== undefined && !kind.custom) warn(kind.deprecation);
    if (kind.custom) { for (const text of finalizerWarnings(decoded.object, before)) warn(text); }
  };
}

/** Returns what adds warnings to a response, each once. */
function warner(headers: Headers): (text: string) => void {
  let given: Set<string> | undefined;
  return (text) => {
    given ??= new Set();
    if (!given.has(text)) headers.append("warning", `299 - ${JSON.stringify(text)}`);
    given.add(text);
  };
}

/** A refusal tells the warnings that came before it. */
async function warned<T>(headers: Headers, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal) error.warning = headers.get("warning");
    throw error;
  }
}

async function remove(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, query, shape } = call;
  const { namespace, name = "" } = path;
  if (kind.apiVersion === "v1" && kind.kind === "Namespace" && IMMORTAL.includes(name)) {
    throw forbidden(kind, name, "this namespace may not be deleted");
  }
  const options = withDefaults(kind, await readDeleteOptions(request, query));
  const headers = new Headers();
  const wish = { ...options, kind, reference: { namespace, name }, warn: warner(headers) };
  const deletion = await warned(headers, deleteAdmitted(cluster, call, wish));
  if (!deletion.gone || kind.returnsDeleted) {
    const code = !deletion.gone && options.cascades ? 202 : 200;
    const stored = await oneInVersion(kind, deletion.stored);
    return objectResponse(cluster, stored, { kind, shape, code, headers });
  }
  return encodedResponse(successStatus(kind, deletion), { shape, headers });
}

/** NB: ReplicationControllers alone leave their Pods behind, unless the client wants it otherwise. */
function withDefaults({ apiVersion, plural }: Kind, options: DeleteRequest): DeleteRequest {
  const isOld = apiVersion === "v1" && plural === "replicationcontrollers";
  return isOld && options.propagation === undefined ? { ...options, propagation: "Orphan" } : options;
}

function successStatus({ group, plural }: Kind, { stored }: Deletion): JsonObject {
  const { name, uid } = stored.object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group === "" ? {} : { group }), kind: plural, uid },
  };
}

async function removeAll(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, query, shape } = call;
  const options = withDefaults(kind, await readDeleteOptions(request, query));
  const { items, metadata } = await listPage(cluster, { kind, namespace: path.namespace, query });
  const headers = new Headers();
  const warn = warner(headers);
  // NB: if one cannot be converted, none is deleted.
  const shown = await inVersion(kind, items);
  for (const { object } of items) {
    const { namespace, name = "" } = object.metadata;
    try {
      await deleteAdmitted(cluster, call, {
        ...options,
        kind,
        reference: { namespace, name },
        warn,
        inCollection: true,
      });
    } catch (error) {
      // Somebody else has deleted it while admission was asked.
      if (!(error instanceof Refusal) || error.code !== 404) throw error;
    }
  }
  const response = pageResponse(cluster, { items: shown, metadata }, { kind, shape });
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}
