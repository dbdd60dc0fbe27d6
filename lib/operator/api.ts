/**
 * `op.api`, by which handlers work with other objects than their own, over the operator's connection.
 *
 * A refusal of the server comes back as an ApiError that points to the author's line. 403 is not tried again here: the handler
 * is to fail at once, with the name of the right that is missing. The types are `registry/api.ts`.
 */

import { type AppliedObject, applyObject, recallApplied } from "../client/apply.ts";
import type { CallOptions, Client, ListOptions, PatchRequest } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { exec, type ExecOptions } from "../client/exec.ts";
import { isSecret, withData, withoutServerFields } from "../client/manifest.ts";
import { tellOfItems, tellOfReturn } from "../execution/invoke.ts";
import { isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Referable } from "../model/references.ts";
import { apiVersionOf, type Resource } from "../model/resource.ts";
import type {
  Address,
  Api,
  Applied,
  ApplyOptions,
  PartAddress,
  PatchOptions,
  Preconditions,
  RemoveManyOptions,
  RemoveOptions,
  Scale,
} from "../registry/api.ts";
import { findKind } from "../registry/find_kind.ts";
import type { ResourceType } from "../registry/resource.ts";
import type { ObjectOf } from "../registry/stanzas.ts";
import { awaitedFrom, blamedOn, iteratedFrom } from "../runtime/call_site.ts";
import type { ApiSource } from "./api_source.ts";
import { waitFor, watch } from "./object_watch.ts";
import { handledObject, ownedBy, refuseApart } from "./owners.ts";
import { createToken, evict, readLog } from "./pod_calls.ts";

export type { Address, Api, ApiSource };

/** Refusals of the server point to the author's line, and to none of ours: they are the same each time. */
const asked: typeof awaitedFrom = (fn) => awaitedFrom(fn, { before: blameRefusal, tell: tellOfReturn });
const askedAll: typeof iteratedFrom = (fn) => iteratedFrom(fn, { before: blameRefusal, tell: tellOfItems });

function blameRefusal(error: Error): void {
  if (error instanceof ApiError) blamedOn(error);
}

/** Any kind: the caller knows the shape of its objects. */
type Kind = ResourceType<unknown, unknown>;

/** Returns the API of an operator. @param source Is called for each call; it throws while the operator does not run. */
export function createApi(source: () => ApiSource): Api {
  const apply = (kind: Kind, object: Applied<unknown, unknown>, options: ApplyOptions = {}) =>
    applyTo(source(), kind, object, options) as Promise<never>; // as above
  // Which fields of which kinds were told of.
  const told = new Set<string>();
  return {
    get: asked(async (kind: Kind, address: PartAddress, options?: CallOptions) => {
      const { client } = source();
      // As above: a type of which every type is made.
      return await client.get<KubeObject<never, never>>(
        await resolve(client, kind),
        named(address, "get"),
        options,
      ) as never;
    }),
    list: askedAll((kind, options) => list(source, kind, options)),
    watch: askedAll((kind, scope) => watch(source, kind, scope)),
    apply: asked(apply),
    ensure: asked(async (kind, object, { owner = handledObject(), ...options } = {}) => {
      const own = await ownFields(source(), kind, object, { options, told });
      return await apply(kind, own, { ...options, owner });
    }),
    create: asked(async (kind, object, options) => {
      const { client } = source();
      const resource = await resolve(client, kind);
      await refuseApart(resource, object.metadata ?? {}, client.discovery);
      return await client.create(resource, typed(resource, object), options) as never; // as above
    }),
    replace: asked(async (kind, object, { preconditions, ...options } = {}) => {
      const { client } = source();
      const resource = await resolve(client, kind);
      await refuseApart(resource, object.metadata, client.discovery);
      return await client.replace(
        resource,
        typed(resource, limited(object, preconditions)),
        options,
      ) as never; // as above
    }),
    patch: asked(async (kind: Kind, address, patch, options) =>
      await patchAt(source(), kind, address, { patch, ...options }) as never // as above
    ),
    delete: asked(async (kind, target, options) => await remove(source(), kind, { target, ...options })),
    deleteCollection: asked(async (kind: Kind, options: RemoveManyOptions) => {
      const { client, states } = source();
      const resource = await resolve(client, kind);
      states?.forget(resource);
      await client.deleteCollection(resource, options);
    }),
    scale: asked(async (kind, address, replicas, options = {}) => {
      const { client } = source();
      const { fieldManager, dryRun, fieldValidation } = options;
      const part = { ...named(address, "scale"), subresource: "scale" };
      const body = { spec: { replicas } };
      const request: PatchRequest = { fieldManager, dryRun, fieldValidation, type: "merge", body };
      return await client.patch<Scale>(await resolve(client, kind), part, request, options);
    }),
    waitFor: asked(async (kind, address, condition, options) =>
      await waitFor(source, kind, { address: named(address, "wait for"), condition, ...options })
    ),
    logs: askedAll((pod, options) => readLog(source, pod, options)),
    exec: asked(async (pod: Address, command: readonly string[], options?: ExecOptions) =>
      await exec(source().client.transport, pod, command, options)
    ),
    evict: asked(async (pod: Address, options) => await evict(source().client, pod, options ?? {})),
    token: asked(async (account: Address, options) =>
      await createToken(source().client, account, options ?? {})
    ),
  };
}

