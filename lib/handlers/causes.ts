/**
 * Why an object is looked at: the reason is read off the object itself, not off the event.
 *
 * Source: scenarios A97–A123 (the decision table).
 */

import type { Diff } from "../model/diff.ts";
import { hasFinalizer, isDeleting } from "../model/finalizers.ts";
import type { JsonObject, KubeObject, WatchEvent } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import type { MakeChildren } from "../registry/children.ts";
import type { Logger } from "../runtime/logging.ts";
import type { AdmissionOperation } from "./handlers.ts";
import type { Index } from "./index/index_handle.ts";

/** create, update, delete, resume: handlers may be called. noop: no change. free: being deleted, and not held by us. */
export type Reason = "create" | "update" | "delete" | "resume" | "noop" | "free";

/** The facts common to all causes about an object. */
export interface ObjectCause {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly patch: Patch;
  readonly logger: Logger;
  readonly memo: Record<string, unknown>;
  readonly indices: Readonly<Record<string, Index>>;
  /** For handlers that live on while the object changes: its newest state, instead of `body`, in all views. */
  readonly newest?: () => KubeObject;
  /** Makes `children` for handlers of the object. Default: they have none. */
  readonly makeChildren?: MakeChildren;
}

/** A raw event. */
export interface EventCause extends ObjectCause {
  readonly event: WatchEvent;
}

/** A change, or the lack of one. */
export interface ChangeCause extends ObjectCause {
  readonly reason: Reason;
  /** Whether the object was first seen in a listing, and never handled since. */
  readonly initial: boolean;
  /** The essence that was handled last; undefined if there is none. */
  readonly old: JsonObject | undefined;
  readonly new: JsonObject;
  readonly diff: Diff;
}

/** A request that is under review, before it is carried out. */
export interface AdmissionCause extends ObjectCause {
  readonly operation: AdmissionOperation;
  readonly subresource: string | undefined;
  readonly dryrun: boolean;
  readonly warnings: string[];
  readonly userinfo: UserInfo;
  readonly headers: Readonly<Record<string, string>>;
  readonly sslpeer: Readonly<JsonObject>;
  /** The whole object as it is. */
  readonly old: KubeObject | undefined;
  /** The whole object as it is to be. */
  readonly new: KubeObject | undefined;
}

export interface DetectOptions {
  readonly body: KubeObject;
  readonly finalizer: string;
  readonly hasOld: boolean;
  readonly hasDiff: boolean;
  readonly initial: boolean;
}

/** Tells the reason, and whether resume handlers take part. */
export function detectReason(options: DetectOptions): { readonly reason: Reason; readonly initial: boolean } {
  const { body, finalizer, hasOld, hasDiff, initial } = options;
  if (isDeleting(body)) {
    return { reason: hasFinalizer(body, finalizer) ? "delete" : "free", initial };
  }
  if (!hasOld) return { reason: "create", initial: false };
  if (hasDiff) return { reason: "update", initial };
  return initial ? { reason: "resume", initial } : { reason: "noop", initial };
}

/** The user that makes a request, as the API server knows it. Source: Kubernetes API reference, UserInfo. */
export interface UserInfo {
  /** Such as "system:serviceaccount:default:robot". */
  readonly username?: string;
  /** Unique over time. */
  readonly uid?: string;
  /** Its groups. */
  readonly groups?: readonly string[];
  /** Whatever the authenticator adds. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
