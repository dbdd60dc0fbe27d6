/**
 * Decides what an object's state calls for: the finalizer first, then handlers, then notes. It calls no handler (only their
 * filters), and writes nothing; what it decides is carried out by `change_handlers.ts`.
 *
 * The finalizer goes on before the first handler runs: what a handler makes must not outlive its object. Objects that no
 * handler could want are left alone altogether. Source: Kopf, docs/handlers, kopf/_core/reactor/processing.py.
 */

import type { Claim } from "../engines/daemons/daemons.ts";
import type { Observer } from "../execution/observer.ts";
import type { Purpose } from "../execution/progress.ts";
import type { FinalizerChange } from "../execution/write_requests.ts";
import { calculateDiff } from "../model/diff.ts";
import { hasFinalizer, isDeleting } from "../model/finalizers.ts";
import { ChangeArgs } from "../registry/args.ts";
import { type ChangeCause, detectReason } from "../registry/causes.ts";
import { findMismatch, matchesChange, type Mismatch } from "../registry/filters.ts";
import type { ChangeHandler } from "../registry/handlers.ts";
import type { Seconds } from "../runtime/host.ts";
import { currentEssence, handledEssence, type UnreadableRecord } from "../settings/persistence/storage.ts";
import { type Reconciliation, reportFailedFilter, reportUnreadable } from "./reconciliation.ts";

/** How long an object may hang on our finalizer, which another operator may be about to take off, before a warning. */
const STUCK_AFTER: Seconds = 60;

/** The step that the object's state calls for. */
export type Decision = Step & {
  /** Calls of optional deletion handlers, which come once, and before the step; undefined: it is not their time. */
  readonly optionalDeletes?: { readonly cause: ChangeCause; readonly handlers: readonly ChangeHandler[] };
};

export type Step =
  /** No handler could want it: it is left alone. */
  | { readonly kind: "ignore" }
  /** This reconcile puts the finalizer on, or takes it off, and calls nobody. */
  | { readonly kind: "finalizer"; readonly change: FinalizerChange }
  /** There is nothing to handle. What an earlier change has left on the object goes. */
  | { readonly kind: "tidy"; readonly cause: ChangeCause; readonly handlers: readonly ChangeHandler[] }
  | {
    readonly kind: "handle";
    readonly cause: ChangeCause;
    readonly purpose: Purpose;
    /** All change handlers of the resource. */
    readonly handlers: readonly ChangeHandler[];
    /** Those that this cause calls. */
    readonly selected: readonly ChangeHandler[];
    /** Whether the object stays even if all of them finish, since daemons are still stopping. */
    readonly isPending: boolean;
  }
  /** It is being deleted, and held by a finalizer of ours that no handler here takes off: that is said after a while. */
  | { readonly kind: "stuck"; readonly sayAfter: Seconds };

/** Decides what is to be done with the object as the reconcile began with it. `claim`: what daemons and timers need. */
export function decide(r: Reconciliation, claim: Claim): Decision {
  const { state, observer, persistence: { finalizer } } = r;
  const { snapshot } = state;
  const { changes: handlers, backgrounds, reconciles } = r.handlers;
  if (handlers.length === 0) {
    return backgrounds.length > 0 || reconciles.length > 0
      ? changeFinalizer(r, claim) ?? { kind: "ignore" }
      : findStuck(r);
  }
  const cause = detectCause(r);
  observer.decided?.(state, cause);
  const prematched = prematch(r, { cause, handlers });
  const relevant = prematched.filter(({ mismatch }) => mismatch === undefined).map(({ handler }) => handler);
  const isRequired = claim.isRequired || relevant.some(({ requiresFinalizer }) => requiresFinalizer);
  const isHeld = isRequired && hasFinalizer(snapshot, finalizer);
  const optionalDeletes = isDeleting(snapshot) && !isHeld && !state.hasRunOptionalDeletes
    ? { cause: { ...cause, reason: "delete" as const }, handlers: relevant.filter(isOptionalDelete) }
    : undefined;
  const step = changeFinalizer(r, { isRequired, isPending: claim.isPending || relevant.length > 0 });
  if (step !== undefined) return { ...step, optionalDeletes };
  if (relevant.length === 0) return { kind: "ignore", optionalDeletes };
  const selected = selectChanges(r, { cause, prematched, observer });
  const { reason } = cause;
  if (reason === "noop" || reason === "free") return { kind: "tidy", cause, handlers, optionalDeletes };
  const { isPending } = claim;
  return { kind: "handle", cause, purpose: reason, handlers, selected, isPending, optionalDeletes };
}

function isOptionalDelete({ reason, requiresFinalizer }: ChangeHandler): boolean {
  return reason === "delete" && !requiresFinalizer;
}

