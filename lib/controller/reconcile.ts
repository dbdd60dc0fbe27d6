/**
 * The way of one object through one turn, top to bottom: it is read if in doubt, raw events are told, parts find out which
 * handlers the object's state calls for, handlers run, and one write puts everything on the object.
 *
 * It goes through the parts of a turn (`part.ts`), and names no manner of handlers. The finalizer is the loop's own: it goes on
 * before the first handler, since resources that a handler makes must not outlive its object, and comes off when no part both
 * requires it and is pending. The write comes once, and last. Source: Kopf, docs/handlers, kopf/_core/reactor/processing.py.
 */

import type { ObjectEvent } from "../client/cache/object_store.ts";
import { ApiError } from "../client/errors.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { WriteResult } from "../execution/object_writer.ts";
import { earliest } from "../handlers/reconcile/reconcile_record.ts";
import type { PauseWords } from "../engines/pauses.ts";
import { tellOfDropped } from "../execution/refused_write.ts";
import type { FinalizerChange } from "../execution/write_requests.ts";
import { hasFinalizer, isDeleting } from "../model/finalizers.ts";
import type { KubeObject } from "../model/object.ts";
import { joinPatches, Patch } from "../model/patch.ts";
import type { Pause } from "../model/pause.ts";
import { objectReference } from "../model/references.ts";
import { keyOf } from "../model/resource.ts";
import type { Seconds } from "../runtime/host.ts";
import { serverSelectorsFor } from "../settings/server_selectors.ts";
import { type Claim, NO_CLAIM, type Part, type WhyGone, type Work } from "../handlers/part.ts";
import { reportPruned } from "./pruned_fields.ts";
import { decideSuccesses, type Kind, type Turn } from "../handlers/turn.ts";
import { differsUnseen, isAsNoted } from "../handlers/unseen.ts";
import type { Result, Turn as Occasion } from "./work_queue.ts";

/** How long an object may hang on our finalizer, which another operator may be about to take off, before a warning. */
const STUCK_AFTER: Seconds = 60;

/** Reconciles one object once. @throws The error that it failed with: the controller turns it into a later turn. */
export async function reconcile(turn: Turn, why: Occasion): Promise<Result> {
  const { state, parts, patch, signal, run } = turn;
  const { writer } = run;
  const reading = { urgent: turn.urgent, signal };
  if (state.doubt === "inherited") await run.inherit?.(state, reading);
  else if (state.doubt !== undefined) state.resolve(await writer.read(state, reading));

  const pause = run.pauses?.look(state, (words) => tellPause(turn, words));
  // A call that returns no promise is not awaited, here and below: each promise counts when ten thousand objects come.
  for (const { event } of pause === undefined ? why.events : []) {
    for (const part of parts) {
      const telling = part.told?.(event);
      if (telling !== undefined) await telling;
    }
  }
  const byEvent = !patch.isEmpty;

  const last = why.events.at(-1);
  if (last?.event.type === "DELETED") return await leave(turn, last);

  // News of an object that the server said had gone: either is mistaken, so the server is asked again.
  if (state.isAbsent && state.hasNews) state.resolve(await writer.read(state, reading));
  const isNews = begin(turn, why);
  if (state.isAbsent || !(isNews || byEvent || isToBeContinued(turn, why))) return { kind: "unchanged" };
  state.settledFor = undefined;

  // Patch functions that lost a race come first: handlers are to see their changes.
  if (state.pending.hasFunctions) {
    return await write(turn, { writers: [], ...state.pending.notes, byEvent, isRepeated: true });
  }

  if (pause !== undefined) return await restUntil(turn, pause);
  for (const part of parts) {
    const beginning = part.begin?.();
    if (beginning !== undefined) await beginning;
  }
  if (state.isInherited && parts.some(({ needsNewest }) => needsNewest)) {
    state.distrust("inherited");
    return { kind: "requeue", after: 0, wake: "retry" };
  }
  const before = claimOf(parts);
  const moved = before && finalizerOfStaying(turn, before);
  if (moved === undefined) {
    for (const part of parts) {
      const running = part.run?.(before ?? NO_CLAIM);
      if (running !== undefined) await running;
    }
  }
  const after = claimOf(parts);
  const finalizer = moved ?? (after && finalizerOfLeaving(turn, after));
  const stuckAfter = after === undefined ? sayStuck(turn) : undefined;
  const work = join(parts, after ?? NO_CLAIM);
  return await write(turn, { ...work, finalizer, stuckAfter, byEvent, isRepeated: false });
}

