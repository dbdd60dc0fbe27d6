/**
 * The way of one object through one reconcile, top to bottom: it is read if in doubt, raw event handlers are called, daemons
 * are matched, it is decided what the object's state calls for, handlers run, and one write puts everything on the object.
 *
 * The order is Kopf's, and each step needs the one before: raw event handlers are told whatever happens; daemons are started
 * before change handlers and stopped when deletion begins, since they live as long as the object; the finalizer goes on
 * before the first handler, since what a handler makes must not outlive its object; the write comes once, and last.
 * The handlers of `op.reconcile` come after those of changes; where the object is to be deleted, their `finalize` comes before
 * it is decided whether it may go.
 * Source: Kopf, docs/handlers, kopf/_core/reactor/processing.py.
 */

import type { ObjectEvent } from "../client/cache/object_store.ts";
import { ApiError } from "../client/errors.ts";
import type { Claim } from "../engines/daemons/daemons.ts";
import { isDeleting } from "../model/finalizers.ts";
import type { Refusal } from "../execution/pending_write.ts";
import { serverSelectorsFor } from "../settings/server_selectors.ts";
import { type Done, isAtRest, isExpected, isOverForNow } from "./at_rest.ts";
import { ChildRun } from "./child_handlers.ts";
import { carryOut } from "./change_handlers.ts";
import { decide } from "./decide.ts";
import { callEventHandlers } from "./event_handlers.ts";
import { keepPruned } from "./pruned_fields.ts";
import { isWanted, type Reconciliation, type Work } from "./reconciliation.ts";
import { ReconcileRun } from "./reconcile_handlers.ts";
import type { Result, Turn } from "./work_queue.ts";

/** Reconciles one object once. @throws What it failed with: the controller turns it into a later turn. */
export async function reconcile(r: Reconciliation, turn: Turn): Promise<Result> {
  const { state, handlers, daemons, writer } = r;
  if (state.doubt !== undefined) state.resolve(await writer.read(state, r));

  if (handlers.events.length > 0) { for (const { event } of turn.events) await callEventHandlers(r, event); }
  const byEvent = !r.patch.isEmpty;

  const last = turn.events.at(-1);
  if (last?.event.type === "DELETED") {
    await daemons.forget(state, whyGone(r, last));
    return { kind: "gone" };
  }

  // News of an object that the server said had gone: either is mistaken, so the server is asked again.
  if (state.isAbsent && state.hasNews) state.resolve(await writer.read(state, r));
  const isNews = begin(r, turn);
  if (state.isAbsent || !(isNews || byEvent || isToBeContinued(r, turn))) return { kind: "unchanged" };
  state.settledFor = undefined;

  const run = handlers.reconciles.length > 0 ? new ReconcileRun(r) : undefined;
  const children = handlers.children.length > 0 ? new ChildRun(r) : undefined;
  // Patch functions that lost a race come first: handlers are to see what they do.
  if (state.pending.hasFunctions) {
    const { records, notes } = state.pending;
    const work = { ...notes, records: () => records, delay: () => 0 };
    return await write(r, { work, run, children, byEvent, decision: undefined });
  }

  const claim = handlers.backgrounds.length > 0 ? await matchDaemons(r) : NO_CLAIM;
  // NB: what does not concern the object is not awaited: each promise counts where ten thousand objects come at once.
  if (run !== undefined && isDeleting(state.snapshot)) await run.finalize();
  const decision = decide(r, run?.claim(claim) ?? claim);
  // NB: nobody's record is to be compared with this state.
  if (decision.kind !== "handle") state.background?.signed(state.snapshot);
  const isIgnored = decision.kind === "ignore" && decision.optionalDeletes === undefined;
  const work = isIgnored ? NO_WORK : await carryOut(r, decision);
  // NB: the finalizer goes on before anything is made that must not outlive the object.
  if (run !== undefined && decision.kind !== "finalizer") await run.reconcile();
  const joined = run?.join(work) ?? work;
  if (children !== undefined) await children.run();
  const result = await write(r, { work: children?.join(joined) ?? joined, run, children, byEvent, decision });
  if (!state.hasNews && isAtRest(r, { decision, run }) && isOverForNow(result)) state.settledFor = handlers;
  return result;
}

/** Takes the newest state as the one that the reconcile goes on with. Returns whether it is another one than before. */
function begin({ state, clock, observer }: Reconciliation, { wake, events }: Turn): boolean {
  const change = state.begin(clock.monotonic());
  // NB: what our own write has made of the object is no change that observers need to be told of.
  const isOurs = wake === "write" && events.every(({ adoption }) => adoption === "same");
  if (change?.before !== undefined && !isOurs) {
    observer.adopted?.(state, { before: change.before, after: change.after });
  }
  return change !== undefined;
}

/** Whether the object is to be reconciled although it has not changed. */
function isToBeContinued({ state }: Reconciliation, { wake, failures }: Turn): boolean {
  return wake !== "event" || failures > 0 || state.isUnfinished;
}

/**
 * Where the server selects, an object that is selected no more looks like one that has gone; so it does when its resource is
 * served in another version.
 */
