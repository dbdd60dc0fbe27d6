/**
 * The handlers of `op.reconcile`: called with the newest object when they were woken. While the object is being deleted, their
 * `finalize` is called instead.
 *
 * They take part in the turns of their object, after its change handlers, and share one write with them: so one object is
 * never reconciled twice at once, and all reasons that come meanwhile are one more call. The reasons that have woken a handler,
 * and the time of its next call, are in the object's records, in memory: no note is needed. Compare controller-runtime's and
 * kube-rs' reconcilers.
 */

import type { ObjectState } from "../../execution/object_state.ts";
import type { WriteResult } from "../../execution/object_writer.ts";
import { finalizersOf, hasFinalizer, isDeleting } from "../../model/finalizers.ts";
import { isEqualJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Random, Seconds } from "../../runtime/host.ts";
import { terseLogger } from "../../runtime/logging.ts";
import { currentEssence, type Persistence } from "../../settings/persistence/storage.ts";
import { type Caller, callHandler, contextOf, type Sort } from "../call.ts";
import type { HandlerType } from "../handler_type.ts";
import { type Claim, type Manner, NO_CLAIM, type Part, type Sees, type Work } from "../part.ts";
import { refused } from "../retry.ts";
import { callerOf, causeOf, checkTerm, isInterrupted, isWanted, type Turn } from "../turn.ts";
import { seenBy } from "../unseen.ts";
import type { Concurrency } from "./concurrency.ts";
import { PredicateArgs, ReconcileArgs } from "./reconcile_args.ts";
import { RECONCILE, type ReconcileHandler, requeueOf } from "./reconcile_handler.ts";
import { earliest, type ReconcileReason, type ReconcileRecord, RECONCILES } from "./reconcile_record.ts";

const SORT: Sort = { noun: "Handler", errors: "temporary" };

/** By how much the time of a resync varies. */
const RESYNC_JITTER = 0.1;

/** The steps in which it varies, as a share of it: 36 s of ten hours. */
const RESYNC_STEP = 0.001;

/** Handlers of `op.reconcile`. */
export class ReconcileManner implements Manner<ReconcileHandler> {
  readonly type: HandlerType<ReconcileHandler> = RECONCILE;
  readonly #concurrency: Concurrency;

  constructor(concurrency: Concurrency) {
    this.#concurrency = concurrency;
  }

  /** Predicates are asked only about changes that count anyway. */
  sees(handlers: readonly ReconcileHandler[], { diffBase, progress }: Persistence): Sees {
    return seenBy(handlers, [diffBase.statusFields?.(), progress.statusFields?.()]);
  }

