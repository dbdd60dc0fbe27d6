/**
 * The way of one object through one reconcile, top to bottom: it is read if in doubt, raw event handlers are called, daemons
 * are matched, it is decided what the object's state calls for, handlers run, and one write puts everything on the object.
 *
 * The order is Kopf's, and each step needs the one before: raw event handlers are told whatever happens; daemons are started
 * before change handlers and stopped when deletion begins, since they live as long as the object; the finalizer goes on
 * before the first handler, since what a handler makes must not outlive its object; the write comes once, and last.
 * Source: Kopf, docs/handlers, kopf/_core/reactor/processing.py.
 */

import type { ObjectEvent } from "../client/cache/object_store.ts";
import { ApiError } from "../client/errors.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import { serverSelectorsFor } from "../settings/server_selectors.ts";
import { handleBackground } from "./background.ts";
import { handleChange } from "./decide.ts";
import type { Decision } from "./decision.ts";
import { handleEvent } from "./event_handlers.ts";
import { rememberDropped, reportDropped } from "./pruned_fields.ts";
import type { Reconciliation } from "./reconciliation.ts";
import type { Result, Turn } from "./work_queue.ts";

/** Reconciles one object once. @throws What it failed with: the controller turns it into a later turn. */
export async function reconcile(r: Reconciliation, turn: Turn): Promise<Result> {
  const { state, daemons, observer, writer, clock } = r;
  if (state.doubt !== undefined) state.resolve(await writer.read(state, r));

  for (const { event } of turn.events) await handleEvent(r, completeDeletion(event, state.body));
  const byEvent = !r.patch.isEmpty;

  const last = turn.events.at(-1);
  if (last?.event.type === "DELETED") {
    await daemons.forget(state, whyGone(r, last));
    return { kind: "gone" };
  }

  // News of an object that the server said had gone: either is mistaken, so the server is asked again.
  if (state.isAbsent && state.hasNews) state.resolve(await writer.read(state, r));
  const change = state.begin(clock.monotonic());
  if (change?.before !== undefined && !isOwnWrite(turn)) {
    observer.changed?.(state, { before: change.before, after: change.after });
  }
  const isDone = change === undefined && turn.wake === "event" && turn.failures === 0 && !byEvent &&
    !state.isUnfinished;
  if (state.isAbsent || isDone) return { kind: "unchanged" };

  // Patch functions that lost a race come first: handlers are to see what they do.
  if (state.pending.hasOnlyFunctions) return await write(r, { after: () => 0 });

  const claim = await handleBackground(r);
  const decision = await handleChange(r, claim);
  return await write(r, { ...decision, byEvent });
}

/** What our own write has made of the object is no change that observers need to be told of. */
function isOwnWrite({ wake, events }: Turn): boolean {
  return wake === "write" && events.every(({ adoption }) => adoption === "same");
}

/** A deletion that nobody saw has only a name: the last known state says more. */
function completeDeletion(event: WatchEvent, known: KubeObject): WatchEvent {
  const isPoor = event.type === "DELETED" && event.object.spec === undefined && known.spec !== undefined;
  return isPoor ? { type: "DELETED", object: known } : event;
}

/**
 * Where the server selects, an object that is selected no more looks like one that has gone; so it does when its kind is
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
  logger.debug(hasLeft ? "Object is seen no more: it has left, or has gone" : "Object has gone");
  return hasLeft ? "FILTERS_MISMATCH" : "RESOURCE_DELETED";
}

/** Writes what the reconcile leaves behind, and says when the object's next turn is. */
async function write(r: Reconciliation, decision: Decision): Promise<Result> {
  const { state, writer, patch, logger, urgent } = r;
  const { pending } = state;
  const { notes, finalizer, byEvent = false, onWritten } = decision;
  const author = { kind: "reconcile", byEvent, concluded: onWritten !== undefined } as const;
  const written = await writer.write(state, { patch, notes, finalizer, pending, author, logger, urgent });
  switch (written.kind) {
    case "gone":
      // DELETED says the rest.
      state.markAbsent();
      return { kind: "done" };
    case "kept":
    case "dropped":
      // What has succeeded is not repeated because its write failed. NB: signed without what was dropped.
      pending.records = decision.records?.() ?? pending.records;
      if (written.error instanceof ApiError && written.error.status === 409) state.distrust("conflict");
      throw written.error;
    case "unchanged":
      onWritten?.();
      rememberDropped(r, decision, state.body);
      return later(decision);
    case "written":
      onWritten?.();
      rememberDropped(r, decision, written.body);
      reportDropped(r, written.outgoing, written.body);
      if (written.lost.length > 0) state.distrust("conflict");
      // NB: the response may hold what others have changed meanwhile, and their events will look old: it is reconciled at once.
      return state.hasNews || state.doubt !== undefined
        ? { kind: "requeue", after: 0, wake: "write" }
        : later(decision);
  }
}

function later({ after }: Decision): Result {
  const delay = after?.();
  return delay === undefined ? { kind: "done" } : { kind: "requeue", after: delay, wake: "retry" };
}
