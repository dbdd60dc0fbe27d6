/**
 * The scale subresource: how many replicas an object wants and has, in one shape for all kinds.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { applyConfiguration } from "../apply/applying.ts";
import type { Writer } from "../apply/ownership.ts";
import { Views } from "../apply/views.ts";
import type { Cluster } from "../cluster.ts";
import { isShownAsKept, servedObject } from "../definitions/conversion.ts";
import { inStorage, oneInVersion } from "../definitions/converter.ts";
import { keyFor, type Kind } from "../kinds.ts";
import { APPLY_PATCH } from "../media_types.ts";
import { isTrue } from "../paths.ts";
import { badRequest, invalid, methodNotAllowed, notFound } from "../refusal.ts";
import { Stored } from "../storage/stored.ts";
import { clone, getOwn, isObject, objectAt, setOwn } from "../values.ts";
import { commitUpdate, prepareUpdate } from "../writes/update.ts";
import { askAbout } from "../verbs/admitted.ts";
import { parseConfiguration } from "../verbs/apply.ts";
import { contentTypeOf, readText, readValue } from "../bodies/body.ts";
import type { Call } from "../verbs/call.ts";
import { readPatch } from "../bodies/patch.ts";
import { encodedResponse, partialMetadata, tableOf } from "../answers/respond.ts";
import { writerOf } from "../options/writer.ts";

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

/** Serves GET, PUT and PATCH of a scale. */
export async function scaleResponse(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, query } = call;
  const { name = "" } = path;
  const { current } = await find(call);
  if (request.method === "GET") return answer(cluster, call, current);
  if (request.method === "PATCH" && contentTypeOf(request) === APPLY_PATCH) {
    return await applyScale(cluster, call, current);
  }
  let wanted: unknown;
  if (request.method === "PUT") wanted = await readValue(request);
  else if (request.method === "PATCH") {
    wanted = (await readPatch(request, kind)).change(scaleOf(kind, current));
  } else throw methodNotAllowed();
  if (!isObject(wanted)) throw badRequest("the request body is not an object of kind Scale");
  const { replicas, headers } = await askFor(cluster, call, replicasOf(wanted, { kind, name }));
  const resourceVersion = getOwn(objectAt(wanted, "metadata") ?? {}, "resourceVersion");
  const change = (before: KubeObject) => {
    const next = clone(before);
    setPath(next, pathOf(kind.scale?.specReplicasPath), replicas);
    if (typeof resourceVersion === "string") next.metadata.resourceVersion = resourceVersion;
    return next;
  };
  const stored = await write(cluster, call, { change, writer: writerOf(request, query, "scale") });
  return answer(cluster, call, stored, headers);
}

/** Answers with the scale of an object, in the form that is asked for. */
function answer(cluster: Cluster, { kind, shape }: Call, stored: Stored, headers?: Headers): Response {
  const scale = scaleOf(kind, stored);
  if (shape.form === "object") return encodedResponse(scale, { shape, headers });
  const { resourceVersion } = scale.metadata;
  const value = shape.form === "metadata"
    ? partialMetadata(scale, shape)
    : tableOf(cluster, [scale], { kind, shape, listMetadata: { resourceVersion }, subresource: "scale" });
  return encodedResponse(value, { shape, headers });
}

interface Found {
  /** The object as it is kept. */
  readonly seen: Stored;
  /** The object in the version of the request. */
  readonly current: Stored;
}

/** @throws {Refusal} 404 */
async function find({ kind, path: { namespace, name = "" } }: Call): Promise<Found> {
  const seen = kind.collection.get(keyFor(kind, { namespace, name }));
  if (seen === undefined) throw notFound(kind, name);
  return { seen, current: await shown(kind, seen) };
}

async function shown(kind: Kind, stored: Stored): Promise<Stored> {
  if (kind.converter !== undefined) return await oneInVersion(kind, stored);
  return isShownAsKept(kind) ? stored : new Stored(servedObject(kind, stored), stored.version);
}

interface Written {
  readonly change: (before: KubeObject, views: Views) => KubeObject;
  /** Default: the change has the owners. */
  readonly writer?: Writer;
}

