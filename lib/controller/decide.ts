/**
 * Decides what an object's state calls for: the finalizer first, then handlers, then notes.
 *
 * The finalizer goes in before the first handler runs: what a handler makes must not outlive its object. Objects that no
 * handler could want are left alone altogether. Source: Kopf, A §4.6, §4.7, §4.8; design, decision 6.
 */

import type { Claim } from "../engines/daemons/daemons.ts";
import { calculateDiff } from "../model/diff.ts";
import { hasFinalizer, isDeleting } from "../model/finalizers.ts";
import { Patch } from "../model/patch.ts";
import { keyOf } from "../model/resource.ts";
import type { Seconds } from "../runtime/host.ts";
import { currentEssence, handledEssence } from "../settings/persistence/storage.ts";
import { ChangeArgs } from "../registry/args.ts";
import { type ChangeCause, detectReason } from "../registry/causes.ts";
import { prematches, selectChanges } from "../registry/registry.ts";
import { runHandlers, sayGoodbye } from "./change_handlers.ts";
import type { Decision } from "./decision.ts";
import {
  extraFieldsOf,
  type Reconciliation,
  reportFailedFilter,
  reportUnreadable,
} from "./reconciliation.ts";

/** How long somebody else may take to let an object go before we speak of it. */
const PATIENCE: Seconds = 60;

/** Calls the handlers whose turn it is, and says what must be written. */
export async function handleChange(r: Reconciliation, claim: Claim): Promise<Decision> {
  const { state, registry, persistence } = r;
  const handlers = registry.changesOf(state.resource);
  if (handlers.length === 0) {
    const isOurs = registry.backgroundsOf(state.resource).length > 0;
    return isOurs ? decideFinalizer(r, claim) ?? {} : reportHeld(r);
  }
  const cause = detect(r);
  r.observer.caused?.(state, cause);
  const { judged } = r.observer;
  const select = {
    cause,
    args: () => new ChangeArgs(cause),
    onFailure: (handler: Parameters<typeof reportFailedFilter>[1], error: unknown) =>
      reportFailedFilter(r, handler, error),
  };
  const relevant = handlers.filter((handler) => prematches(handler, select));
  const isRequired = claim.isRequired || relevant.some(({ requiresFinalizer }) => requiresFinalizer);
  const isHeld = isRequired && hasFinalizer(state.snapshot, persistence.finalizer);
  if (isDeleting(state.snapshot) && !isHeld) await sayGoodbye(r, { ...cause, reason: "delete" }, relevant);
  const isLast = relevant.length === 0 && !claim.isPending;
  const decision = decideFinalizer(r, { isRequired, isPending: !isLast });
  if (decision !== undefined) return decision;
  if (relevant.length === 0) return {};
  const onVerdict = judged &&
    (({ id: handler }: { readonly id: string }, mismatch: string | undefined) =>
      judged(state, { handler, mismatch }));
  const selected = selectChanges(handlers, { ...select, onVerdict });
  const { isPending } = claim;
  return sweep(r, await runHandlers(r, { cause, handlers, selected, isPending }));
}

/** Puts the finalizer on, or takes it off; undefined if it is to stay as it is. */
function decideFinalizer({ state, persistence, logger }: Reconciliation, claim: Claim): Decision | undefined {
  const { snapshot: body } = state;
  const { finalizer: name } = persistence;
  const isBlocked = hasFinalizer(body, name);
  if (!isBlocked && claim.isRequired && !isDeleting(body)) {
    logger.debug("Adding the finalizer");
    return { finalizer: { name, wanted: true } };
  }
  if (isBlocked && (!claim.isRequired || (isDeleting(body) && !claim.isPending))) {
    logger.debug("Removing the finalizer: nothing requires it");
    return { finalizer: { name, wanted: false } };
  }
}

/**
 * Of a kind that is only looked at, finalizers are left alone: an operator that shares our prefix may need them. If nobody
 * takes ours off an object that is to go, it waits for ever (its deletion handler may have been removed from the code): that
 * is said once per kind. Deviates from Kopf, which takes it off, and so another operator's deletion handlers their objects.
 */
function reportHeld({ state, persistence, clock, logger }: Reconciliation): Decision {
  const { finalizer } = persistence;
  const { deletionTimestamp } = state.snapshot.metadata;
  if (!isDeleting(state.snapshot) || !hasFinalizer(state.snapshot, finalizer)) return {};
  const kind = keyOf(state.resource);
  const rest = PATIENCE - (clock.now() - Date.parse(deletionTimestamp ?? "")) / 1000;
  if (rest > 0) return { after: () => rest };
  if (!state.kind.reportOnce("held")) return {};
  logger.warn(
    "The object is to be deleted, but holds our finalizer, and no handler here takes it off: if it is not another " +
      "operator's task, declare `op.on.delete(kind, { optional: true }, () => {})`, or remove the finalizer by hand",
    { kind, finalizer },
  );
  return {};
}

/** Kopf wakes itself up by touching objects (A §6.6): what it has left there goes with whatever is written. */
function sweep({ persistence, state }: Reconciliation, decision: Decision): Decision {
  const notes = decision.notes ?? new Patch();
  persistence.progress.sweep(notes, state.snapshot);
  return { ...decision, notes };
}

function detect(r: Reconciliation): ChangeCause {
  const { state, persistence, logger, indices, patch } = r;
  const { snapshot: body, resource, memo } = state;
  const extraFields = extraFieldsOf(r.registry, r.state.resource);
  const old = handledEssence(persistence, body, { extraFields, onGarbage: reportUnreadable(r) }) ??
    state.lastHandled;
  const current = currentEssence(persistence, body, { extraFields });
  const diff = calculateDiff(old, current);
  const found = detectReason({
    body,
    finalizer: persistence.finalizer,
    hasOld: old !== undefined,
    hasDiff: diff.length > 0,
    initial: state.firstSeen === "listing" && !state.hasHandledCause,
  });
  return { ...found, resource, body, memo, old, new: current, diff, patch, logger, indices };
}