/** People have paused the object: it has its next turn when the time is over, or the annotation changes. */
async function restUntil({ parts, run: { host: { clock } } }: Turn, { until }: Pause): Promise<Result> {
  for (const part of parts) {
    const resting = part.rest?.();
    if (resting !== undefined) await resting;
  }
  return { kind: "requeue", after: Math.max(0, (until - clock.now()) / 1000), wake: "retry" };
}

function tellPause({ state, run: { poster, settings: { posting } }, logger }: Turn, words: PauseWords): void {
  logger[words.type === "Warning" ? "warn" : "info"](words.message);
  if (posting.enabled) poster.post(objectReference(state.body), words);
}

/** Asks all manners: the kind may be served no more, and have no handlers. */
async function leave(turn: Turn, told: ObjectEvent): Promise<Result> {
  const why = whyGone(turn, told);
  for (const manner of turn.run.manners) await manner.gone?.(turn.state, why);
  return { kind: "gone" };
}

/** Takes the newest state as the one that the reconcile goes on with. Returns whether it is another one than before. */
function begin({ state, run: { host: { clock }, observer } }: Turn, { wake, events }: Occasion): boolean {
  const change = state.begin(clock.monotonic());
  // Observers are not told of a state that came from our own write.
  const isOurs = wake === "write" && events.every(({ adoption }) => adoption === "same");
  if (change?.before !== undefined && !isOurs) {
    observer.adopted?.(state, { before: change.before, after: change.after });
  }
  return change !== undefined;
}

/** Whether the object is to be reconciled although it has not changed. */
function isToBeContinued({ state }: Turn, { wake, failures }: Occasion): boolean {
  return wake !== "event" || failures > 0 || state.isUnfinished;
}

/**
 * Where the server selects, an object that is selected no more looks like one that has gone; so it does when its resource is
 * served in another version.
 */
function whyGone({ state, run: { settings }, logger }: Turn, { event, origin }: ObjectEvent): WhyGone {
  const { labelSelector, fieldSelector } = serverSelectorsFor(settings.watching, state.resource);
  const isSelected = labelSelector !== undefined || fieldSelector !== undefined;
  const isDeleted = event.object.metadata.deletionTimestamp !== undefined;
  const hasLeft = origin === "moved" || (isSelected && !isDeleted);
  logger.debug(hasLeft ? "Object left the selector, or was deleted" : "Object has gone");
  return hasLeft ? "FILTERS_MISMATCH" : "RESOURCE_DELETED";
}

/** Returns the claims of all parts in one; undefined: no part deals with the finalizer. With one claim, which is usual, none is made. */
function claimOf(parts: readonly Part[]): Claim | undefined {
  let all: Claim | undefined;
  for (const part of parts) {
    const claim = part.claim?.();
    if (claim === undefined) continue;
    all = all === undefined ? claim : {
      isRequired: all.isRequired || claim.isRequired,
      isPending: all.isPending || claim.isPending,
    };
  }
  return all;
}

/** Of an object that stays: puts the finalizer on or takes it off; undefined if it is to stay as it is. */
function finalizerOfStaying(turn: Turn, { isRequired: wanted }: Claim): FinalizerChange | undefined {
  const { state: { snapshot }, run: { persistence: { finalizer: name } }, logger } = turn;
  if (isDeleting(snapshot) || hasFinalizer(snapshot, name) === wanted) return undefined;
  logger.debug(wanted ? "Adding the finalizer" : "Removing the finalizer: nothing requires it");
  return { name, wanted };
}

