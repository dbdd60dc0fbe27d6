/**
 * `op.api`, by which handlers work with other objects than their own: the operator's connection, by declared kinds.
 *
 * Everything is typed by the kind, and each call takes a signal. What the server refuses comes back as an ApiError that
 * points to the author's line. 403 is not tried again here: a handler that may not do something is to say so at once.
 */

import { type AppliedObject, applyObject } from "../client/apply.ts";
import type {
  CallOptions,
  Client,
  DeleteOptions,
  ListOptions,
  PatchRequest,
  WriteOptions,
} from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { ObjectStore } from "../client/cache/object_store.ts";
import { type WatchItem, watchObjects } from "../client/watch/watcher.ts";
import type { KubeObject, ObjectMeta, WatchEvent } from "../model/object.ts";
import type { PatchOf } from "../model/patch.ts";
import { ownerReference, type Referable } from "../model/references.ts";
import type { Resource } from "../model/resource.ts";
import { formatSelector, select } from "../model/selector.ts";
import type { ResourceType } from "../registry/resource.ts";
import { awaitedFrom } from "../runtime/call_site.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/sections.ts";

/** Which object. */
export interface Address {
  /** Needed for namespaced kinds. */
  readonly namespace?: string;
  /** The object's name. */
  readonly name: string;
}

/** Which object, or which part of it. */
export interface PartAddress extends Address {
  /** Such as "status" or "scale". Default: the object itself. */
  readonly subresource?: string;
}

/** An object as it is sent: complete, but without what the server adds. */
export type NewObject<Spec, Status> = Partial<KubeObject<Spec, Status>>;

/** A merge patch of an object: objects in part, null for what is to be deleted, lists as a whole. */
export interface ObjectPatch<Spec, Status> {
  /** Changes to the metadata. */
  readonly metadata?: PatchOf<ObjectMeta>;
  /** Changes to the spec. */
  readonly spec?: PatchOf<Spec> | null;
  /** Changes to the status. Where it is a subresource, address that: `{ name, subresource: "status" }`. */
  readonly status?: PatchOf<Status> | null;
  /** Changes to whatever else the kind has. */
  readonly [stanza: string]: unknown;
}

/** One operation of a JSON patch. Source: RFC 6902. */
export interface JsonPatchOperation {
  /** The operation; "test" refuses the patch where the value is another one. */
  readonly op: "add" | "copy" | "move" | "remove" | "replace" | "test";
  /** Where, such as "/spec/replicas". */
  readonly path: string;
  /** From where, to copy or move. */
  readonly from?: string;
  /** The value to add, to put in place, or to compare with. */
  readonly value?: unknown;
}

/** The wishes of an operator for an object: the fields that it owns, and no others. */
export interface Applied<Spec, Status> {
  /** Its address, and the metadata that are wanted. */
  readonly metadata:
    & Pick<ObjectMeta, "namespace" | "labels" | "annotations" | "ownerReferences" | "finalizers">
    & { readonly name: string };
  /** In part: only what is to be as it says. */
  readonly spec?: PartOf<Spec>;
  /** The same. Where it is a subresource, apply it with `subresource: "status"`. */
  readonly status?: PartOf<Status>;
  /** Whatever else the kind has. */
  readonly [stanza: string]: unknown;
}

/** A value in part: lists as a whole. */
export type PartOf<T> = T extends readonly unknown[] ? T
  : T extends object ? { readonly [Key in keyof T]?: PartOf<T[Key]> }
  : T;

/** How to apply. */
export interface ApplyOptions extends WriteOptions, Pick<PartAddress, "subresource"> {
  /** The controlling owner of the object, with which it goes. An object without a namespace comes into the owner's. */
  readonly owner?: Referable;
  /** Take fields over from other managers. Default: false: that is an ApplyConflictError. */
  readonly force?: boolean;
  /** Whose fields they are from now on. Default: `networking.fieldManager` ("lotse"). */
  readonly fieldManager?: string;
}

/** How to patch. */
export interface PatchOptions extends WriteOptions {
  /** How the server merges: "strategic" knows the lists of built-in kinds by their keys. Default: "merge" (RFC 7386). */
  readonly type?: "merge" | "strategic";
}

/** Options of a deletion. */
export interface RemoveOptions extends DeleteOptions {
  /** An object that is not there is no error. Default: false. */
  readonly ifExists?: boolean;
}