  part(turn: Turn, handlers: readonly ReconcileHandler[]): Part {
    return new ReconcilePart(turn, { handlers, concurrency: this.#concurrency });
  }

  turnEnded(state: ObjectState): void {
    this.#concurrency.turnEnds(state);
  }

  forget(state: ObjectState): void {
    this.#concurrency.forget(state);
  }
}

class ReconcilePart implements Part {
  readonly #turn: Turn;
  readonly #concurrency: Concurrency;
  /** All handlers of the kind. */
  readonly #all: readonly ReconcileHandler[];
  #handlers: readonly ReconcileHandler[];
  /** The handlers for which there was no place: the object is woken when there is one. */
  #waiting: Set<ReconcileHandler> | undefined;
  #writers: string[] | undefined;

  constructor(
    turn: Turn,
    { handlers, concurrency }: {
      readonly handlers: readonly ReconcileHandler[];
      readonly concurrency: Concurrency;
    },
  ) {
    this.#turn = turn;
    this.#concurrency = concurrency;
    this.#all = this.#handlers = handlers;
  }

  /** Asks filters. The record of a handler that does not match the object any more loses its plans and reasons. */
  begin(): undefined {
    const { state } = this.#turn;
    this.#handlers = this.#handlers.filter((handler) => {
      if (isWanted(this.#turn, handler)) return true;
      const record = state.knownSlotOf(RECONCILES, handler.id);
      if (record === undefined) return false;
      record.forgetPlans();
      record.seen = undefined;
      return false;
    });
    if (isDeleting(state.snapshot)) this.#handlers.forEach((handler) => this.#beginFinalizing(handler));
  }

  claim(): Claim {
    const finalizing = this.#handlers.filter(({ finalize }) => finalize !== undefined);
    if (finalizing.length === 0) return NO_CLAIM;
    const isPending = finalizing.some(({ id }) => !this.#recordOf(id).hasFinalized);
    return { isRequired: true, isPending };
  }

  /** Calls the handlers that were woken and are due. Not async: most turns of a change call none. */
  run(): Promise<void> | undefined {
    const { state } = this.#turn;
    const now = this.#now;
    const isLeaving = isDeleting(state.snapshot);
    let due: ReconcileHandler[] | undefined;
    for (const handler of this.#handlers) {
      const record = this.#recordOf(handler.id);
      if (!isLeaving) this.#wakeIfChanged(handler, record);
      record.wakeIfDue(now);
      if (this.#turn.isHurried) record.wake({ kind: "trigger", reason: "reconcile-now" }, now);
      if (this.#mayBeCalled(handler, record) && record.isDue(now, handler)) (due ??= []).push(handler);
    }
    return due && this.#run(due);
  }

  async #run(due: readonly ReconcileHandler[]): Promise<void> {
    for (const handler of due) {
      checkTerm(this.#turn);
      const place = this.#concurrency.enter(handler, this.#turn.state);
      if (place === undefined) (this.#waiting ??= new Set()).add(handler);
      else await this.#call(handler, place);
    }
  }

  work(): Work | undefined {
    return this.#writers && { writers: this.#writers };
  }

  written(result: WriteResult): void {
    if (result.kind === "kept" || (result.kind === "written" && result.lost.length > 0)) return;
    for (const handler of this.#all) {
      const record = this.#turn.state.knownSlotOf(RECONCILES, handler.id);
      if (record === undefined) continue;
      if (result.kind === "dropped" && result.handlers.includes(handler.id)) {
        this.#refuse(handler, record, result.error);
      } else record.decide();
    }
  }

  next(): Seconds | undefined {
    let next: Seconds | undefined;
    for (const handler of this.#handlers) {
      const record = this.#recordOf(handler.id);
      if (this.#waiting?.has(handler) === true || !this.#mayBeCalled(handler, record)) continue;
      next = earliest(next, record.nextTurn(handler));
    }
    return next === undefined ? undefined : Math.max(0, next - this.#now);
  }

  /** Whether all handlers have seen the object as it is, and none was woken since. */
  get atRest(): boolean {
    const { state } = this.#turn;
    return this.#handlers.every(({ id }) => {
      const { isWoken, isRunning, retry, seen } = this.#recordOf(id);
      return !isWoken && !isRunning && retry.attempts === 0 && seen === state.seen;
    });
  }

  #refuse(handler: ReconcileHandler, record: ReconcileRecord, error: Error): void {
    const context = contextOf(this.#callerOf(handler), SORT);
    const now = this.#now;
    record.hasFinalized = false;
    record.refuse((row) => refused(row, handler, { error, context, now }));
  }

  /** While an object is being deleted only `finalize` is called, and only while the finalizer holds the object for it. */
  #mayBeCalled({ finalize }: ReconcileHandler, { hasFinalized }: ReconcileRecord): boolean {
    const { state: { snapshot }, run: { persistence: { finalizer } } } = this.#turn;
    if (!isDeleting(snapshot)) return true;
    return finalize !== undefined && !hasFinalized && hasFinalizer(snapshot, finalizer);
  }

  #beginFinalizing({ id, finalize }: ReconcileHandler): void {
    const record = this.#recordOf(id);
    if (record.isFinalizing) return;
    record.beginFinalizing();
    if (finalize !== undefined) record.wake({ kind: "delete" }, this.#now);
  }

  /** Wakes the handler if the object has changed since it was called. */
  #wakeIfChanged(handler: ReconcileHandler, record: ReconcileRecord): void {
    const { state } = this.#turn;
    const { seen } = record;
    if (seen === state.seen) return;
    if (seen === undefined) {
      const isOld = state.firstSeen === "listing";
      record.wake({ kind: record.wasCalled ? "change" : isOld ? "start" : "create" }, this.#now);
    } else if (matters(this.#turn, handler, seen.object)) {
      record.wake({ kind: "change" }, this.#now);
    } else {
      record.seen = state.seen;
    }
  }

  async #call(handler: ReconcileHandler, place: Disposable): Promise<void> {
    const { state, logger, patch, run: { host: { random } } } = this.#turn;
    const record = this.#recordOf(handler.id);
    const isFinal = isDeleting(state.snapshot);
    const before = record.seen;
    const reasons = record.begin(this.#now, handler);
    record.seen = state.seen;
    if (logger.enabled("debug")) {
      logger.debug(isFinal ? "Finalizing" : "Reconciling", {
        handler: handler.id,
        reasons: namesOf(reasons),
      });
    }
    const { site, finalize = handler.fn } = handler;
    // A resync has no other reason: log lines that ten thousand objects are as they were would be no news.
    const isQuiet = reasons.every(({ kind }) => kind === "resync");
    const caller = this.#callerOf(handler, isQuiet ? terseLogger(logger) : logger);
    const { outcome, retry, wrote } = await callHandler(caller, handler, {
      sort: SORT,
      retry: record.retry,
      fn: this.#guarded({ fn: isFinal ? finalize : handler.fn, site }, record, place),
      patch,
      args: (attempt) => new ReconcileArgs(causeOf(this.#turn), { attempt, reasons }),
    });
    // A function that waits stands still, and never returns.
    if (outcome.kind === "children") record.isRunning = false;
    if (!record.isRunning) place[Symbol.dispose]();
    else if (state.reportOnce(`late ${handler.id}`)) {
      logger.warn("The handler still runs after its timeout: it is not called again before it has ended", {
        handler: handler.id,
      });
    }
    if (wrote) (this.#writers ??= []).push(handler.id);
    // A failure while the operator stops, or after the end of the term, does not count: the handler is called again.
    if (isInterrupted(this.#turn) && outcome.kind !== "success") return record.interrupt(before, this.#now);
    const now = this.#now;
    record.end(retry, outcome, now);
    // As in all manners: a handler that fails for good has finished, and does not hold the object back.
    const hasFinished = outcome.kind === "failure" ||
      (outcome.kind === "success" && outcome.result === undefined);
    record.hasFinalized = isFinal && hasFinished;
    record.resyncAt(nextResync(handler, now, random));
  }

  #callerOf({ backoff: defaultBackoff }: ReconcileHandler, logger = this.#turn.logger): Caller {
    return { ...callerOf(this.#turn), defaultBackoff, logger };
  }

  /** A function that goes on after its timeout keeps its place, and is not called a second time meanwhile. */
  #guarded(
    { fn, site }: Pick<ReconcileHandler, "fn" | "site">,
    record: ReconcileRecord,
    place: Disposable,
  ): (args: never) => Promise<Seconds | undefined> {
    const { state, run: { wake } } = this.#turn;
    // Stack traces in the log are cut off below the function with this name.
    return async function invokeHandler(args) {
      record.isRunning = true;
      try {
        return requeueOf(await fn(args), site);
      } finally {
        record.isRunning = false;
        place[Symbol.dispose]();
        if (record.isWoken || record.isPlanned) wake(state);
      }
    };
  }

  #recordOf(handler: string): ReconcileRecord {
    return this.#turn.state.slotOf(RECONCILES, handler);
  }

  get #now(): Seconds {
    return this.#turn.run.host.clock.monotonic();
  }
}

/**
 * Returns the time of the next resync. It is rounded up to a step, so that one timer rings for many objects: a turn costs half as
 * much where others come at the same time.
 */
function nextResync({ resync }: ReconcileHandler, now: Seconds, random: Random): Seconds | undefined {
  if (!Number.isFinite(resync)) return undefined;
  const step = resync * RESYNC_STEP;
  const at = now + resync * (1 + RESYNC_JITTER * (2 * random.next() - 1));
  return step > 0 ? Math.ceil(at / step) * step : at;
}

/** Whether the object's essence or foreign metadata has changed, and the predicate lets the change through, or throws. */
function matters(turn: Turn, handler: ReconcileHandler, before: KubeObject): boolean {
  const {
    state: { snapshot: after },
    kind: { handlers: { fields: extraFields } },
    run: { persistence },
    logger,
  } = turn;
  const essenceOf = (body: KubeObject): unknown => currentEssence(persistence, body, { extraFields });
  const hasChanged =
    !isEqualJson(foreignMetadataOf(before, persistence), foreignMetadataOf(after, persistence)) ||
    !isEqualJson(essenceOf(before), essenceOf(after));
  if (!hasChanged || handler.predicate === undefined) return hasChanged;
  try {
    // The types of `op.reconcile` have made sure that it takes these arguments.
    return handler.predicate(new PredicateArgs(causeOf(turn), before) as never);
  } catch (error) {
    if (turn.state.reportOnce(`predicate ${handler.id}`)) {
      logger.error("Predicate failed: the change counts as one that matters", { handler: handler.id, error });
    }
    return true;
  }
}

/** Returns the metadata that no essence holds, and that are not the operator's own. */
function foreignMetadataOf(body: KubeObject, { finalizer }: Persistence): unknown {
  const { deletionTimestamp, ownerReferences } = body.metadata ?? {};
  return [deletionTimestamp, ownerReferences, finalizersOf(body).filter((each) => each !== finalizer)];
}

/** Returns short names of reasons, for the log. */
function namesOf(reasons: readonly ReconcileReason[]): readonly string[] {
  return reasons.map((reason) => {
    if ("object" in reason) {
      const { kind = "", metadata } = reason.object;
      return `${reason.kind} ${kind}/${metadata?.name ?? ""}`;
    }
    return reason.kind === "trigger" && reason.reason !== undefined
      ? `trigger: ${reason.reason}`
      : reason.kind;
  });
}
