/**
 * Carries out what was decided: runs handlers of a change, some of them each time, until all have finished.
 *
 * The handlers of a resource run side by side with progress of their own, and under each of them its sub-handlers, to any
 * depth. Progress is loaded from the object and written back to it; when the cause is done all records go, and what was
 * handled becomes the state that later changes are measured against: the essence that the handlers of this reconcile saw.
 * Source: Kopf, docs/handlers, docs/idempotence.
 */

import { Contribution } from "../execution/contribution.ts";
import { type Called, callHandler, contextOf, type Sort } from "../execution/call.ts";
import { failAfterwards, Postponed } from "../execution/execute.ts";
import type { Refusal } from "../execution/pending_write.ts";
import type { ActiveHandler, Progress, Purpose } from "../execution/progress.ts";
import { FRESH } from "../execution/retry.ts";
import { withoutValues } from "../model/confidential.ts";
import { Patch } from "../model/patch.ts";
import { keyOf } from "../model/resource.ts";
import { ChangeArgs } from "../registry/args.ts";
import type { ChangeCause } from "../registry/causes.ts";
import type { ChangeHandler } from "../registry/handlers.ts";
import type { Seconds } from "../runtime/host.ts";
import { isNoteOutdated, type ProgressRecord, storeEssence } from "../settings/persistence/storage.ts";
import { type Decision, prematch, selectChanges } from "./decide.ts";
import { callerOf, loadProgress, type Reconciliation, reportLoss, type Work } from "./reconciliation.ts";
import { Signatures } from "./signatures.ts";
import { SubHandlers } from "./sub_handlers.ts";

const SORT: Sort = { noun: "Handler", errors: "temporary" };

const NOUNS: Readonly<Record<Purpose, string>> = {
  create: "Creation",
  update: "Update",
  delete: "Deletion",
  resume: "Resumption",
};

/** Carries out a decision, but for the write. */
export async function carryOut(r: Reconciliation, decision: Decision): Promise<Work> {
  if (decision.optionalDeletes !== undefined) await callOptionalDeletes(r, decision.optionalDeletes);
  switch (decision.kind) {
    case "ignore":
      return {};
    case "finalizer":
      return { finalizer: decision.change };
    case "stuck":
      return reportStuck(r, decision.sayAfter);
    case "tidy":
      return tidy(r, decision);
    case "handle":
      return await handle(r, decision);
  }
}

/** Calls optional deletion handlers once, when nothing holds the object back for them. Best effort: no retries. */
async function callOptionalDeletes(
  r: Reconciliation,
  { cause, handlers }: NonNullable<Decision["optionalDeletes"]>,
): Promise<void> {
  r.state.hasRunOptionalDeletes = true;
  const run = new ChangeRun(r, cause, "delete");
  for (const handler of handlers) await run.callOnce(handler);
}

/** Says once per resource that an object waits for ever. */
function reportStuck({ state, persistence: { finalizer }, logger }: Reconciliation, sayAfter: Seconds): Work {
  if (sayAfter > 0) return { delay: () => sayAfter };
  if (!state.kind.reportOnce("stuck")) return {};
  logger.warn(
    "The object is to be deleted, but holds our finalizer, and no handler here takes it off: if it is not another " +
      "operator's task, declare `op.on.delete(kind, { optional: true }, () => {})`, or remove the finalizer by hand",
    { kind: keyOf(state.resource), finalizer },
  );
  return {};
}

/** Removes the notes that a change has left which was taken back; notes that were made for other fields are made anew. */
function tidy(
  r: Reconciliation,
  { cause, handlers }: { readonly cause: ChangeCause; readonly handlers: readonly ChangeHandler[] },
): Work {
  const { state: { snapshot }, persistence, handlers: { fields }, confidential, logger } = r;
  const progress = loadProgress(r, handlers);
  logger.debug("Nothing to handle", { reason: cause.reason });
  const notes = sweptNotes(r);
  if (cause.reason !== "noop") return { notes };
  const isOutdated = isNoteOutdated(persistence, snapshot, { extraFields: fields, confidential });
  if (!progress.isEmpty || isOutdated) conclude(r, { cause, progress, notes });
  // NB: after a restart it is so for each object, and there may be very many.
  else r.state.times = undefined;
  return { notes };
}