/** The scope of a watch. */
export interface WatchScope extends Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> {
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Objects of any declared kind. All calls use the operator's credentials, retries and timeouts, and reject with an ApiError
 * (with `status`, `reason` and `details`) where the server refuses.
 *
 * @example
 * ```ts
 * import { kinds, operator } from "@lotse/lotse";
 *
 * const op = operator();
 *
 * op.on.create("databases.example.com", async ({ name, namespace, signal }) => {
 *   const data = { tier: "gold" };
 *   await op.api.create(kinds.ConfigMap, { metadata: { name: `${name}-settings`, namespace }, data }, { signal });
 *   await op.api.patch(kinds.Deployment, { name, namespace }, { spec: { replicas: 3 } }, { signal });
 * });
 * ```
 */
export interface Api {
  /** Resolves to one object. An ApiError has the status 404 if it is not there. */
  get<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: PartAddress,
    options?: CallOptions,
  ): Promise<KubeObject<Spec, Status>>;
  /** Yields all objects of the kind, page after page; of one namespace or all, narrowed by selectors. */
  list<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    options?: ListOptions,
  ): AsyncIterable<KubeObject<Spec, Status>>;
  /**
   * Yields what there is (type null), then what happens, until the signal aborts.
   *
   * It survives broken streams: what vanished meanwhile is told as DELETED. It throws an ApiError where the server refuses it.
   */
  watch<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    scope: WatchScope,
  ): AsyncIterable<WatchEvent<KubeObject<Spec, Status>>>;
  /**
   * Makes the object, or brings it in line, by server-side apply, and resolves to its newest state.
   *
   * Fields that were applied earlier and are left out now go away, unless somebody else owns them. Nothing is sent where the
   * object says so already. Fields of others are an ApplyConflictError that names each with its manager and value.
   */
  apply<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: Applied<Spec, Status>,
    options?: ApplyOptions,
  ): Promise<KubeObject<Spec, Status>>;
  /** Creates an object; its `apiVersion` and `kind` are filled in. An ApiError has the status 409 if it is there. */
  create<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: NewObject<Spec, Status>,
    options?: WriteOptions,
  ): Promise<KubeObject<Spec, Status>>;
  /** Writes the whole object. An ApiError has the status 409 if its `resourceVersion` is not the newest. */
  replace<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: KubeObject<Spec, Status>,
    options?: WriteOptions & Pick<PartAddress, "subresource">,
  ): Promise<KubeObject<Spec, Status>>;
  /** Changes an object by a merge patch, or by a list of operations, and resolves to its newest state. */
  patch<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: PartAddress,
    patch: ObjectPatch<Spec, Status> | readonly JsonPatchOperation[],
    options?: PatchOptions,
  ): Promise<KubeObject<Spec, Status>>;
  /** Deletes an object. An ApiError has the status 404 if it is not there, unless `ifExists` is set. */
  delete<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: Address,
    options?: RemoveOptions,
  ): Promise<void>;
}

/** The way that calls go. */
export interface ApiSource {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Pick<Settings, "networking" | "watching">;
}

/** Returns the API of an operator. @param source Is called for each call; it throws while the operator does not run. */
export function createApi(source: () => ApiSource): Api {
  return {
    get: awaitedFrom(async (kind, address, options) => {
      const { client } = source();
      return await client.get(await resolve(client, kind), address, once(options));
    }),
    list: (kind, options) => list(source, kind, options),
    watch: (kind, scope) => watch(source, kind, scope),
    apply: awaitedFrom(async (kind, object, options = {}) => {
      const { client, settings } = source();
      const resource = await resolve(client, kind);
      const { owner, fieldManager = settings.networking.fieldManager, ...rest } = options;
      const wanted = owner === undefined ? object : ownedBy(owner, object, resource);
      return await applyObject(client, resource, {
        ...once(rest),
        fieldManager,
        object: applied(resource, wanted),
      }) as KubeObject<never, never>; // what a kind looks like is the caller's knowledge
    }),
    create: awaitedFrom(async (kind, object, options) => {
      const { client } = source();
      const resource = await resolve(client, kind);
      return await client.create(resource, typed(resource, object), once(options));
    }),
    replace: awaitedFrom(async (kind, object, options) => {
      const { client } = source();
      const resource = await resolve(client, kind);
      return await client.replace(resource, typed(resource, object), once(options));
    }),
    patch: awaitedFrom(async (kind, address, patch, options = {}) => {
      const { client } = source();
      const { type = "merge", fieldManager, dryRun, fieldValidation } = options;
      const form = { fieldManager, dryRun, fieldValidation };
      const request: PatchRequest = { ...form, type: Array.isArray(patch) ? "json" : type, body: patch };
      return await client.patch(await resolve(client, kind), address, request, once(options));
    }),
    delete: awaitedFrom(async (kind, address, options = {}) => {
      const { client } = source();
      const { ifExists = false } = options;
      try {
        await client.delete(await resolve(client, kind), address, once(options));
      } catch (error) {
        if (!ifExists || !(error instanceof ApiError) || error.status !== 404) throw error;
      }
    }),
  };
}