async function* list<Spec, Status>(
  source: () => ApiSource,
  kind: ResourceType<Spec, Status>,
  options: ListOptions = {},
): AsyncGenerator<ObjectOf<Spec, Status>, void, void> {
  const { client } = source();
  const resource = await resolve(client, kind);
  for await (const page of client.list<ObjectOf<Spec, Status>>(resource, options)) yield* page.items;
}

async function applyTo(
  { client, settings, states }: ApiSource,
  kind: Kind,
  object: Applied<unknown, unknown>,
  options: ApplyOptions,
): Promise<KubeObject> {
  const resource = await resolve(client, kind);
  const { owner, fieldManager = settings.networking.fieldManager, subresource } = options;
  const owned = applied(resource, owner === undefined ? object : ownedBy(owner, object, resource));
  await refuseApart(resource, owned.metadata, client.discovery);
  const whole = isSecret(resource) ? withData(owned) : owned;
  // That part is a kind of its own.
  const wanted = subresource === "scale" ? { ...whole, apiVersion: "autoscaling/v1", kind: "Scale" } : whole;
  const known = recallApplied(states, resource, { request: options, object: wanted, fieldManager });
  if (known !== undefined && known !== "missing") return known;
  // Kubernetes tells controllers to take their fields back from whoever else has written them.
  const { owner: _owner, force = owner !== undefined, ...rest } = options;
  const request = { ...rest, force, fieldManager, object: wanted, states, isMissing: known === "missing" };
  return await applyObject(client, resource, request);
}

async function patchAt(
  { client }: ApiSource,
  kind: Kind,
  address: PartAddress,
  { patch, preconditions, ...options }: PatchOptions & { readonly patch: object },
): Promise<KubeObject<never, never>> {
  const { type = "merge", fieldManager, dryRun, fieldValidation } = options;
  const form = { fieldManager, dryRun, fieldValidation };
  const request: PatchRequest = Array.isArray(patch)
    ? { ...form, type: "json", body: [...operationsFor(preconditions), ...patch] }
    : { ...form, type, body: limited(patch, preconditions) };
  const resource = await resolve(client, kind);
  named(address, "patch");
  await refuseApart(resource, { ...metadataIn(patch), ...address }, client.discovery);
  return await client.patch<KubeObject<never, never>>(resource, address, request, options).catch(asConflict);
}

/** Deletes an object, and no other one of its name if it was passed itself. */
async function remove(
  { client, states }: ApiSource,
  kind: Kind,
  { target, ifExists = false, ...options }: RemoveOptions & { readonly target: Address | Referable },
): Promise<void> {
  const resource = await resolve(client, kind);
  const { uid, ...address } = readTarget(target, "delete");
  const preconditions = uid === undefined ? options.preconditions : { uid, ...options.preconditions };
  states?.forget(resource, address);
  try {
    await client.delete(resource, address, { ...options, preconditions });
  } catch (error) {
    // 409: another object has the name of the one that was passed.
    const isGone = error instanceof ApiError &&
      (error.status === 404 || (error.status === 409 && uid !== undefined && isOfOther(error)));
    if (!ifExists || !isGone) throw error;
  }
}

