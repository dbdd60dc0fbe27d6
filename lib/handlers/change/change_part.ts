/**
 * Change handlers, by cause: creation, update, deletion, resumption. The one manner that keeps its records on the object.
 *
 * Progress is loaded from the object and written back to it. When the cause is done all records are removed, and the essence that
 * the handlers of this turn saw is noted as handled: later changes are measured against it.
 * Source: Kopf, docs/handlers, docs/idempotence.
 */

import { ApiError } from "../../client/errors.ts";
import type { WriteResult } from "../../execution/object_writer.ts";
import type { Refusal } from "../../execution/pending_write.ts";
import { withoutValues } from "../../model/confidential.ts";
import { finalizersOf, hasFinalizer, isDeleting } from "../../model/finalizers.ts";
import { isEqualJson } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
import { keyOf } from "../../model/resource.ts";
import type { Seconds } from "../../runtime/host.ts";
import {
  handledEssence,
  isNoteOutdated,
  type Persistence,
  type ProgressRecord,
  storeEssence,
} from "../../settings/persistence/storage.ts";
import type { ChangeCause } from "./change_cause.ts";
import { CHANGE, type ChangeHandler } from "./change_handler.ts";
import { type Claim, type Manner, NO_CLAIM, type Part, type Sees, type Work } from "../part.ts";
import { earliest } from "../reconcile/reconcile_record.ts";
import { confidentialOf, loopingIn, type Turn } from "../turn.ts";
import { seenBy } from "../unseen.ts";
import { ChangeRun, refuseIn } from "./change_run.ts";
import { type ChangeSlot, changesOf, NO_RECORDS, type Processed } from "./change_slot.ts";
import { detectCause, type Prematch, prematch, selectChanges } from "./decide.ts";
import { isAsNotes } from "./listed.ts";
import { lastHandled, loadProgress, reportLoss, sweptNotes } from "./notes.ts";
import type { Progress, Purpose } from "./progress.ts";
import { TakenNotes } from "./taken_notes.ts";

const NOUNS: Readonly<Record<Purpose, string>> = {
  create: "Creation",
  update: "Update",
  delete: "Deletion",
  resume: "Resumption",
};

/** Handlers of causes. */
export const CHANGES: Manner<ChangeHandler> = {
  type: CHANGE,
  sees: (handlers, { diffBase, progress }: Persistence): Sees =>
    seenBy(handlers, [diffBase.statusFields?.(), progress.statusFields?.()]),
  isSettled: (state, { handlers, fields, run: { persistence, settings } }) =>
    isAsNotes(state, { handlers, fields, persistence, settings }),
  // Makes the slot before daemons begin, as it takes the changes that they write.
  part: (turn, handlers): Part => new ChangePart(turn, { handlers, slot: changesOf(turn.state) }),
};

/** The step that the object's state calls for. */
type Step =
  /** The object is left alone, or this turn is about its finalizer only. */
  | { readonly kind: "none" }
  /** The cause calls no handler. Records that an earlier change has left on the object are removed. */
  | { readonly kind: "tidy"; readonly cause: ChangeCause }
  | {
    readonly kind: "handle";
    readonly cause: ChangeCause;
    readonly purpose: Purpose;
    readonly run: ChangeRun;
    /** The progress of the resource's handlers. */
    readonly progress: Progress<ChangeHandler>;
  };

/** The handlers that a cause calls. */
interface Selected {
  readonly purpose: Purpose;
  readonly handlers: readonly ChangeHandler[];
}

const NOTHING: Step = { kind: "none" };

class ChangePart implements Part {
  readonly #turn: Turn;
  readonly #handlers: readonly ChangeHandler[];
  readonly #slot: ChangeSlot;
  /** Undefined: the turn repeats the write of an earlier turn. */
  #cause: ChangeCause | undefined;
  #prematched: readonly Prematch[] = [];
  /** The handlers that match the object by all filters but the ones on its change. */
  #relevant: readonly ChangeHandler[] = [];
  #step = NOTHING;
  #isIdle = false;
  /** The essence that the notes of this turn say is handled; undefined while the cause goes on. */
  #handled: JsonObject | undefined;
  /** The cause that ends with this turn's write. */
  #processed: Processed | undefined;
  /** Whether the object holds the note of that essence. */
  #isNoted = false;
  /** Whether the notes of an unfinished cause are put back that another writer has taken off. */
  #putsBack = false;