function whyGone(
  { state, settings, logger }: Reconciliation,
  { event, origin }: ObjectEvent,
): "FILTERS_MISMATCH" | "RESOURCE_DELETED" {
  const { labelSelector, fieldSelector } = serverSelectorsFor(settings.watching, state.resource);
  const isSelected = labelSelector !== undefined || fieldSelector !== undefined;
  const isDeleted = event.object.metadata.deletionTimestamp !== undefined;
  const hasLeft = origin === "moved" || (isSelected && !isDeleted);
  logger.debug(hasLeft ? "Object left the selector, or was deleted" : "Object has gone");
  return hasLeft ? "FILTERS_MISMATCH" : "RESOURCE_DELETED";
}

const NO_CLAIM: Claim = { isRequired: false, isPending: false };

/** Starts and stops the object's daemons and timers. Returns whether the object must wait for them. */
function matchDaemons(r: Reconciliation): Promise<Claim> {
  const { state, handlers: { backgrounds: handlers }, daemons } = r;
  return daemons.match(state, {
    handlers,
    matching: handlers.filter((handler) => isWanted(r, handler)),
    isDeleting: isDeleting(state.snapshot),
  });
}

interface Writing extends Done {
  readonly work: Work;
  /** Undefined: the kind has no handlers of children. */
  readonly children: ChildRun | undefined;
  /** Whether handlers of raw events have a part in it. */
  readonly byEvent: boolean;
}

/** Writes what the reconcile leaves behind, and says when the object's next turn is. */
async function write(r: Reconciliation, writing: Writing): Promise<Result> {
  const { work, run, children, byEvent } = writing;
  const { state, writer, patch, logger, urgent } = r;
  const { pending } = state;
  const { notes, finalizer, handled, handlers } = work;
  const author = { kind: "reconcile", byEvent, concluded: handled !== undefined } as const;
  const request = { patch, handlers, notes, finalizer, pending, author, logger, urgent };
  const written = await writer.write(state, request);
  run?.written(written);
  children?.written(written);
  switch (written.kind) {
    case "gone":
      // DELETED says the rest.
      state.markAbsent();
      return { kind: "done" };
    case "kept":
      // What has succeeded is not repeated because its write failed.
      keepRecords(r, work);
      // Functions go first in the next turn: the notes follow them, or nobody would know who has succeeded.
      if (pending.hasFunctions) pending.keepNotes({ notes, finalizer, handled });
      if (written.error instanceof ApiError && written.error.status === 409) state.distrust("conflict");
      throw written.error;
    case "dropped":
      // NB: signed without what was dropped.
      keepRecords(r, work);
      for (const end of r.succeeded) if (written.handlers.includes(end.handler)) r.succeeded.delete(end);
      if (written.handlers.length === 0) throw written.error;
      return failRefused(r, { work, refusal: ofChanges(r, written) });
    case "unchanged":
    case "written":
      if (written.kind === "written" && written.lost.length > 0) {
        // Notes wait for the functions: what others change meanwhile is no reason to call the handlers again.
        keepRecords(r, work);
        pending.keepNotes({ notes, finalizer, handled });
        state.distrust("conflict");
        return { kind: "requeue", after: 0, wake: "write" };
      }
      if (handled !== undefined) state.hasHandledCause = true;
      if (written.kind === "written" && isExpected(r, written.body, writing)) {
        keepPruned(r, NO_WORK, written);
        return settleOwnWrite(r, work);
      }
      keepPruned(r, work, written);
      // NB: the response may hold what others have changed meanwhile, whose events look old: the object's next turn is now.
      if (written.kind === "written" && state.hasNews) return { kind: "requeue", after: 0, wake: "write" };
      return nextTurn(work);
    default:
      return written satisfies never;
  }
}

const NO_WORK: Work = {};

/** Takes what our own write has made of the object as handled, too. */
function settleOwnWrite({ state, handlers }: Reconciliation, work: Work): Result {
  state.lastHandled = undefined;
  state.settle();
  const result = nextTurn(work);
  if (isOverForNow(result)) state.settledFor = handlers;
  return result;
}

/** The attempts of those handlers have failed by that: the next turn notes it. */
function failRefused(
  { state: { pending } }: Reconciliation,
  { work, refusal }: { readonly work: Work; readonly refusal: Refusal },
): Result {
  if (refusal.handlers.length === 0) return nextTurn(work);
  pending.keepRefusal(refusal);
  return { kind: "requeue", after: 0, wake: "error" };
}

/** The others know already. */
function ofChanges(
  { handlers: { children, reconciles } }: Reconciliation,
  { error, handlers }: Refusal,
): Refusal {
  const isOther = (id: string): boolean => [...children, ...reconciles].some((each) => each.id === id);
  return { error, handlers: handlers.filter((id) => !isOther(id)) };
}

function keepRecords({ state: { pending } }: Reconciliation, work: Work): void {
  const records = work.records?.();
  if (records !== undefined) pending.keepRecords(records);
}

function nextTurn({ delay }: Work): Result {
  const after = delay?.();
  return after === undefined ? { kind: "done" } : { kind: "requeue", after, wake: "retry" };
}
