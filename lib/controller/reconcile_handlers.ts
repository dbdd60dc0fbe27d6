/**
 * Calls the handlers of `op.reconcile`, with the newest object, when something has woken them.
 *
 * They take part in the turns of their object, after its change handlers, and share one write with them: so one object is
 * never reconciled twice at once, and what comes meanwhile is one more call. What has woken them, and when they are to be
 * called next, is in the object's records, in memory: no note is needed. Compare controller-runtime's and kube-rs' reconcilers.
 */

import type { Claim } from "../engines/daemons/daemons.ts";
import { type Caller, callHandler, contextOf, type Sort } from "../execution/call.ts";
import type { WriteResult } from "../execution/object_writer.ts";
import { earliest, type ReconcileReason, type ReconcileRecord } from "../execution/reconcile_record.ts";
import { refused } from "../execution/retry.ts";
import { finalizersOf, hasFinalizer, isDeleting } from "../model/finalizers.ts";
import { isEqualJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { PredicateArgs, ReconcileArgs } from "../registry/args.ts";
import { type ReconcileHandler, requeueOf } from "../registry/reconcile.ts";
import type { Random, Seconds } from "../runtime/host.ts";
import { terseLogger } from "../runtime/logging.ts";
import { currentEssence } from "../settings/persistence/storage.ts";
import { callerOf, causeOf, isWanted, type Reconciliation, type Work } from "./reconciliation.ts";

const SORT: Sort = { noun: "Handler", errors: "temporary" };

/** By how much the time of a resync varies. */
const RESYNC_JITTER = 0.1;

/** The steps in which it varies, as a share of it: 36 s of ten hours. */
const RESYNC_STEP = 0.001;

/** The handlers of one object, in one reconcile. */
export class ReconcileRun {
  readonly #r: Reconciliation;
  readonly #handlers: readonly ReconcileHandler[];
  /** Those for which there was no slot: they are woken when there is one. */
  readonly #waiting = new Set<ReconcileHandler>();
  readonly #writers: string[] = [];

  constructor(r: Reconciliation) {
    this.#r = r;
    this.#handlers = r.handlers.reconciles.filter((handler) => isConcerned(r, handler));
  }

  /** Returns the claim of these handlers on the object, joined with that of others. */
  claim(others: Claim): Claim {
    const finalizing = this.#handlers.filter(({ finalize }) => finalize !== undefined);
    if (finalizing.length === 0) return others;
    const isPending = finalizing.some(({ id }) => !this.#r.state.recordOf(id).hasFinalized);
    return { isRequired: true, isPending: others.isPending || isPending };
  }

  /** Where the object is to be deleted: calls those that let it go. To be called before it is decided whether it may. */
  async finalize(): Promise<void> {
    const { state, persistence: { finalizer } } = this.#r;
    if (!isDeleting(state.snapshot)) return;
    const isHeld = hasFinalizer(state.snapshot, finalizer);
    for (const handler of this.#handlers) {
      const record = state.recordOf(handler.id);
      if (!record.isFinalizing) {
        record.beginFinalizing();
        if (handler.finalize !== undefined) this.#wake(record, { kind: "delete" });
      }
      if (isHeld && handler.finalize !== undefined && !record.hasFinalized) await this.#callIfDue(handler);
    }
  }

  /** Calls those that something has woken, unless the object is to be deleted. */
  async reconcile(): Promise<void> {
    const { state } = this.#r;
    if (isDeleting(state.snapshot)) return;
    for (const handler of this.#handlers) {
      this.#wakeIfChanged(handler);
      await this.#callIfDue(handler);
    }
  }

  /** Whether all of them have seen the object as it is, and nothing has woken them since. */
  get isAtRest(): boolean {
    const { state } = this.#r;
    return this.#handlers.every(({ id }) => {
      const { isWoken, isRunning, retry, seen } = state.recordOf(id);
      return !isWoken && !isRunning && retry.attempts === 0 && seen === state.snapshot;
    });
  }

  /** Returns the work of these handlers, joined with that of change handlers. */
  join(work: Work): Work {
    if (this.#handlers.length === 0) return work;
    const handlers = [...work.handlers ?? [], ...this.#writers];
    return { ...work, handlers, delay: () => earliest(work.delay?.(), this.#delay()) };
  }

  /** The object was written: what has become of that decides about successes. */
  written(result: WriteResult): void {
    if (result.kind === "kept" || (result.kind === "written" && result.lost.length > 0)) return;
    for (const handler of this.#handlers) {
      const record = this.#r.state.recordOf(handler.id);
      if (result.kind === "dropped" && result.handlers.includes(handler.id)) {
        this.#refuse(handler, record, result.error);
      } else record.decide();
    }
  }

  #refuse(handler: ReconcileHandler, record: ReconcileRecord, error: Error): void {
    const context = contextOf(this.#callerOf(handler), SORT);
    const now = this.#r.clock.monotonic();
    record.hasFinalized = false;
    record.refuse((row) => refused(row, handler, { error, context, now }));
  }

  /** How long until one of them is to be called, as far as is known now. */
  #delay(): Seconds | undefined {
    const { state, clock } = this.#r;
    const isLeaving = isDeleting(state.snapshot);
    let next: Seconds | undefined;
    for (const handler of this.#handlers) {
      const record = state.recordOf(handler.id);
      if (this.#waiting.has(handler)) continue;
      if (isLeaving && (handler.finalize === undefined || record.hasFinalized)) continue;
      next = earliest(next, record.nextTurn(handler));
    }
    return next === undefined ? undefined : Math.max(0, next - clock.monotonic());
  }

  /** Wakes the handler if the object has changed since it was called. */
  #wakeIfChanged(handler: ReconcileHandler): void {
    const { state } = this.#r;
    const record = state.recordOf(handler.id);
    const { seen } = record;
    if (seen === state.snapshot) return;
    if (seen === undefined) {
      const isOld = state.firstSeen === "listing";
      this.#wake(record, { kind: record.wasCalled ? "change" : isOld ? "start" : "create" });
    } else if (matters(this.#r, handler, seen)) {
      this.#wake(record, { kind: "change" });
    } else {
      record.seen = state.snapshot;
    }
  }

  #callIfDue(handler: ReconcileHandler): Promise<void> | undefined {
    const { state, clock, slots } = this.#r;
    const record = state.recordOf(handler.id);
    const now = clock.monotonic();
    record.wakeIfDue(now);
    if (!record.isDue(now, handler)) return undefined;
    const slot = slots.enter(handler, state);
    if (slot !== undefined) return this.#call(handler, record, slot);
    this.#waiting.add(handler);
  }

  async #call(handler: ReconcileHandler, record: ReconcileRecord, slot: Disposable): Promise<void> {
    const { state, clock, host: { random }, logger, signal, patch } = this.#r;
    const isFinal = isDeleting(state.snapshot);
    const reasons = record.begin(clock.monotonic(), handler);
    record.seen = state.snapshot;
    if (logger.enabled("debug")) {
      logger.debug(isFinal ? "Finalizing" : "Reconciling", {
        handler: handler.id,
        reasons: namesOf(reasons),
      });
    }
    const { site, finalize = handler.fn } = handler;
    // Nothing has happened: that all is well with ten thousand objects is no news.
    const isQuiet = reasons.every(({ kind }) => kind === "resync");
    const caller = this.#callerOf(handler, isQuiet ? terseLogger(logger) : logger);
    const { outcome, retry, wrote } = await callHandler(caller, handler, {
      sort: SORT,
      retry: record.retry,
      fn: this.#guarded({ fn: isFinal ? finalize : handler.fn, site }, record, slot),
      patch,
      args: (attempt) => new ReconcileArgs(causeOf(this.#r), { attempt, reasons }),
    });
    if (!record.isRunning) slot[Symbol.dispose]();
    else if (state.reportOnce(`late ${handler.id}`)) {
      logger.warn("The handler still runs after its timeout: it is not called again before it has ended", {
        handler: handler.id,
      });
    }
    if (wrote) this.#writers.push(handler.id);
    // What fails because we stop says nothing about the handler: the next process calls it anyway.
    if (signal.aborted && outcome.kind !== "success") return;
    const now = clock.monotonic();
    record.end(retry, outcome, now);
    // As everywhere: who fails for good has finished, and holds nothing back.
    const hasFinished = outcome.kind === "failure" ||
      (outcome.kind === "success" && outcome.result === undefined);
    record.hasFinalized = isFinal && hasFinished;
    record.resyncAt(nextResync(handler, now, random));
  }

  #callerOf({ backoff: defaultBackoff }: ReconcileHandler, logger = this.#r.logger): Caller {
    return { ...callerOf(this.#r), defaultBackoff, logger };
  }

  /** NB: a function that goes on after its timeout keeps its slot, and is not called a second time meanwhile. */
  #guarded(
    { fn, site }: Pick<ReconcileHandler, "fn" | "site">,
    record: ReconcileRecord,
    slot: Disposable,
  ): (args: never) => Promise<Seconds | undefined> {
    const { state, wake } = this.#r;
    // NB: the name cuts off what stacks have below it.
    return async function invokeHandler(args) {
      record.isRunning = true;
      try {
        return requeueOf(await fn(args), site);
      } finally {
        record.isRunning = false;
        slot[Symbol.dispose]();
        if (record.isWoken || record.isPlanned) wake(state);
      }
    };
  }

  #wake(record: ReconcileRecord, reason: ReconcileReason): void {
    record.wake(reason, this.#r.clock.monotonic());
  }
}

/**
 * Returns when a handler is called although nothing has happened. NB: many objects have the same time, so that one timer rings
 * for all of them: a turn costs half as much where others come at the same time.
 */
function nextResync({ resync }: ReconcileHandler, now: Seconds, random: Random): Seconds | undefined {
  if (!Number.isFinite(resync)) return undefined;
  const step = resync * RESYNC_STEP;
  const at = now + resync * (1 + RESYNC_JITTER * (2 * random.next() - 1));
  return step > 0 ? Math.ceil(at / step) * step : at;
}

/** Whether the handler is for the object as it is; what was planned for one that it is not for any more is forgotten. */
function isConcerned(r: Reconciliation, handler: ReconcileHandler): boolean {
  if (isWanted(r, handler)) return true;
  const record = r.state.recordOf(handler.id);
  record.forgetPlans();
  record.seen = undefined;
  return false;
}

/** Whether the object has changed in what a reconcile is called for. A predicate that fails lets the change through. */
function matters(r: Reconciliation, handler: ReconcileHandler, before: KubeObject): boolean {
  const { state: { snapshot: after }, persistence, handlers: { fields: extraFields }, logger } = r;
  const essenceOf = (body: KubeObject): unknown => currentEssence(persistence, body, { extraFields });
  const hasChanged =
    !isEqualJson(foreignMetadataOf(before, persistence), foreignMetadataOf(after, persistence)) ||
    !isEqualJson(essenceOf(before), essenceOf(after));
  if (!hasChanged || handler.predicate === undefined) return hasChanged;
  try {
    // The types of `op.reconcile` have made sure that it takes these arguments.
    return handler.predicate(new PredicateArgs(causeOf(r), before) as never);
  } catch (error) {
    if (r.state.reportOnce(`predicate ${handler.id}`)) {
      logger.error("Predicate failed: the change counts as one that matters", { handler: handler.id, error });
    }
    return true;
  }
}

/** Returns the metadata that no essence holds, and that are not the operator's own. */
function foreignMetadataOf(body: KubeObject, { finalizer }: Reconciliation["persistence"]): unknown {
  const { deletionTimestamp, ownerReferences } = body.metadata ?? {};
  return [deletionTimestamp, ownerReferences, finalizersOf(body).filter((each) => each !== finalizer)];
}

/** For the log: what has woken it, in short. */
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