/** Returns a manifest without the fields that the server owns, and warns of the fields that were there: once for each kind. */
async function ownFields(
  { client, logger }: ApiSource,
  kind: Kind,
  object: Applied<unknown, unknown>,
  { options: { subresource }, told }: { readonly options: ApplyOptions; readonly told: Set<string> },
): Promise<Applied<unknown, unknown>> {
  const resource = await resolve(client, kind);
  const subresources = subresource === undefined ? resource.subresources : [];
  const { manifest, dropped } = withoutServerFields(object, { subresources });
  const title = `${resource.kind} ${dropped}`;
  if (dropped.length === 0 || told.has(title)) return manifest;
  told.add(title);
  const { name } = manifest.metadata;
  logger.warn("A manifest has fields that the server owns: they are left out", {
    kind: resource.kind,
    name,
    fields: dropped,
  });
  return manifest;
}

function metadataIn(patch: object): { readonly ownerReferences?: unknown } {
  const { metadata } = patch as { readonly metadata?: unknown };
  return isObject(metadata) ? metadata : {};
}

/** Returns an address. @throws {TypeError} If it has no name: JavaScript lets a text pass, or an object. */
function named<Given extends Address>(address: Given, verb: string): Given {
  const given = address as unknown;
  const name = isObject(given) ? given.name : undefined;
  if (typeof name === "string" && name !== "") return address;
  const told = typeof given === "string"
    ? JSON.stringify(given)
    : isObject(given)
    ? "an object without a name"
    : String(given);
  throw blamedOn(new TypeError(`Cannot ${verb} ${told}: pass its address, such as { namespace, name }`));
}

/** Returns the address of an object, and its uid if it is the object itself. @throws {TypeError} If it has no name. */
function readTarget(target: Address | Referable, verb: string): Address & { readonly uid?: string } {
  if (!isObject(target) || !("metadata" in target)) return named(target as Address, verb);
  const { name = "", namespace, uid } = (target as Referable).metadata ?? {};
  return { ...named({ name, namespace }, verb), uid };
}

/** Whether a precondition does not hold since another object has the name. Source: Kubernetes API reference, Preconditions. */
function isOfOther({ body }: ApiError): boolean {
  return /UID in the precondition/.test(body?.message ?? "");
}

function resolve({ discovery }: Client, kind: Kind): Promise<Resource> {
  return findKind(discovery, kind);
}

function typed<Content extends object>(
  resource: Resource,
  object: Content,
): { readonly apiVersion: string; readonly kind: string } & Content {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

/** Returns the object (or merge patch) with its preconditions: the server compares them with the stored object. */
function limited<Content extends object>(object: Content, preconditions: Preconditions | undefined): Content {
  if (preconditions === undefined) return object;
  const { metadata } = object as { readonly metadata?: object };
  return { ...object, metadata: { ...metadata, ...given(preconditions) } };
}

/** The same for JSON patches. "test" would be answered with 422, as any other mistake in a patch. */
function operationsFor(preconditions: Preconditions = {}): readonly object[] {
  return Object.entries(given(preconditions)).map(([name, value]) => ({
    op: "add",
    path: `/metadata/${name}`,
    value,
  }));
}

/** Another uid in a patch is answered as if it were to be changed. @throws {ApiError} 409 for that, whatever else as it is. */
function asConflict(error: unknown): never {
  const isOther = error instanceof ApiError && error.status === 422 &&
    error.details?.causes?.some(({ field }) => field === "metadata.uid");
  if (!isOther) throw error;
  const { request, headers, body } = error;
  throw new ApiError({ status: 409, request, headers, body, cause: error });
}

function given({ uid, resourceVersion }: Preconditions): Preconditions {
  return { ...uid !== undefined && { uid }, ...resourceVersion !== undefined && { resourceVersion } };
}

function applied(resource: Resource, object: Applied<unknown, unknown>): AppliedObject {
  const { name, namespace } = object.metadata;
  const title = `${resource.kind} "${name ?? ""}"`;
  if (!name) throw blamedOn(new TypeError(`Cannot apply ${title}: its name is missing`));
  if (resource.namespaced && !namespace) {
    throw blamedOn(new TypeError(`Cannot apply ${title}: its namespace is missing`));
  }
  return typed(resource, object) as AppliedObject; // its lists are the author's, and are only read from here on
}
