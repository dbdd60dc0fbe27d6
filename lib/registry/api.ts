/**
 * The types of `op.api`, by which handlers work with other objects than their own.
 *
 * The calls themselves are `operator/api.ts`.
 */

import type { CallOptions, DeleteOptions, ListOptions, WriteOptions } from "../client/client.ts";
import type { ExecOptions, ExecResult } from "../client/exec.ts";
import type { KubeObject, ObjectMeta, WatchEvent } from "../model/object.ts";
import type { PatchOf } from "../model/patch.ts";
import type { Referable } from "../model/references.ts";
import type { Seconds } from "../runtime/host.ts";
import type { DeepReadonly } from "./field_paths.ts";
import type { ResourceType } from "./resource.ts";
import type { ObjectOf, StanzasOf } from "./stanzas.ts";

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

/** An object as it is sent: complete, but without the fields that the server adds, such as defaults of the kind's schema. */
export type NewObject<Spec, Status, Input = unknown> =
  & DeepReadonly<Partial<KubeObject<unknown extends Input ? Spec : Input, Status>>>
  & DeepReadonly<Partial<StanzasOf<Spec>>>;

/** A merge patch of an object: objects in part, null for fields that are to be deleted, lists as a whole. */
export type ObjectPatch<Spec, Status> = DeepReadonly<PatchOf<StanzasOf<Spec>>> & {
  /** Changes to the metadata. */
  readonly metadata?: DeepReadonly<PatchOf<ObjectMeta>>;
  /** Changes to the spec. */
  readonly spec?: DeepReadonly<PatchOf<Spec>> | null;
  /** Changes to the status. Where it is a subresource, address that: `{ name, subresource: "status" }`. */
  readonly status?: DeepReadonly<PatchOf<Status>> | null;
  /** Changes to other fields that the kind has. */
  readonly [stanza: string]: unknown;
};

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
export type Applied<Spec, Status> = AppliedFields<Spec, Status> & {
  /** Its address, and the metadata that are wanted. */
  readonly metadata:
    & DeepReadonly<
      Pick<ObjectMeta, "namespace" | "labels" | "annotations" | "ownerReferences" | "finalizers">
    >
    & { readonly name: string };
};

/** The wishes for an object, without its metadata. */
export type AppliedFields<Spec, Status> = PartOf<StanzasOf<Spec>> & {
  /** In part: only the fields that are to have these values. */
  readonly spec?: PartOf<Spec>;
  /** The same. Where it is a subresource, apply it with `subresource: "status"`. */
  readonly status?: PartOf<Status>;
  /** Other fields that the kind has. */
  readonly [stanza: string]: unknown;
};

/** A value in part: lists as a whole, also the frozen lists that handlers get. */
export type PartOf<T> = T extends readonly unknown[] ? DeepReadonly<T>
  : T extends object ? { readonly [Key in keyof T]?: PartOf<T[Key]> }
  : T;

/** The object is written only if it is still this one, in this version: else an ApiError has the status 409. */
export interface Preconditions {
  /** Which of all objects that had the name. */
  readonly uid?: string;
  /** Which state of it. */
  readonly resourceVersion?: string;
}

/** How to apply. */
export interface ApplyOptions extends WriteOptions, Pick<PartAddress, "subresource"> {
  /** Leaves another object, or another state of it, as it is. Default: any. */
  readonly preconditions?: Preconditions;
  /**
   * The controlling owner of the object, with which it goes. An object without a namespace comes into the owner's; one that Kubernetes
   * does not let it own is refused.
   */
  readonly owner?: Referable;
  /**
   * Take fields over from other managers. Default: true for objects with an `owner`, as its controller has the say; else false:
   * a conflict is an ApplyConflictError.
   */
  readonly force?: boolean;
  /** The manager that owns the fields from now on. Default: `networking.fieldManager` ("lotse"). */
  readonly fieldManager?: string;
}

