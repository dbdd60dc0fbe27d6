/**
 * Why an object is looked at: the reason is read off the object itself, not off the event.
 *
 * Source: scenarios A97–A123 (the decision table).
 */

import type { Diff } from "../../model/diff.ts";
import { hasFinalizer, isDeleting } from "../../model/finalizers.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { ObjectCause } from "../object_args.ts";

/** create, update, delete, resume: handlers may be called. noop: no change. free: being deleted, and not held by us. */
export type Reason = "create" | "update" | "delete" | "resume" | "noop" | "free";

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