/** Of an object that is to be deleted: takes the finalizer off when no part needs the object any more. */
function finalizerOfLeaving(turn: Turn, { isRequired, isPending }: Claim): FinalizerChange | undefined {
  const { state: { snapshot }, run: { persistence: { finalizer: name } }, logger } = turn;
  if (!isDeleting(snapshot) || !hasFinalizer(snapshot, name) || (isRequired && isPending)) return undefined;
  if (!isRequired) logger.debug("Removing the finalizer: nothing requires it");
  return { name, wanted: false };
}

/**
 * Finalizers of resources that are only watched are left alone: an operator that shares our prefix may need them. If no
 * operator takes our finalizer off an object that is to go, the object waits for ever (its deletion handler may have been
 * removed from the code). Deviates from Kopf, which takes the finalizer off, and so takes objects from another operator's
 * deletion handlers. Warns once per resource. Returns how long until the warning is due; undefined: none is.
 */
function sayStuck({ state, run, logger }: Turn): Seconds | undefined {
  const { persistence: { finalizer }, host: { clock } } = run;
  const { snapshot, deletingSince = clock.monotonic() } = state;
  if (!isDeleting(snapshot) || !hasFinalizer(snapshot, finalizer)) return undefined;
  const rest = STUCK_AFTER - (clock.monotonic() - deletingSince);
  if (rest > 0) return rest;
  if (!state.kind.reportOnce("stuck")) return undefined;
  logger.warn(
    "The object is to be deleted, but holds our finalizer, and no handler here takes it off: if it is not another " +
      "operator's task, declare `op.on.delete(kind, { optional: true }, () => {})`, or remove the finalizer by hand",
    { kind: keyOf(state.resource), finalizer },
  );
}

/** The work of all parts. */
interface Joined extends Work {
  readonly writers: readonly string[];
}

interface Writing extends Joined {
  readonly finalizer?: FinalizerChange;
  /** Whether handlers of raw events have a part in it. */
  readonly byEvent: boolean;
  /** How long until it is said that the object hangs on our finalizer. */
  readonly stuckAfter?: Seconds;
  /** The write of an earlier turn is repeated: no part has run. */
  readonly isRepeated: boolean;
}

const NO_WRITERS: readonly string[] = [];

function join(parts: readonly Part[], all: Claim): Joined {
  let writers = NO_WRITERS;
  let notes: Patch | undefined;
  let concludes = false;
  for (const part of parts) {
    const work = part.work?.(all);
    if (work === undefined) continue;
    writers = work.writers === undefined || writers.length === 0
      ? work.writers ?? writers
      : [...writers, ...work.writers];
    notes = notes === undefined || work.notes === undefined ? work.notes ?? notes : joined(notes, work.notes);
    concludes ||= work.concludes === true;
  }
  return { writers, notes, concludes };
}

function joined(first: Patch, second: Patch): Patch {
  return new Patch(joinPatches(first.toMergePatch(), second.toMergePatch()));
}

