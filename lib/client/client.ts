/**
 * The API server as the layers above see it: objects of any kind, and the list of kinds.
 *
 * Objects come without `metadata.managedFields`, which is often half of an object and which hardly anybody reads; the
 * server keeps its own when an object without them is written back.
 */

import type { KubeObject } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import type { Discovery } from "./discovery.ts";
import type { Projection } from "./projection.ts";
import type { Permit } from "./transport/permit.ts";
import type { Transport } from "./transport/transport.ts";

/** A kind, as far as an address needs it. */
export type Addressable = Pick<Resource, "group" | "version" | "plural" | "namespaced">;

/** Which object. */
export interface ObjectAddress {
  /** Needed for namespaced kinds. */
  readonly namespace?: string;
  readonly name: string;
  /** Such as "status" or "scale". */
  readonly subresource?: string;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborting ends the call with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Whether it goes before others where calls have to wait for each other. Default: false. */
  readonly urgent?: boolean;
}

/** The permit of a write. */
export interface Permitted {
  /** Under which it is sent. Default: the permit of the handler that runs; outside of handlers, writes need none. */
  readonly permit?: Permit;
}

export interface GetOptions extends CallOptions {
  /** Keep `metadata.managedFields`. Default: false. */
  readonly managedFields?: boolean;
}

/** The scope of a list, and its form. */
export interface ListOptions extends CallOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** As in kubectl's `-l`. */
  readonly labelSelector?: string;
  /** As in kubectl's `--field-selector`. */
  readonly fieldSelector?: string;
  /** Which shard of the objects. Source: Kubernetes 1.36, "ShardedListAndWatch" (alpha). */
  readonly shardSelector?: string;
  /** Objects per page; null: no limit. Default: 500. */
  readonly chunkSize?: number | null;
  /** The state to list; see `resourceVersionMatch`. Default: the newest. */
  readonly resourceVersion?: string;
  /** How `resourceVersion` is meant. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Which form of the objects to ask for, as an `accept` header. Default: whole ones. */
  readonly accept?: string;
  /** Keep `metadata.managedFields`. Default: false. */
  readonly managedFields?: boolean;
}

/** One page of a list. */
export interface ListPage<T = KubeObject> {
  /** Kind and apiVersion are filled in from the list. */
  readonly items: T[];
  /** The version of the whole list; a watch goes on from the last page's. */
  readonly resourceVersion: string | undefined;
  /** The token of the next page; undefined on the last one. */
  readonly continue: string | undefined;
  /** The shard that the server says it has given; undefined if it does not say. */
  readonly shard?: string;
}

/** How to write. */
export interface WriteOptions extends CallOptions {
  /** In whose name, as the server notes it in `managedFields`. Default: the user agent's. */
  readonly fieldManager?: string;
  /** The server checks and answers, but does not store. */
  readonly dryRun?: boolean;
  /** How the server treats unknown fields. Default: the server's ("Warn"). */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface CreateOptions extends WriteOptions {
  /** Default: the object's own. */
  readonly namespace?: string;
  /** For subresources that are created, such as "eviction": the name of the object above. */
  readonly name?: string;
  readonly subresource?: string;
}

export interface ReplaceOptions extends WriteOptions {
  readonly subresource?: string;
}

/** A change, in one of Kubernetes' four ways to say it. */
export interface PatchRequest {
  /** merge: RFC 7386. json: RFC 6902. strategic: Kubernetes' own, for built-in kinds. apply: server-side apply. */
  readonly type: "merge" | "json" | "strategic" | "apply";
  /** An object, or a list of operations for "json". */
  readonly body: unknown;
  /** Needed for "apply". */
  readonly fieldManager?: string;
  /** For "apply": take fields over from other managers. Default: false. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/** Options of a deletion. */
export interface DeleteOptions extends CallOptions {
  /** The object is deleted only if it is still this one, in this version. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** How owned objects are treated. Default: the kind's own. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** How long the object may take to go. Default: the kind's own. */
  readonly gracePeriodSeconds?: number;
  /** The server checks and answers, but does not delete. */
  readonly dryRun?: boolean;
}

/** Which objects to delete, and how. */
export interface DeleteCollectionOptions
  extends
    Omit<DeleteOptions, "preconditions">,
    Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> {}

/** Objects on an API server. All calls throw ApiError if the server refuses, after retries, and LoginError. */
export interface Client {
  readonly transport: Transport;
  readonly discovery: Discovery;
  /** In which form a kind's objects are remembered; undefined: whole. Objects of this client itself are always whole. */
  readonly projectionOf: (resource: Resource) => Projection | undefined;
  /** The namespace of the connection in use; "default" if it names none, or before the first request. */
  readonly defaultNamespace: string;
  get<T = KubeObject>(resource: Addressable, address: ObjectAddress, options?: GetOptions): Promise<T>;
  /** Returns page after page; the next one is asked for when it is wanted. @throws {ApiError} 410 if a token outlived its list. */
  list<T = KubeObject>(resource: Addressable, options?: ListOptions): AsyncGenerator<ListPage<T>, void, void>;
  /** Returns the object as created. @throws {TypeError} If the kind is namespaced and no namespace is named. */
  create<T = KubeObject>(
    resource: Addressable,
    object: unknown,
    options?: CreateOptions & Permitted,
  ): Promise<T>;
  /** Writes a whole object over the one with the same name. */
  replace<T = KubeObject>(
    resource: Addressable,
    object: unknown,
    options?: ReplaceOptions & Permitted,
  ): Promise<T>;
  /** Returns the object as changed: its newest state. */
  patch<T = KubeObject>(
    resource: Addressable,
    address: ObjectAddress,
    patch: PatchRequest,
    options?: CallOptions & Permitted,
  ): Promise<T>;
  /** Returns the object in its last state (when finalizers hold it) or a Status. */
  delete(
    resource: Addressable,
    address: ObjectAddress,
    options?: DeleteOptions & Permitted,
  ): Promise<unknown>;
  /** Deletes the objects that the selectors name. @throws {TypeError} If the kind is namespaced and no namespace is named. */
  deleteCollection(resource: Addressable, options: DeleteCollectionOptions): Promise<void>;
}