/** How to patch. */
export interface PatchOptions extends WriteOptions {
  /** How the server merges: "strategic" knows the lists of built-in kinds by their keys. Default: "merge" (RFC 7386). */
  readonly type?: "merge" | "strategic";
  /** Leaves another object, or another state of it, as it is. Default: any. */
  readonly preconditions?: Preconditions;
}

/** How to write a whole object. */
export interface ReplaceOptions extends WriteOptions, Pick<PartAddress, "subresource"> {
  /** Leaves another object, or another state of it, as it is. Default: the uid and version that the object itself names. */
  readonly preconditions?: Preconditions;
}

/** Options of a deletion. */
export interface RemoveOptions extends DeleteOptions {
  /** An object that is not there is no error. Default: false. */
  readonly ifExists?: boolean;
}

/** Which objects to delete, and how. */
export interface RemoveManyOptions
  extends
    Omit<DeleteOptions, "preconditions">,
    Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> {}

/** How many replicas there are, and are wanted: the subresource "scale". Source: Kubernetes API reference, Scale. */
export type Scale = KubeObject<
  { replicas?: number },
  { replicas: number; selector?: string }
>;

/** How to wait. */
export interface WaitOptions {
  /** In seconds. Default: 60. Infinity: until the signal aborts. */
  readonly timeout?: Seconds;
  /** Aborting ends the waiting with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * The state that is waited for: the type of a condition that is to be true, "Deleted", or a function. It gets undefined as long as the
 * object is not there.
 */
export type WaitCondition<Spec, Status> =
  | string
  | ((object: ObjectOf<Spec, Status> | undefined) => boolean | string);

/** Which lines of a log. */
export interface LogOptions {
  /** Which of the Pod's containers. Needed if it has several. */
  readonly container?: string;
  /** Whether to go on as more lines come. Default: false. */
  readonly follow?: boolean;
  /** The container's run before this one. Default: false. */
  readonly previous?: boolean;
  /** No older lines. In seconds. Default: all. */
  readonly sinceSeconds?: Seconds;
  /** Only so many of the last lines. Default: all. */
  readonly tailLines?: number;
  /** Each line begins with its time. Default: false. */
  readonly timestamps?: boolean;
  /** Aborting ends the log. */
  readonly signal?: AbortSignal;
}

/** How to evict. */
export interface EvictOptions
  extends Pick<DeleteOptions, "signal" | "preconditions" | "gracePeriodSeconds" | "dryRun"> {}

/** Options of a token. */
export interface TokenOptions extends Pick<CallOptions, "signal"> {
  /** The audience that is to take it. Default: the API server. */
  readonly audiences?: readonly string[];
  /** How long it is good for. In seconds. Default: 3600. */
  readonly expirationSeconds?: Seconds;
  /** The Pod or Secret that it dies with. Default: none. */
  readonly boundTo?: Referable;
}

/** A token of a ServiceAccount. */
export interface ServiceAccountToken {
  /** A secret: do not log it. */
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
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
  /** Resolves to how many replicas an object has. An ApiError has the status 404 if it is not there, or has no such part. */
  get(
    kind: ResourceType<unknown, unknown>,
    address: Address & { readonly subresource: "scale" },
    options?: CallOptions,
  ): Promise<Scale>;
  /** Resolves to one object. An ApiError has the status 404 if it is not there. */
  get<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: PartAddress,
    options?: CallOptions,
  ): Promise<ObjectOf<Spec, Status>>;
  /** Yields all objects of the kind, page after page; of one namespace or all, narrowed by selectors. */
  list<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    options?: ListOptions,
  ): AsyncIterable<ObjectOf<Spec, Status>>;
  /**
   * Yields the objects that there are (type null), then their changes, until the signal aborts.
   *
   * It survives broken streams: an object that vanished meanwhile is told as DELETED. It throws an ApiError where the server
   * refuses it.
   */
  watch<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    scope: WatchScope,
  ): AsyncIterable<WatchEvent<ObjectOf<Spec, Status>>>;
  /**
   * Makes the object, or brings it in line, by server-side apply, and resolves to its newest state.
   *
   * Fields that were applied earlier and are left out now go away, unless another manager owns them. No request is sent if the
   * object has these values already. Fields of others are an ApplyConflictError that names each with its manager and value,
   * unless the object has an `owner`: then they are taken over.
   */
  apply<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: Applied<Spec, Status>,
    options?: ApplyOptions,
  ): Promise<ObjectOf<Spec, Status>>;
  /**
   * The same for an object that belongs to another: `owner` is the object that the running handler is about, unless one is
   * given. It goes when its owner goes. Fields that the server owns (`resourceVersion`, `uid` and the like) are left out.
   */
  ensure<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: Applied<Spec, Status>,
    options?: ApplyOptions,
  ): Promise<ObjectOf<Spec, Status>>;
  /** Creates an object; its `apiVersion` and `kind` are filled in. An ApiError has the status 409 if it is there. */
  create<Spec, Status, Input>(
    kind: ResourceType<Spec, Status, Input>,
    object: NewObject<Spec, Status, Input>,
    options?: WriteOptions,
  ): Promise<ObjectOf<Spec, Status>>;
  /** Writes the whole object. An ApiError has the status 409 if its `resourceVersion` is not the newest. */
  replace<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: ObjectOf<Spec, Status>,
    options?: ReplaceOptions,
  ): Promise<ObjectOf<Spec, Status>>;
  /** Changes an object by a merge patch, or by a list of operations, and resolves to its newest state. */
  patch<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: PartAddress,
    patch: ObjectPatch<Spec, Status> | readonly JsonPatchOperation[],
    options?: PatchOptions,
  ): Promise<ObjectOf<Spec, Status>>;
  /**
   * Deletes an object: by its address; or the object itself, and none that has its name by now. An ApiError has the status 404 if
   * it is not there (409 if its name is another object's), unless `ifExists` is set.
   */
  delete<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    target: Address | Referable,
    options?: RemoveOptions,
  ): Promise<void>;
  /** Deletes all objects of the kind, of one namespace or all, narrowed by selectors. It does not wait until they have gone. */
  deleteCollection(kind: ResourceType<unknown, unknown>, options: RemoveManyOptions): Promise<void>;
  /** Sets how many replicas are wanted, and resolves to the newest state of that. */
  scale(
    kind: ResourceType<unknown, unknown>,
    address: Address,
    replicas: number,
    options?: WriteOptions,
  ): Promise<Scale>;
  /**
   * Waits, by a watch, until the object is as it should be, and resolves to it; undefined if it is not there, which "Deleted"
   * and functions may wait for.
   *
   * @throws {Error} Named "TimeoutError" if the time is over first; its message holds the last verdict of the condition.
   */
  waitFor<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: Address,
    condition: WaitCondition<Spec, Status>,
    options?: WaitOptions,
  ): Promise<ObjectOf<Spec, Status> | undefined>;
  /** Yields the lines of a Pod's log, as they come. */
  logs(pod: Address, options?: LogOptions): AsyncIterable<string>;
  /**
   * Runs a command in a container, and resolves when it has ended, with its exit code and output. It is tried once.
   *
   * @throws {ApiError} If the server refuses: 403 without the rights `get` and `create` on `pods/exec`.
   * @throws {Error} If the command cannot be started, or the connection breaks.
   */
  exec(pod: Address, command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Evicts a Pod. An ApiError has the status 429 if a disruption budget forbids it for now: that is not tried again here. */
  evict(pod: Address, options?: EvictOptions): Promise<void>;
  /** Makes a token of a ServiceAccount. */
  token(serviceAccount: Address, options?: TokenOptions): Promise<ServiceAccountToken>;
}