/** Writes the turn's patch, notes and finalizer, and says when the object's next turn is. */
async function write(turn: Turn, writing: Writing): Promise<Result> {
  const { state, parts, patch, term: permit, logger, urgent, succeeded, run: { writer } } = turn;
  const { pending } = state;
  const { writers: handlers, notes, finalizer, byEvent, concludes = false } = writing;
  const author = { kind: "reconcile", byEvent, concluded: concludes } as const;
  const written = await writer.write(state, {
    patch,
    handlers,
    notes,
    finalizer,
    pending,
    author,
    logger,
    urgent,
    permit,
  });
  if (written.kind === "dropped") {
    for (const end of succeeded) if (written.handlers.includes(end.handler)) succeeded.delete(end);
  }
  decideSuccesses(turn);
  for (const part of parts) part.written?.(written);
  if (written.kind === "dropped") tellOfDropped(written.error, logger);
  switch (written.kind) {
    case "gone":
      // DELETED says the rest.
      state.markAbsent();
      return { kind: "done" };
    case "kept":
      // Functions go first in the next turn, and the notes follow them.
      if (pending.hasFunctions) pending.keepNotes({ notes, finalizer, concludes });
      if (written.error instanceof ApiError && written.error.status === 409) state.distrust("conflict");
      throw written.error;
    case "dropped":
      if (written.handlers.length === 0) throw written.error;
      // That attempts have failed is noted by the next write, which comes at once, or a crash would forget it.
      return state.isUnfinished ? { kind: "requeue", after: 0, wake: "error" } : nextTurn(parts);
    case "unchanged":
      return rest(turn, writing, written);
    case "written":
      if (written.lost.length > 0) {
        pending.keepNotes({ notes, finalizer, concludes });
        state.distrust("conflict");
        return { kind: "requeue", after: 0, wake: "write" };
      }
      reportPruned(turn, written.outgoing, written.body);
      return rest(turn, writing, written);
    default:
      return written satisfies never;
  }
}

/**
 * Ends a turn: finds out whether the object is at rest. If it is, events that change only fields unseen by handlers begin no
 * turn, nor does the state that our own write has led to. Source: docs/decisions/0026-what-a-creation-costs.md.
 */
function rest(turn: Turn, writing: Writing, written: WriteResult): Result {
  const { state, parts, kind } = turn;
  const { isRepeated, finalizer, stuckAfter } = writing;
  const next = nextTurn(parts, isRepeated ? 0 : stuckAfter);
  const isAtRest = !isRepeated && finalizer === undefined && !isDeleting(state.body) &&
    parts.every(({ atRest }) => atRest !== false);
  if (written.kind === "written") {
    if (isAtRest && isExpected(turn, writing, written.body)) state.settle();
    // NB: the response may hold changes of others, whose events then look old: the object's next turn is now.
    if (state.hasNews) return { kind: "requeue", after: 0, wake: "write" };
  }
  if (isAtRest && !state.hasNews && isOverForNow(next)) state.settledFor = kind.handlers;
  return next;
}

/** An object that has just come is at rest without a turn: it is as its notes say. */
export function settleNew(state: ObjectState, { handlers }: Kind): void {
  state.settle();
  state.settledFor = handlers;
}

/**
 * Whether the newest state is the state that the turn began with, with our notes on it, but for fields that no handler sees.
 */
function isExpected({ state, kind: { sees } }: Turn, { notes }: Work, answer: KubeObject): boolean {
  const { body } = state;
  if (sees === undefined || state.isUnfinished) return false;
  if (body.metadata.resourceVersion !== answer.metadata.resourceVersion) return false;
  if (notes?.isEmpty === false && sees.annotations) return false;
  return isAsNoted({ before: state.snapshot, notes, answer: body }, sees.status);
}

/** Whether the object's next turn, if one is planned, comes by time alone. */
function isOverForNow(result: Result): boolean {
  return result.kind === "done" || (result.kind === "requeue" && result.wake === "retry" && result.after > 0);
}

/** `least`: in how many seconds a turn is due for another reason. */
function nextTurn(parts: readonly Part[], least?: Seconds): Result {
  let after = least;
  for (const part of parts) after = earliest(after, part.next?.());
  return after === undefined ? { kind: "done" } : { kind: "requeue", after, wake: "retry" };
}

/** Whether an event of an object at rest has changed only fields that no handler sees: it begins no turn. */
export function isUnseen(
  state: ObjectState,
  { handlers, sees }: Kind,
  { event, adoption }: ObjectEvent,
): boolean {
  if (state.settledFor !== handlers || adoption !== "newer" || event.type !== "MODIFIED") return false;
  if (state.isUnfinished || state.doubt !== undefined || state.isAbsent) return false;
  return sees !== undefined && differsUnseen(state.snapshot, state.body, sees.status);
}