/** Puts the finalizer on, or takes it off; undefined if it is to stay as it is. */
function changeFinalizer({ state, persistence, logger }: Reconciliation, claim: Claim): Step | undefined {
  const { snapshot } = state;
  const { finalizer: name } = persistence;
  const isBlocked = hasFinalizer(snapshot, name);
  if (!isBlocked && claim.isRequired && !isDeleting(snapshot)) {
    logger.debug("Adding the finalizer");
    return { kind: "finalizer", change: { name, wanted: true } };
  }
  if (isBlocked && (!claim.isRequired || (isDeleting(snapshot) && !claim.isPending))) {
    logger.debug("Removing the finalizer: nothing requires it");
    return { kind: "finalizer", change: { name, wanted: false } };
  }
}

/**
 * Of a resource that is only watched, finalizers are left alone: an operator that shares our prefix may need them. If nobody
 * takes ours off an object that is to go, it waits for ever (its deletion handler may have been removed from the code).
 * Deviates from Kopf, which takes it off, and so another operator's deletion handlers their objects.
 */
function findStuck({ state, persistence, clock }: Reconciliation): Step {
  const { snapshot, deletingSince = clock.monotonic() } = state;
  if (!isDeleting(snapshot) || !hasFinalizer(snapshot, persistence.finalizer)) return { kind: "ignore" };
  return { kind: "stuck", sayAfter: STUCK_AFTER - (clock.monotonic() - deletingSince) };
}

function detectCause(r: Reconciliation): ChangeCause {
  const {
    state,
    persistence,
    handlers: { fields: extraFields },
    confidential,
    logger,
    indices,
    patch,
    makeChildren,
  } = r;
  const { snapshot: body, resource, memo } = state;
  const onUnreadable = (record: UnreadableRecord): void => reportUnreadable(r, record);
  const old = handledEssence(persistence, body, { extraFields, confidential, onUnreadable }) ??
    state.lastHandled;
  const current = currentEssence(persistence, body, { extraFields });
  const diff = calculateDiff(old, current);
  const { reason, initial } = detectReason({
    body,
    finalizer: persistence.finalizer,
    hasOld: old !== undefined,
    hasDiff: diff.length > 0,
    initial: state.firstSeen === "listing" && !state.hasHandledCause,
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

/** A change handler, and what its filters say of an object, but for those on what has changed. */
export interface Prematch {
  readonly handler: ChangeHandler;
  /** The criterion that does not hold; undefined: the handler could want the object as it is now. */
  readonly mismatch: Mismatch | "error" | undefined;
}

/** Asks the filters of change handlers, but for those on what has changed: whether they could ever want the object. */
export function prematch(
  r: Reconciliation,
  { cause, handlers }: { readonly cause: ChangeCause; readonly handlers: readonly ChangeHandler[] },
): readonly Prematch[] {
  const candidate = { body: cause.body, change: cause, args: () => new ChangeArgs(cause) };
  return handlers.map((handler) => {
    try {
      return { handler, mismatch: findMismatch(handler, candidate) };
    } catch (error) {
      reportFailedFilter(r, handler, error);
      return { handler, mismatch: "error" };
    }
  });
}

/** Options of {@linkcode selectChanges}. */
export interface SelectOptions {
  readonly cause: ChangeCause;
  readonly prematched: readonly Prematch[];
  /** Told of each handler, and of the criterion that does not hold, if there is one. Default: nobody is. */
  readonly observer?: Observer;
}

/** Returns the handlers that this cause calls, in order, each function once per id. */
export function selectChanges(
  r: Reconciliation,
  { cause, prematched, observer }: SelectOptions,
): readonly ChangeHandler[] {
  const selected = new Map<string, ChangeHandler>();
  for (const each of prematched) {
    const { handler, mismatch: earlier } = each;
    const { id, field } = handler;
    const against = isOfOtherReason(handler, cause) ? "reason" : selected.has(id) ? "id" : undefined;
    const mismatch = against ?? (field === undefined ? earlier : mismatchOfField(r, cause, each));
    observer?.judged?.(r.state, { handler: id, mismatch });
    if (mismatch === undefined) selected.set(id, handler);
  }
  return [...selected.values()];
}

function isOfOtherReason(handler: ChangeHandler, cause: ChangeCause): boolean {
  if (handler.reason !== undefined && handler.reason !== cause.reason) return true;
  return handler.initial && (!cause.initial || (cause.reason === "delete" && !handler.deleted));
}

/** NB: that the field has not changed is named before `when`: it can be seen on the object. */
function mismatchOfField(
  r: Reconciliation,
  cause: ChangeCause,
  { handler, mismatch }: Prematch,
): Prematch["mismatch"] | "change" {
  if (mismatch !== undefined && mismatch !== "when") return mismatch;
  try {
    const candidate = { body: cause.body, change: cause, args: () => new ChangeArgs(cause) };
    return matchesChange(handler, candidate) ? mismatch : "change";
  } catch (error) {
    reportFailedFilter(r, handler, error);
    return "error";
  }
}