async function handle(r: Reconciliation, decision: Extract<Decision, { kind: "handle" }>): Promise<Work> {
  const { cause, purpose, handlers, selected, isPending } = decision;
  const { logger, clock, persistence: { finalizer } } = r;
  const progress = loadProgress(r, handlers);
  if (!progress.isEmpty) logSuperseded(r, cause, progress.othersThan(purpose));
  if (logger.enabled("debug")) logStart(r, cause);
  const run = new ChangeRun(r, cause, purpose);
  const { isIdle } = await run.run(progress, selected);
  const notes = sweptNotes(r);
  const records = (): ReadonlyMap<string, ProgressRecord> => run.records();
  // Handlers of a deletion that have finished keep their records until the daemons have ended too.
  const isKept = purpose === "delete" && progress.failed.some(({ onFailure }) => onFailure === "keep");
  if (!progress.isDone || (purpose === "delete" && isPending) || isKept) {
    if (isKept && progress.isDone) reportKept(r, progress.failed);
    run.store(notes);
    const delay = (): Seconds | undefined => {
      const rest = progress.delay(clock.now());
      return rest === Infinity || (isIdle && rest === 0) ? undefined : rest;
    };
    return { handlers: run.writers, notes, records, delay };
  }
  if (selected.length > 0) logger.info(`${NOUNS[purpose]} is processed`, { ...progress.counts });
  conclude(r, { cause, progress, notes });
  const change = purpose === "delete" ? { name: finalizer, wanted: false } : undefined;
  return { handlers: run.writers, notes, finalizer: change, handled: cause.new, records };
}

/** Says once per object that it stays, and what to do. */
function reportKept({ state, logger }: Reconciliation, failed: readonly ChangeHandler[]): void {
  if (!state.reportOnce("kept")) return;
  logger.warn(
    "The object is kept, since handlers of its deletion have given up: change it to have them called again, or take the " +
      "finalizer off by hand to let it go",
    { handlers: failed.map(({ id }) => id) },
  );
}

function logSuperseded(
  { logger }: Reconciliation,
  cause: ChangeCause,
  others: Progress<ChangeHandler>["counts"],
): void {
  if (others.succeeded + others.failed + others.unfinished === 0) return;
  logger.info("An earlier cause is superseded", { reason: cause.reason, ...others });
}

function logStart(r: Reconciliation, cause: ChangeCause): void {
  const { logger } = r;
  logger.debug("Handling", { reason: cause.reason });
  if (cause.diff.length === 0 || cause.old === undefined) return;
  logger.debug("Essence differs", { diff: withoutValues(cause.diff, r.confidential) });
}

/** Returns notes that only take away what Kopf leaves on objects to wake itself up. */
function sweptNotes({ state, persistence }: Reconciliation): Patch {
  const notes = new Patch();
  persistence.progress.sweep(notes, state.snapshot);
  return notes;
}

interface ConcludeOptions {
  readonly cause: ChangeCause;
  readonly progress: Progress<ChangeHandler>;
  readonly notes: Patch;
}

/** Notes that the cause is done. */
function conclude(r: Reconciliation, { cause, progress, notes: patch }: ConcludeOptions): void {
  const { state: { snapshot: body }, persistence, handlers: { fields: extraFields }, confidential } = r;
  progress.purge(patch);
  r.state.times = undefined;
  storeEssence(persistence, {
    patch,
    body,
    essence: cause.new,
    extraFields,
    confidential,
    onLoss: reportLoss(r),
  });
}

/** An attempt that may run now. */
type Attempt = Omit<ActiveHandler<ChangeHandler>, "id">;

/** The handlers of one cause, in one reconcile. */
class ChangeRun {
  readonly #r: Reconciliation;
  readonly #cause: ChangeCause;
  #made: Signatures | undefined;
  readonly #purpose: Purpose;
  /** The progress of the resource's handlers, and of each handler's sub-handlers. */
  readonly #all: Progress<ChangeHandler>[] = [];
  /** The ids of handlers that ran. */
  readonly #ran = new Set<string>();
  /** The ids of those that have put something into the patch. */
  readonly #writers: string[] = [];
  #refusal: Refusal | undefined;

  constructor(r: Reconciliation, cause: ChangeCause, purpose: Purpose) {
    this.#r = r;
    this.#cause = cause;
    this.#purpose = purpose;
  }

  /** The ids of handlers that have put something into the patch. */
  get writers(): readonly string[] {
    return this.#writers;
  }