  constructor(
    turn: Turn,
    { handlers, slot }: { readonly handlers: readonly ChangeHandler[]; readonly slot: ChangeSlot },
  ) {
    this.#turn = turn;
    this.#handlers = handlers;
    this.#slot = slot;
  }

  /** Detects the cause, and asks the filters of all handlers, but for the ones on the change. */
  begin(): Promise<void> | undefined {
    const { state, run: { observer, hotLoops, settings, persistence } } = this.#turn;
    const last = lastHandled(this.#turn, this.#slot);
    const cause = this.#cause = detectCause(this.#turn, this.#slot, last);
    observer.decided?.(state, cause);
    this.#prematched = prematch(this.#turn, { cause, handlers: this.#handlers });
    this.#relevant = this.#prematched.filter(({ mismatch }) => mismatch === undefined).map(({ handler }) =>
      handler
    );
    if (last.taken === undefined) return undefined;
    const { times, fields, isStatus: movesKind } = last.taken;
    // The next process knows only the notes that it finds: they stand where this writer leaves them alone.
    if (movesKind) persistence.diffBase.room?.close(state.snapshot);
    const { fieldManager: own } = settings.networking;
    return hotLoops.notesTaken(loopingIn(this.#turn), { times, fields, own, movesKind });
  }

  /** Resumption repeats nothing: it is called for the known state. */
  get needsNewest(): boolean {
    const { state: { snapshot }, run: { persistence: { progress } } } = this.#turn;
    if (this.#relevant.length === 0) return false;
    const reason = this.#cause?.reason;
    const isResumed = reason === "resume" || reason === "noop" || reason === "free";
    return !isResumed || isDeleting(snapshot) || progress.ids(snapshot).length > 0;
  }

  claim(): Claim {
    if (this.#relevant.length === 0) return NO_CLAIM;
    const isRequired = this.#relevant.some(({ requiresFinalizer }) => requiresFinalizer);
    return { isRequired, isPending: !this.#isDone || this.#isKept };
  }

  /** Calls the handlers of the cause. Not async: most turns call none. */
  run(all: Claim): Promise<void> | undefined {
    const cause = this.#cause;
    if (cause === undefined) return;
    const { state: { snapshot }, run: { persistence: { finalizer } } } = this.#turn;
    const isBlocked = hasFinalizer(snapshot, finalizer);
    const isLeaving = isDeleting(snapshot) && !(all.isRequired && isBlocked);
    const isReleased = isLeaving && isBlocked;
    // The finalizer holds the object back no longer: optional deletion handlers have one call, and other handlers none.
    if (isLeaving && !this.#slot.hasRunOptionalDeletes) {
      this.#slot.hasRunOptionalDeletes = true;
      const optional = this.#relevant.filter(isOptionalDelete);
      if (optional.length > 0) {
        return this.#callOptional(optional, cause).then(() => void this.#select(cause, isReleased));
      }
    }
    const selected = this.#select(cause, isReleased);
    return selected && this.#handle(cause, selected);
  }

  /** Best effort: no retries. */
  async #callOptional(handlers: readonly ChangeHandler[], cause: ChangeCause): Promise<void> {
    const run = this.#makeRun({ ...cause, reason: "delete" }, "delete");
    for (const handler of handlers) await run.callOnce(handler);
  }

  /**
   * Returns the handlers that the cause calls; undefined: none is to be called. `isReleased`: this turn is about taking the
   * finalizer off.
   */
  #select(cause: ChangeCause, isReleased: boolean): Selected | undefined {
    if (isReleased || this.#relevant.length === 0) return undefined;
    const { run: { observer } } = this.#turn;
    const handlers = selectChanges(this.#turn, { cause, prematched: this.#prematched, observer });
    const { reason } = cause;
    if (reason !== "noop" && reason !== "free") return { purpose: reason, handlers };
    this.#step = { kind: "tidy", cause };
  }

  #makeRun(cause: ChangeCause, purpose: Purpose): ChangeRun {
    return new ChangeRun({ turn: this.#turn, slot: this.#slot, cause, purpose });
  }

  /** Not async: after a restart each object comes here, and most of them call no handler. */
  #handle(cause: ChangeCause, { purpose, handlers: selected }: Selected): Promise<void> | undefined {
    const { logger } = this.#turn;
    const progress = loadProgress(this.#turn, this.#slot, this.#handlers);
    if (!progress.isEmpty) this.#logSuperseded(cause, progress.othersThan(purpose));
    if (logger.enabled("debug")) this.#logStart(cause);
    const run = this.#makeRun(cause, purpose);
    this.#step = { kind: "handle", cause, purpose, run, progress };
    if (selected.length === 0 && progress.isEmpty) return undefined;
    return run.run(progress, selected).then(({ isIdle }) => void (this.#isIdle = isIdle));
  }

  /** Whether its handlers ran, and all of them have finished. */
  get #isDone(): boolean {
    return this.#step.kind === "handle" && this.#step.progress.isDone;
  }

  /** Whether the object stays, since handlers of its deletion have given up. */
  get #isKept(): boolean {
    if (this.#step.kind !== "handle" || this.#step.purpose !== "delete") return false;
    return this.#step.progress.failed.some(({ onFailure }) => onFailure === "keep");
  }

  /** NB: handlers of a deletion that have finished keep their records for as long as any part of the turn is pending. */
  work(all: Claim): Work | undefined {
    const step = this.#step;
    // This turn leaves no progress record that is to be compared with its state.
    if (step.kind !== "handle") this.#slot.background?.signed(this.#turn.state.snapshot);
    if (step.kind === "none") return undefined;
    const notes = sweptNotes(this.#turn);
    if (step.kind === "tidy") {
      this.#tidy(step.cause, notes);
      return { notes };
    }
    const { cause, purpose, run, progress } = step;
    const { writers } = run;
    const isKept = this.#isKept;
    if (!progress.isDone || isKept || (purpose === "delete" && all.isPending)) {
      if (isKept && progress.isDone) this.#reportKept(progress.failed);
      run.store(notes);
      if (this.#slot.taken?.isDue === true) this.#putBack(cause, notes);
      return { writers, notes };
    }
    this.#processed = { purpose, counts: progress.counts };
    this.#conclude(progress, cause, notes);
    this.#handled = cause.new;
    const { state: { snapshot } } = this.#turn;
    const goes = purpose === "delete" && finalizersOf(snapshot).length === 1;
    return { writers, notes: goes ? withoutStatus(notes) : notes, concludes: true };
  }

  written(result: WriteResult): void {
    const slot = this.#slot;
    const handled = this.#isRepeated ? slot.concluding : this.#handled;
    const processed = this.#isRepeated ? slot.processed : this.#processed;
    slot.concluding = undefined;
    slot.processed = undefined;
    switch (result.kind) {
      case "gone":
        slot.unsaved = NO_RECORDS;
        this.#sayProcessed(processed);
        return;
      case "dropped":
        return this.#refuse(result);
      case "kept":
        this.#keep();
        this.#leaveForbiddenStatus(result.error);
        // The next turn sends the patch functions first: the notes follow them, or no note would say which handlers have succeeded.
        if (this.#turn.state.pending.hasFunctions) [slot.concluding, slot.processed] = [handled, processed];
        return;
      case "unchanged":
      case "written": {
        if (result.kind === "written" && result.lost.length > 0) {
          // The notes wait for the functions. Changes by other writers meanwhile are no reason to call the handlers again.
          this.#keep();
          [slot.concluding, slot.processed] = [handled, processed];
          return;
        }
        // A state that came meanwhile is the next turn's: notes that it lacks were taken off, and not dropped by the server.
        const answer = result.kind === "written" ? result.body : this.#turn.state.snapshot;
        this.#sayProcessed(processed);
        if (handled === undefined) this.#keepPruned(answer);
        else this.#concluded(handled, answer);
      }
    }
  }

  next(): Seconds | undefined {
    const step = this.#step;
    if (step.kind === "none" || (step.kind === "tidy" && step.cause.reason !== "noop")) return undefined;
    const away = this.#slot.taken?.rest;
    if (step.kind === "tidy") return away;
    const rest = step.progress.delay(this.#turn.run.host.clock.now());
    return rest === Infinity || (this.#isIdle && rest === 0) ? away : earliest(rest, away);
  }

  /** Whether no handler matches the object, the object has not changed, or its cause is done and noted on it. */
  get atRest(): boolean {
    const step = this.#step;
    if (step.kind === "none") return true;
    return step.kind === "tidy" ? step.cause.reason === "noop" : this.#isNoted;
  }

  /** Whether the turn repeats the write of an earlier turn. */
  get #isRepeated(): boolean {
    return this.#cause === undefined;
  }

  /** Removes the records of a change that was taken back. A note of the handled essence that covers other fields is made anew. */
  #tidy(cause: ChangeCause, notes: Patch): void {
    const { state: { snapshot }, run: { persistence }, kind: { handlers: { fields } }, logger } = this.#turn;
    const progress = loadProgress(this.#turn, this.#slot, this.#handlers);
    logger.debug("Nothing to handle", { reason: cause.reason });
    if (cause.reason !== "noop") return;
    const confidential = confidentialOf(this.#turn);
    const isOutdated = isNoteOutdated(persistence, snapshot, { extraFields: fields, confidential });
    const { taken } = this.#slot;
    const isAway = taken?.rest !== undefined;
    if (isAway ? taken.isDue : !progress.isEmpty || isOutdated) {
      this.#conclude(progress, cause, notes);
      this.#handled = cause.new;
    } // After a restart each object comes here, and there may be very many.
    else if (!isAway) this.#slot.times = undefined;
  }

  /** Puts notes back that another writer has taken off, beside the records that the turn's handlers have put into the notes. */
  #putBack({ old, body }: ChangeCause, notes: Patch): void {
    const { progress } = this.#turn.run.persistence;
    for (const [id, record] of this.#records()) progress.store({ patch: notes, body, id, record });
    if (old !== undefined) this.#note(old, notes);
    this.#putsBack = true;
  }

  /** Notes that the cause is done. */
  #conclude(progress: Progress<ChangeHandler>, cause: ChangeCause, patch: Patch): void {
    progress.purge(patch);
    this.#slot.times = undefined;
    this.#note(cause.new, patch);
  }

  /** Notes that a state is handled. */
  #note(essence: JsonObject, patch: Patch): void {
    const { state: { snapshot: body }, run: { persistence }, kind: { handlers: { fields: extraFields } } } =
      this.#turn;
    storeEssence(persistence, {
      patch,
      body,
      essence,
      extraFields,
      confidential: confidentialOf(this.#turn),
      onLoss: reportLoss(this.#turn),
    });
  }

  /** The note that the cause is done is written. If the server has pruned it, it is kept in memory. */
  #concluded(handled: JsonObject, answer: KubeObject): void {
    const slot = this.#slot;
    const noted = this.#keepNoted(handled, answer);
    slot.hasHandledCause = true;
    slot.unsaved = NO_RECORDS;
    slot.recorded = undefined;
    this.#isNoted = noted !== undefined && isEqualJson(noted, handled);
  }

  /** A note of this essence is written. Returns the essence as it is noted; undefined: the note is kept in memory. */
  #keepNoted(essence: JsonObject, answer: KubeObject): JsonObject | undefined {
    const { state, run: { persistence }, kind: { handlers: { fields: extraFields } } } = this.#turn;
    const slot = this.#slot;
    // The notes of a state are read once: after a restart each object is concluded as it is.
    const noted = answer === state.snapshot && slot.noted === state.seen
      ? this.#cause?.old
      : handledEssence(persistence, answer, {
        extraFields,
        confidential: confidentialOf(this.#turn),
      });
    slot.lastHandled = noted === undefined ? essence : undefined;
    slot.noted = noted === undefined ? undefined : state.storedAs(answer);
    slot.taken?.settle();
    if (noted === undefined && this.#leavePrunedStatus(answer)) this.#takenNotes.miss();
    return noted;
  }

  get #takenNotes(): TakenNotes {
    return this.#slot.taken ??= new TakenNotes(this.#turn.run.host.clock);
  }

  /** The server has pruned a note, although the kind's definition has room for it: the next notes go elsewhere, and soon. */
  #leavePrunedStatus(answer: KubeObject): boolean {
    const { room } = this.#turn.run.persistence.diffBase;
    if (room?.isFor(answer) !== true || isDeleting(answer)) return false;
    room.decide(answer, "no");
    return true;
  }

  /** Roles made by hand may allow an operator to patch its objects, but not their status, which its handlers never wrote. */
  #leaveForbiddenStatus(error: unknown): void {
    const { state: { snapshot, resource }, run: { persistence: { diffBase: { room } } }, logger } =
      this.#turn;
    const right = error instanceof ApiError ? error.missingRight : undefined;
    const isOurs = right?.verb === "patch" && right.resource === `${resource.plural}/status`;
    if (!isOurs || room?.isFor(snapshot) !== true) return;
    room.close(snapshot);
    logger.warn(
      "Notes on objects of this kind go to annotations until the operator starts anew: it may not patch their status " +
        "(grant that, or keep notes in annotations: persistence.annotations())",
      { kind: keyOf(resource), right },
    );
  }

  /** Everything is written. Records that the server has pruned are kept in memory, for as long as the process lasts. */
  #keepPruned(answer: KubeObject): void {
    const { progress, restored } = this.#turn.run.persistence;
    const slot = this.#slot;
    const step = this.#step;
    const records = step.kind === "tidy" && slot.taken?.rest === undefined ? NO_RECORDS : this.#records();
    const pruned = [...records].filter(([id]) => progress.fetch(answer, id, { restored }) === undefined);
    slot.unsaved = pruned.length === 0 ? NO_RECORDS : new Map(pruned);
    if (pruned.length > 0) this.#leavePrunedStatus(answer);
    if (step.kind !== "handle") return;
    slot.recorded = this.#turn.state.storedAs(answer);
    if (!this.#putsBack) return;
    if (step.cause.old !== undefined) this.#keepNoted(step.cause.old, answer);
    else slot.taken?.settle();
  }

  /** Keeps the records in memory after a write that has failed, so that successful attempts are not repeated. */
  #keep(): void {
    const records = this.#records();
    this.#slot.unsaved = records.size === 0 ? NO_RECORDS : records;
  }

  /** The records of this turn's handlers, and unsaved ones of others, such as sub-handlers whose parents were not called. */
  #records(): ReadonlyMap<string, ProgressRecord> {
    const { unsaved } = this.#slot;
    if (this.#step.kind !== "handle") return unsaved;
    const records = this.#step.run.records();
    return unsaved.size === 0 ? records : new Map([...unsaved, ...records]);
  }

  /** The server has refused the write of these handlers: their records are judged anew, and noted by the next write. */
  #refuse(refusal: Refusal): void {
    const slot = this.#slot;
    const run = this.#step.kind === "handle" ? this.#step.run : undefined;
    if (run !== undefined) {
      run.refuse(refusal);
      this.#keep();
    } else {
      const progress = loadProgress(this.#turn, slot, this.#handlers);
      refuseIn(this.#turn, { progress, handlers: this.#handlers, refusal });
      slot.unsaved = new Map([...slot.unsaved, ...progress.records()]);
    }
  }

  /** Says that a cause is over whose handlers have succeeded or failed. */
  #sayProcessed(processed: Processed | undefined): void {
    if (processed === undefined) return;
    const { purpose, counts } = processed;
    if (counts.succeeded + counts.failed === 0) return;
    this.#turn.logger.info(`${NOUNS[purpose]} is processed`, { ...counts });
  }

  /** Warns once per object that it stays, and says how to let it go. */
  #reportKept(failed: readonly ChangeHandler[]): void {
    const { state, logger } = this.#turn;
    if (!state.reportOnce("kept")) return;
    logger.warn(
      "The object is kept, since handlers of its deletion have given up: change it to have them called again, or take the " +
        "finalizer off by hand to let it go",
      { handlers: failed.map(({ id }) => id) },
    );
  }

  #logSuperseded(cause: ChangeCause, others: Progress<ChangeHandler>["counts"]): void {
    if (others.succeeded + others.failed + others.unfinished === 0) return;
    this.#turn.logger.info("An earlier cause is superseded", { reason: cause.reason, ...others });
  }

  #logStart({ reason, diff, old }: ChangeCause): void {
    const { logger } = this.#turn;
    logger.debug("Handling", { reason });
    if (diff.length === 0 || old === undefined) return;
    logger.debug("Essence differs", { diff: withoutValues(diff, confidentialOf(this.#turn)) });
  }
}

/** The object goes with this write: annotations go out with the finalizer, and the status would be a request of its own. */
function withoutStatus(notes: Patch): Patch {
  const { status: _, ...rest } = notes.toMergePatch();
  return new Patch(rest);
}

function isOptionalDelete({ reason, requiresFinalizer }: ChangeHandler): boolean {
  return reason === "delete" && !requiresFinalizer;
}