/** Writes the object, and returns it in the version of the request; begins anew if another was faster. */
async function write(cluster: Cluster, call: Call, { change, writer }: Written): Promise<Stored> {
  const { kind, dryRun, path: { namespace, name = "" } } = call;
  const owned = writer === undefined ? { applied: true } : { writer };
  for (;;) {
    const { seen, current } = await find(call);
    const views = new Views(kind);
    const update = await views.compare(() =>
      prepareUpdate(cluster, {
        kind,
        reference: { namespace, name },
        dryRun,
        change: (before) => change(before, views),
        current: current.object,
        views,
        ...owned,
      })
    );
    const kept = await inStorage(kind, update.updated);
    const stored = update.seen === seen ? commitUpdate(cluster, update, kept) : undefined;
    if (stored !== undefined) return await shown(kind, stored);
  }
}

interface Allowed {
  readonly replicas: number;
  /** With warnings. */
  readonly headers: Headers;
}

/** Asks admission for the number of replicas. NB: an object that was scaled meanwhile is asked about anew. */
async function askFor(cluster: Cluster, call: Call, wanted: number): Promise<Allowed> {
  const { kind, path: { namespace, name = "" } } = call;
  for (;;) {
    const { seen, current } = await find(call);
    const oldObject = scaleOf(kind, current);
    const object = { ...oldObject, spec: specOf(wanted) };
    const headers = new Headers();
    const asked = { subject: SCALE, operation: "UPDATE", object, oldObject, headers } as const;
    const scale = await askAbout(cluster, call, asked);
    if (kind.collection.get(keyFor(kind, { namespace, name })) === seen) {
      return { replicas: replicasOf(scale, { kind, name }), headers };
    }
  }
}

/** Applies the number of replicas to the object, for an owner of its own. */
async function applyScale(cluster: Cluster, call: Call, { object }: Stored): Promise<Response> {
  const { request, kind, path: { namespace, name = "" }, query } = call;
  const config = parseConfiguration(await readText(request));
  if (config.kind !== "Scale") throw badRequest("the request body is not an object of kind Scale");
  const writer = writerOf(request, query, "scale");
  const changeTo = (replicas: number) => (live: KubeObject, views: Views) => {
    const applied: JsonObject = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { namespace, name },
    };
    setPath(applied, pathOf(kind.scale?.specReplicasPath), replicas);
    const force = isTrue(query.get("force"));
    return applyConfiguration(cluster.ownership, { kind, live, writer, config: applied, force, views });
  };
  const wanted = replicasOf(config, { kind, name });
  // NB: conflicts are told before anybody is asked.
  const views = new Views(kind);
  await views.compare(() => changeTo(wanted)(object, views));
  const { replicas, headers } = await askFor(cluster, call, wanted);
  const stored = await write(cluster, call, { change: changeTo(replicas) });
  return answer(cluster, call, stored, headers);
}

/** @throws {Refusal} 422 */
function replicasOf(scale: JsonObject, { kind, name }: { kind: Kind; name: string }): number {
  const replicas = objectAt(scale, "spec")?.replicas ?? 0;
  // The faults of a custom object are told by its own rules.
  const fits = typeof replicas === "number" && Number.isInteger(replicas) && (replicas >= 0 || kind.custom);
  if (fits) return replicas;
  throw invalid({ group: "autoscaling", plural: "scales", kind: "Scale" }, name, [{
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    field: "spec.replicas",
  }]);
}

function scaleOf(
  { scale }: Kind,
  { object }: Stored,
): JsonObject & { readonly metadata: KubeObject["metadata"] } {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(getPath(object, pathOf(scale?.labelSelectorPath)));
  const replicas = getPath(object, pathOf(scale?.specReplicasPath));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: specOf(replicas),
    status: {
      replicas: Number(getPath(object, pathOf(scale?.statusReplicasPath)) ?? 0),
      ...(selector === "" ? {} : { selector }),
    },
  };
}

/** NB: none are left out. */
function specOf(replicas: unknown): JsonObject {
  return typeof replicas === "number" && replicas !== 0 ? { replicas } : {};
}

/** Built-in kinds have an object there, custom ones a text. */
function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  const labels = objectAt(selector, "matchLabels") ?? {};
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(",");
}

function pathOf(path = ""): string[] {
  return path.split(".").filter((part) => part !== "");
}

function getPath(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) value = isObject(value) ? getOwn(value, key) : undefined;
  return value;
}

function setPath(object: JsonObject, path: readonly string[], value: unknown): void {
  let target = object;
  for (const key of path.slice(0, -1)) {
    let next = objectAt(target, key);
    if (next === undefined) setOwn(target, key, next = {});
    target = next;
  }
  setOwn(target, path.at(-1) ?? "", value);
}