  /**
   * Makes these handlers the active ones, and runs those that may run now. "isIdle": some could, but the lifecycle picked none.
   *
   * @throws The signal's reason, if it is interrupted before anything is to be written.
   */
  async run(
    progress: Progress<ChangeHandler>,
    selected: readonly ChangeHandler[],
  ): Promise<{ readonly isIdle: boolean }> {
    const { host: { random }, clock, logger, lifecycle, patch, signal, state } = this.#r;
    const { pending } = state;
    this.#all.push(progress);
    this.#refusal = pending.takeRefusal() ?? this.#refusal;
    if (this.#refusal !== undefined) this.#failRefused(this.#refusal, { progress, selected });
    const isAsSigned = (handler: ChangeHandler, digest: string): boolean =>
      this.#signatures.isAsSigned(handler, digest);
    const carriesOver = ({ isMixedIn }: ChangeHandler): boolean => isMixedIn;
    progress.activate(selected, { purpose: this.#purpose, now: clock.now(), isAsSigned, carriesOver });
    const awake = progress.awake(clock.now());
    const { makeChildren: _, ...cause } = this.#cause;
    const picked = new Set(lifecycle()(awake, { ...cause, random }).map(({ id }) => id));
    for (const active of awake) {
      if (!picked.has(active.id)) continue;
      const descendants = new Set<string>();
      const called = await this.#call(active, descendants);
      if (called === undefined) {
        // Interrupted: what the others have done is written, if that is anything.
        if (this.#ran.size === 0 && patch.isEmpty) throw signal.reason;
        break;
      }
      this.#ran.add(active.id);
      progress.settle(active.id, called.outcome, { now: clock.now(), descendants });
      if (called.wrote) this.#writers.push(active.id);
    }
    const isIdle = awake.length > 0 && picked.size === 0;
    if (isIdle) logger.warn("The lifecycle has picked no handler: waiting for the next event");
    return { isIdle };
  }

  /** Fails the attempts of handlers whose writes of an earlier reconcile were refused. */
  #failRefused(
    { error, handlers }: Refusal,
    { progress, selected }: {
      readonly progress: Progress<ChangeHandler>;
      readonly selected: readonly ChangeHandler[];
    },
  ): void {
    const context = contextOf(callerOf(this.#r), SORT);
    progress.refuse(selected.filter(({ id }) => handlers.includes(id)), {
      now: this.#r.clock.now(),
      judge: (handler, attempts) => failAfterwards(handler, { ...context, attempts, error }),
    });
  }

  /** Runs a handler once, without keeping its progress. */
  async callOnce(handler: ChangeHandler): Promise<void> {
    await this.#call({ handler, retry: 0, started: this.#r.clock.now(), runtime: 0 }, new Set());
  }

  /** Puts all records that changed into the patch. */
  store(notes: Patch): void {
    for (const progress of this.#signed()) progress.store(notes);
  }

  /** Returns the records of all handlers, to be kept until a write of them has succeeded. */
  records(): ReadonlyMap<string, ProgressRecord> {
    return new Map(this.#signed().flatMap((progress) => [...progress.records()]));
  }

  get #signatures(): Signatures {
    return this.#made ??= new Signatures(this.#r, this.#cause, this.#purpose);
  }

  #signed(): readonly Progress<ChangeHandler>[] {
    return this.#signatures.sign(this.#all, (id) => this.#ran.has(id));
  }

  /** Undefined if it was interrupted. */
  async #call(
    { handler, retry: attempts, started: wall, runtime }: Attempt,
    descendants: Set<string>,
  ): Promise<Called | undefined> {
    const { clock, signal, patch } = this.#r;
    const children = new SubHandlers(handler, (declared) => this.#runChildren(declared, descendants));
    const contribution = new Contribution(patch);
    const fn = async (args: never): Promise<unknown> => {
      const result = await handler.fn(args);
      // NB: before others add to it, who are not to lose theirs.
      contribution.check();
      if (children.areWaiting) await children.run();
      return result;
    };
    const { field } = handler;
    const called = await callHandler(callerOf(this.#r), handler, {
      sort: SORT,
      retry: { ...FRESH, attempts, begun: { wall, monotonic: clock.monotonic() - runtime } },
      fn,
      patch,
      contribution,
      keepsResult: true,
      args: (attempt) => new ChangeArgs(this.#cause, { attempt, field, sub: () => children.sub }),
    });
    children.close();
    // What fails because we stop says nothing about the handler: it is called again by the next process.
    return signal.aborted && called.outcome.kind !== "success" ? undefined : called;
  }

  async #runChildren(children: readonly ChangeHandler[], descendants: Set<string>): Promise<void> {
    const cause = this.#cause;
    const prematched = prematch(this.#r, { cause, handlers: children });
    const selected = selectChanges(this.#r, { cause, prematched });
    const progress = loadProgress(this.#r, selected);
    const { isIdle } = await this.run(progress, selected);
    for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);
    if (progress.isDone) return;
    const delay = progress.delay(this.#r.clock.now()) ?? 0;
    throw new Postponed("Sub-handlers are unfinished", isIdle && delay === 0 ? Infinity : delay);
  }
}
