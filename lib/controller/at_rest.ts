/**
 * Whether an object is at rest: nothing is to be done with it until something changes that somebody looks at.
 *
 * It decides nothing about handlers, and saves turns that would find nothing to do: those of events that change only what
 * nobody looks at (`unseen.ts`), and those of our own writes. Source: docs/decisions/0026-what-a-creation-costs.md.
 */

import { isDeleting } from "../model/finalizers.ts";
import { isEqualJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { handledEssence } from "../settings/persistence/storage.ts";
import type { Decision } from "./decide.ts";
import type { ReconcileRun } from "./reconcile_handlers.ts";
import type { Reconciliation, Work } from "./reconciliation.ts";
import { isAsNoted, looksAtNotes } from "./unseen.ts";
import type { Result } from "./work_queue.ts";

/** The part of a reconcile that comes before its write. */
export interface Done {
  /** Undefined: the write of an earlier turn is repeated. */
  readonly decision: Decision | undefined;
  /** The calls of `op.reconcile` handlers; undefined: the kind has none. */
  readonly run: ReconcileRun | undefined;
}

/** Whether no handler wants anything of the object as it is. */
export function isAtRest({ state }: Reconciliation, { decision, run }: Done): boolean {
  if (isDeleting(state.snapshot) || run?.isAtRest === false) return false;
  switch (decision?.kind) {
    case "ignore":
      return true;
    case "tidy":
      return decision.cause.reason === "noop";
    case "handle":
      // A resumption that is done, and that has changed nothing.
      return state.hasHandledCause && decision.purpose === "resume" && decision.cause.diff.length === 0;
    default:
      return false;
  }
}

/** Whether nothing is to be done with the object but what the time brings. */
export function isOverForNow(result: Result): boolean {
  return result.kind === "done" || (result.kind === "requeue" && result.wake === "retry" && result.after > 0);
}

/**
 * Whether what our own write has made of the object calls for nothing more, so that it needs no turn to find that out: the
 * cause is handled to its end, and the object is as it was when that was decided, with our notes on it.
 */
export function isExpected(
  r: Reconciliation,
  answer: KubeObject,
  done: Done & { readonly work: Work },
): boolean {
  const { state, handlers, seen, persistence, confidential } = r;
  const { work: { notes, handled, finalizer }, decision, run } = done;
  if (decision === undefined || finalizer !== undefined || isDeleting(answer)) {
    return false;
  }
  if (handled === undefined && !isAtRest(r, done)) return false;
  const { body } = state;
  if (
    body.metadata.resourceVersion !== answer.metadata.resourceVersion || !state.pending.isEmpty ||
    run?.isAtRest === false
  ) return false;
  const members = seen.of(handlers);
  if (members === undefined || (notes?.isEmpty === false && looksAtNotes(handlers))) return false;
  if (!isAsNoted({ before: state.snapshot, notes, answer: body }, members)) return false;
  // NB: there may have been no room for the note.
  const { fields: extraFields } = handlers;
  return handled === undefined ||
    isEqualJson(handledEssence(persistence, body, { extraFields, confidential }), handled);
}
