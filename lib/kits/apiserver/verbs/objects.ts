/**
 * GET, POST, PUT and PATCH of objects.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";
import { cloneButOwners } from "../apply/ownership.ts";
import type { Views } from "../apply/views.ts";
import type { Cluster } from "../cluster.ts";
import { servedObject } from "../definitions/conversion.ts";
import { oneInVersion } from "../definitions/converter.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import { APPLY_PATCH } from "../media_types.ts";
import { isTrue } from "../paths.ts";
import { badRequest, conflict, invalid, invalidPatch, notFound } from "../refusal.ts";
import type { Stored } from "../storage/stored.ts";
import { clone } from "../values.ts";
import { createAdmitted, updateAdmitted } from "./admitted.ts";
import { readConfiguration } from "./apply.ts";
import { contentTypeOf, readObject } from "../bodies/body.ts";
import type { Call } from "./call.ts";
import { decodeApplied, type Decoded, decodePatched } from "../bodies/decode.ts";
import { JSON_PATCH, readPatch } from "../bodies/patch.ts";
import { objectResponse } from "../answers/respond.ts";
import { checkNotFuture, readVersion } from "../options/versions.ts";
import { isStrict, reporter, warned, warner } from "./warnings.ts";

/** Answers with one object. @throws {Refusal} */
export async function get(cluster: Cluster, { kind, path, query, shape }: Call): Promise<Response> {
  const name = path.name ?? "";
  if (isTrue(query.get("export"))) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  checkNotFuture(cluster.store, readVersion(query, true));
  const stored = kind.collection.get(keyFor(kind, { namespace: path.namespace, name }));
  if (stored === undefined) throw notFound(kind, name);
  return objectResponse(cluster, await oneInVersion(kind, stored), { kind, shape });
}

/** Makes an object. @throws {Refusal} */
export async function create(cluster: Cluster, call: Call): Promise<Response> {
  const decoded = await readObject(call.request, { kind: call.kind, strict: isStrict(call) });
  return await created(cluster, call, decoded);
}

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
  const wish = { object, report, applied, warn: warner(headers) };
  const stored = await warned(headers, createAdmitted(cluster, call, wish));
  return objectResponse(cluster, stored, { kind, shape, code: 201, headers });
}

/** Puts an object in the place of another, or makes it where its kind lets that be. @throws {Refusal} */
export async function replace(cluster: Cluster, call: Call): Promise<Response> {
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

/** Changes an object, or applies one. @throws {Refusal} */
export async function patch(cluster: Cluster, call: Call): Promise<Response> {
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