async function* list<Spec, Status>(
  source: () => ApiSource,
  kind: ResourceType<Spec, Status>,
  options: ListOptions = {},
): AsyncGenerator<KubeObject<Spec, Status>, void, void> {
  const { client } = source();
  const resource = await resolve(client, kind);
  for await (const page of client.list<KubeObject<Spec, Status>>(resource, once(options))) yield* page.items;
}

async function* watch<Spec, Status>(
  source: () => ApiSource,
  kind: ResourceType<Spec, Status>,
  { namespace, labelSelector, fieldSelector, signal }: WatchScope,
): AsyncGenerator<WatchEvent<KubeObject<Spec, Status>>, void, void> {
  const { client, host, logger, settings: { watching } } = source();
  const resource = await resolve(client, kind);
  const store = new ObjectStore();
  let refusal: ApiError | undefined;
  const onRefused = (error: ApiError): "stop" => {
    refusal = error;
    return "stop";
  };
  const narrowed = { namespace, labelSelector, fieldSelector, retryForbidden: false };
  const environment = { client, host, logger, settings: watching, signal, onRefused };
  for await (const items of watchObjects({ ...narrowed, ...environment, resource, store })) {
    for (const item of items) {
      if (signal.aborted) return;
      for (const event of takeIn(store, item)) yield event as WatchEvent<KubeObject<Spec, Status>>; // the kind's types
    }
  }
  if (refusal !== undefined) throw refusal;
}

/** Keeps what a watch shows, and yields what is new in it. */
function* takeIn(
  store: ObjectStore,
  item: WatchItem,
): Generator<WatchEvent, void, void> {
  switch (item.type) {
    case "listing":
      return store.beginListing();
    case "event": {
      const { event } = item;
      const isGone = event.type === "DELETED";
      const { adoption } = isGone ? store.remove(event.object) : store.put(event.object);
      if (isGone || adoption === "newer") yield event;
      return;
    }
    case "synced":
      for (const { object } of store.sweep()) yield { type: "DELETED", object };
      if (item.isSetBack) { for (const { object } of store.restore()) yield { type: null, object }; }
      return;
    default:
      item satisfies never;
  }
}

/** Returns options for one attempt: what is forbidden is not tried again. */
function once<Options extends CallOptions>(options?: Options): Options & { readonly retryForbidden: false } {
  return { ...options, retryForbidden: false } as Options & { readonly retryForbidden: false };
}

async function resolve(
  { discovery }: Client,
  { options, selector }: ResourceType<unknown, unknown>,
): Promise<Resource> {
  const { group, version, plural } = options;
  const served = group === undefined ? await discovery.all() : await discovery.group(group);
  const known = served.find((each) =>
    each.plural === plural && each.version === version && each.group === group
  );
  const [found, second] = known === undefined ? select(selector, served) : [known];
  if (found === undefined) {
    throw new TypeError(`Cannot find "${formatSelector(selector)}": the server serves no such kind`);
  }
  if (second !== undefined) {
    throw new TypeError(
      `Cannot tell which kind "${formatSelector(selector)}" is: name its group and version`,
    );
  }
  return found;
}

function typed<Content extends object>(
  { group, version, kind }: Resource,
  object: Content,
): { readonly apiVersion: string; readonly kind: string } & Content {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind, ...object };
}

function applied(resource: Resource, object: Applied<unknown, unknown>): AppliedObject {
  const { name, namespace } = object.metadata;
  const title = `${resource.kind} "${name ?? ""}"`;
  if (!name) throw new TypeError(`Cannot apply ${title}: its name is missing`);
  if (resource.namespaced && !namespace) {
    throw new TypeError(`Cannot apply ${title}: its namespace is missing`);
  }
  return typed(resource, object);
}

function ownedBy(
  owner: Referable,
  object: Applied<unknown, unknown>,
  { namespaced }: Resource,
): Applied<unknown, unknown> {
  const { metadata } = object;
  const namespace = metadata.namespace ?? (namespaced ? owner.metadata?.namespace : undefined);
  const ownerReferences = [...metadata.ownerReferences ?? [], ownerReference(owner)];
  return { ...object, metadata: { ...metadata, namespace, ownerReferences } };
}
