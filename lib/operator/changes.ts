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
import { extraFieldsOf } from "./fields.ts";
import { runHandlers, sayGoodbye } from "./handling.ts";
import { complainOnce, reportGarbage } from "./outcomes.ts";
import type { Decision, Pass } from "./pass.ts";

/** How long somebody else may take to let an object go before we speak of it. */
const PATIENCE: Seconds = 60;

/** Calls the handlers whose turn it is, and says what must be written. */
export async function handleChange(pass: Pass, claim: Claim): Promise<Decision> {
  const { memory, registry, persistence } = pass;
  const handlers = registry.changesOf(memory.resource);
  if (handlers.length === 0) {
    const isOurs = registry.backgroundsOf(memory.resource).length > 0;
    return isOurs ? decideFinalizer(pass, claim) ?? {} : reportHeld(pass);
  }
  const cause = detect(pass);
  pass.observer.caused?.(memory, cause);
  const { judged } = pass.observer;
  const select = {
    cause,
    args: () => new ChangeArgs(cause),
    onFailure: (handler: Parameters<typeof complainOnce>[1], error: unknown) =>
      complainOnce(pass, handler, error),
  };
  const relevant = handlers.filter((handler) => prematches(handler, select));
  const isRequired = claim.isRequired || relevant.some(({ requiresFinalizer }) => requiresFinalizer);
  const isHeld = isRequired && hasFinalizer(memory.body, persistence.finalizer);
  if (isDeleting(memory.body) && !isHeld) await sayGoodbye(pass, { ...cause, reason: "delete" }, relevant);
  const isLast = relevant.length === 0 && !claim.isPending;
  const decision = decideFinalizer(pass, { isRequired, isPending: !isLast });
  if (decision !== undefined) return decision;
  if (relevant.length === 0) return {};
  const onVerdict = judged &&
    (({ id: handler }: { readonly id: string }, mismatch: string | undefined) =>
      judged(memory, { handler, mismatch }));
  const selected = selectChanges(handlers, { ...select, onVerdict });
  const { isPending } = claim;
  return sweep(pass, await runHandlers(pass, { cause, handlers, selected, isPending }));
}

/** Puts the finalizer on, or takes it off; undefined if it is to stay as it is. */
function decideFinalizer({ memory, persistence, logger }: Pass, claim: Claim): Decision | undefined {
  const { body } = memory;
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
function reportHeld({ memory, persistence, host, logger, kindComplaints }: Pass): Decision {
  const { finalizer } = persistence;
  const { deletionTimestamp } = memory.body.metadata;
  if (!isDeleting(memory.body) || !hasFinalizer(memory.body, finalizer)) return {};
  const kind = keyOf(memory.resource);
  const rest = PATIENCE - (host.clock.now() - Date.parse(deletionTimestamp ?? "")) / 1000;
  if (rest > 0) return { after: () => rest };
  if (kindComplaints.has(`${kind} held`)) return {};
  kindComplaints.add(`${kind} held`);
  logger.warn(
    "The object is to be deleted, but holds our finalizer, and no handler here takes it off: if it is not another " +
      "operator's task, declare `op.on.delete(kind, { optional: true }, () => {})`, or remove the finalizer by hand",
    { kind, finalizer },
  );
  return {};
}

/** Kopf wakes itself up by touching objects (A §6.6): what it has left there goes with whatever is written. */
function sweep({ persistence, memory }: Pass, decision: Decision): Decision {
  const notes = decision.notes ?? new Patch();
  persistence.progress.sweep(notes, memory.body);
  return { ...decision, notes };
}

function detect(pass: Pass): ChangeCause {
  const { memory, persistence, logger, indices, patch } = pass;
  const { body, resource, memo } = memory;
  const extraFields = extraFieldsOf(pass);
  const old = handledEssence(persistence, body, { extraFields, onGarbage: reportGarbage(pass) }) ??
    memory.handled;
  const current = currentEssence(persistence, body, { extraFields });
  const diff = calculateDiff(old, current);
  const found = detectReason({
    body,
    finalizer: persistence.finalizer,
    hasOld: old !== undefined,
    hasDiff: diff.length > 0,
    initial: memory.noticedByListing && !memory.handledOnce,
  });
  return { ...found, resource, body, memo, old, new: current, diff, patch, logger, indices };
}
