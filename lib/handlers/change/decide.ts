/**
 * Detects the cause of a turn, and selects the change handlers that it calls. Calls no handler (only their filters), and leaves
 * the patch as it is.
 *
 * An object that no handler matches is left alone altogether. Source: Kopf, docs/handlers, kopf/_core/reactor/processing.py.
 */

import type { Observer } from "../../execution/observer.ts";
import { calculateDiff } from "../../model/diff.ts";
import { currentEssence } from "../../settings/persistence/storage.ts";
import { type ChangeCause, detectReason } from "./change_cause.ts";
import { findMismatch, matchesChange, type Mismatch } from "../filters.ts";
import type { ChangeHandler } from "./change_handler.ts";
import { reportFailedFilter, type Turn } from "../turn.ts";
import { ChangeArgs } from "./change_args.ts";
import type { ChangeSlot } from "./change_slot.ts";
import { type LastHandled, lastHandled } from "./notes.ts";

/** Compares the object with the essence that was handled last, and returns the cause of the turn. */
export function detectCause(
  turn: Turn,
  slot: ChangeSlot,
  { essence: old, isRestored }: LastHandled = lastHandled(turn, slot),
): ChangeCause {
  const { state, logger, patch, run: { persistence, indices, makeChildren }, kind } = turn;
  const { fields: extraFields } = kind.handlers;
  const { snapshot: body, resource, memo } = state;
  const current = currentEssence(persistence, body, { extraFields });
  const diff = calculateDiff(old, current);
  const { reason, initial } = detectReason({
    body,
    finalizer: persistence.finalizer,
    hasOld: old !== undefined,
    hasDiff: diff.length > 0,
    initial: (state.firstSeen === "listing" || isRestored) && !slot.hasHandledCause,
  });
  return {
    reason,
    initial,
    resource,
    body,
    memo,
    old,
    new: current,
    diff,
    patch,
    logger,
    indices,
    makeChildren,
  };
}

/** A change handler, and the answer of its filters about an object. Filters on the change are not asked yet. */
export interface Prematch {
  readonly handler: ChangeHandler;
  /** The criterion that does not hold, or "error" if a filter has thrown; undefined: all of them hold. */
  readonly mismatch: Mismatch | "error" | undefined;
}

/** Asks the filters of change handlers whether they match the object, but for the filters on the change. */
export function prematch(
  turn: Turn,
  { cause, handlers }: { readonly cause: ChangeCause; readonly handlers: readonly ChangeHandler[] },
): readonly Prematch[] {
  const candidate = { body: cause.body, change: cause, args: () => new ChangeArgs(cause) };
  return handlers.map((handler) => {
    try {
      return { handler, mismatch: findMismatch(handler, candidate) };
    } catch (error) {
      reportFailedFilter(turn, handler, error);
      return { handler, mismatch: "error" };
    }
  });
}

/** Options of {@linkcode selectChanges}. */
export interface SelectOptions {
  readonly cause: ChangeCause;
  readonly prematched: readonly Prematch[];
  /** Told of each handler, and of the criterion that does not hold, if there is one. Default: no observer. */
  readonly observer?: Observer;
}

/** Returns the handlers that this cause calls, in order, each function once per id. */
export function selectChanges(
  turn: Turn,
  { cause, prematched, observer }: SelectOptions,
): readonly ChangeHandler[] {
  const selected = new Map<string, ChangeHandler>();
  for (const each of prematched) {
    const { handler, mismatch: earlier } = each;
    const { id, field } = handler;
    const against = isOfOtherReason(handler, cause) ? "reason" : selected.has(id) ? "id" : undefined;
    const mismatch = against ?? (field === undefined ? earlier : mismatchOfField(turn, cause, each));
    observer?.judged?.(turn.state, { handler: id, mismatch });
    if (mismatch === undefined) selected.set(id, handler);
  }
  return [...selected.values()];
}

function isOfOtherReason(handler: ChangeHandler, cause: ChangeCause): boolean {
  if (handler.reason !== undefined && handler.reason !== cause.reason) return true;
  return handler.initial && (!cause.initial || (cause.reason === "delete" && !handler.deleted));
}

/** Names an unchanged field rather than `when`, as the reader can see the field on the object. */
function mismatchOfField(
  turn: Turn,
  cause: ChangeCause,
  { handler, mismatch }: Prematch,
): Prematch["mismatch"] | "change" {
  if (mismatch !== undefined && mismatch !== "when") return mismatch;
  try {
    const candidate = { body: cause.body, change: cause, args: () => new ChangeArgs(cause) };
    return matchesChange(handler, candidate) ? mismatch : "change";
  } catch (error) {
    reportFailedFilter(turn, handler, error);
    return "error";
  }
}
