/**
 * One daemon or timer of one object: waits, runs, writes, waits again, and stops when it is told to.
 *
 * The table of its phases is in docs/architecture.md, "Daemons and timers". A waiting daemon or timer is this object and a place in the
 * shared schedule: it has no task, no promise, no timer of its own, no signal. A promise cannot be killed, so a function that
 * ignores its signal is abandoned in the end, with a warning. A failed write is not a failed run: it is tried again with growing
 * pauses, beside the schedule. Source: Kopf, docs/daemons; Kopf, docs/timers.
 */

import { type Schedule, TOLERANCE } from "../../async/schedule.ts";
import { StopFlag } from "../../async/stop_flag.ts";
import { type Permit, PermitEndedError } from "../../client/transport/permit.ts";
import { toError } from "../../execution/errors.ts";
import type { WriteResult } from "../../execution/object_writer.ts";
import type { AttemptEnd } from "../../execution/observer.ts";
import { PendingWrite } from "../../execution/pending_write.ts";
import { tellOfDropped } from "../../execution/refused_write.ts";
import { Patch } from "../../model/patch.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { StopReason } from "./background_handler.ts";
import type { BackgroundHandler } from "./background_handler.ts";
import { after, decided, FRESH, hasFailed, type Retry } from "../retry.ts";
import { countSuccesses } from "../call.ts";
import { askInitialDelay, callOnce, type Owner, refuseRun, sortOf } from "./daemon_call.ts";
import { nextRun, runsOnChange, stopStage } from "./next_run.ts";
import type { DaemonContext, ObjectDaemons } from "./object_daemons.ts";

/** The context that all daemons and timers of one operator share. */
export interface TaskContext extends DaemonContext {
  readonly schedule: Schedule<DaemonTask>;
  /** Whether the operator is stopping, so that no task is waited for without a limit. */
  readonly isExiting: () => boolean;
  /** Whether a task whose time has come must wait: it is woken when this replica may work on its object. */
  readonly holds: (task: DaemonTask) => boolean;
  /** Called when one has ended, and when one is abandoned. */
  readonly onReleased: (task: DaemonTask) => void;
}

type Phase =
  /** It waits for its next run, for a pending write, or for a change of the object: no run or write is under way. */
  | { readonly kind: "waiting" }
  | { readonly kind: "running"; readonly run: Run }
  /** A pending write is sent beside the schedule. */
  | { readonly kind: "flushing" }
  /** Told to stop while it runs or flushes. */
  | { readonly kind: "stopping"; readonly run: Run | undefined }
  /** It ignores that it was told to stop: the operator does not wait for it any more. */
  | { readonly kind: "abandoned" }
  | { readonly kind: "ended" };

/** One run: one call of the function, and the write after it. */
interface Run {
  /** How often the object had changed when it began. */
  readonly seen: number;
  readonly due: Seconds;
  /** Aborts the function's `signal`. */
  readonly controller: AbortController;
  /** The function has returned: only the write is under way. */
  hasReturned: boolean;
}

/** The pending write of a task, the time to send it again, and the brake. */
interface Writes {
  readonly pending: PendingWrite;
  /** When the pending write is sent beside the schedule; Infinity: it is not. */
  resendAt: Seconds;
  /** Before this time a task that triggers itself again and again must not run. */
  brakedUntil: Seconds;
}

/** How long a write waits that could not be sent any more: sessions are renewed, or in doubt, by then. */
const PERMIT_PAUSE: Seconds = 1;

// These phases are shared by all tasks, which are many and mostly wait.
const WAITING: Phase = { kind: "waiting" };
const FLUSHING: Phase = { kind: "flushing" };
const ABANDONED: Phase = { kind: "abandoned" };
const ENDED: Phase = { kind: "ended" };

/** A daemon or a timer of one object. */
export class DaemonTask {
  #handler: BackgroundHandler;
  readonly siblings: ObjectDaemons<DaemonTask>;
  readonly #context: TaskContext;
  #phase = WAITING;
  /** When the next run is due; Infinity: after a change of the object, or never. */
  #due: Seconds = Infinity;
  #retry: Retry = FRESH;
  /** Only while a write is pending, or a brake is on. */
  #writes: Writes | undefined;
  #flag: StopFlag<StopReason> | undefined;
  /** Whether no run follows: it ends as soon as its pending write is on the object. */
  #isLast = false;

  constructor(handler: BackgroundHandler, siblings: ObjectDaemons<DaemonTask>, context: TaskContext) {
    this.#handler = handler;
    this.siblings = siblings;
    this.#context = context;
  }

  get handler(): BackgroundHandler {
    return this.#handler;
  }

  /** The handler was loaded anew, unchanged: the next run calls the function of the new one. */
  exchange(handler: BackgroundHandler): void {
    this.#handler = handler;
  }

  /** Whether it was told to stop. */
  get isStopping(): boolean {
    return this.#flag?.since !== undefined;
  }

  /** Whether it has ended or is abandoned, so that neither its object nor the operator waits for it. */
  get isReleased(): boolean {
    return this.#isIn("ended") || this.#isIn("abandoned");
  }

  /** Whether it waits for a time or a change. */
  get isWaiting(): boolean {
    return this.#isIn("waiting");
  }

  /** Whether it was told to stop for this reason. */
  wasTold(reason: StopReason): boolean {
    return this.#flag?.has(reason) === true;
  }

  /** Begins, after its initial delay. */
  start(): void {
    const { initialDelay = 0 } = this.handler;
    const delay = typeof initialDelay === "number"
      ? initialDelay
      : askInitialDelay(this.#owner(this.#logger), initialDelay);
    this.#plan(this.#context.clock.monotonic() + delay);
  }

  /** The object has changed: a task that waits for just that gets a time. */
  onChange(): void {
    if (this.#isIn("waiting") && this.#due === Infinity && !this.#isLast) {
      this.#plan(this.#idleEnd());
    }
  }

  /** Its time has come: for a run, for a pending write, or for the next stage of stopping. */
  wake(): void {
    if (this.#isIn("stopping")) return this.advance();
    if (!this.#isIn("waiting") || this.#context.holds(this)) return;
    const now = this.#context.clock.monotonic() + TOLERANCE;
    const isDue = this.#due <= now;
    if (isDue && this.#idleEnd() > now) return this.#plan(this.#idleEnd());
    const { type, id } = this.handler;
    this.#context.tasks.start(`${type} ${id}`, isDue ? () => this.#run() : () => this.#flush());
  }

  /** Tells it to stop. A waiting task ends at once; a running one should be given a moment before `advance()`. */
  stop(reason: StopReason): void {
    const phase = this.#phase;
    if (phase.kind === "ended") return;
    this.#flagged.set(reason);
    if (phase.kind === "waiting") this.#end();
    if (phase.kind === "flushing") this.#phase = { kind: "stopping", run: undefined };
    if (phase.kind === "running") this.#phase = { kind: "stopping", run: phase.run };
  }

  /** Goes on with stopping one that has not ended yet: aborts its signal, warns, or abandons it. */
  advance(): void {
    const since = this.#flag?.since;
    if (!this.#isIn("stopping") || since === undefined) return;
    const { clock, settings, isExiting } = this.#context;
    const polling = settings.background.cancellationPolling;
    const now = clock.monotonic();
    const stage = stopStage(this.handler, { since, now, polling, isExiting: isExiting() });
    if (stage.kind === "abandoned") return this.#abandon();
    if (stage.kind === "signalled") this.#flagged.set("DAEMON_SIGNALLED");
    if (stage.kind === "cancelled") this.#cancel("DAEMON_CANCELLED");
    if (stage.kind === "awaited") {
      this.#logger.info(`${this.#noun} is still stopping: it is waited for`, this.#fields);
    }
    this.#wakeAt(stage.until);
  }

  get #flagged(): StopFlag<StopReason> {
    return this.#flag ??= new StopFlag(`${this.#noun} "${this.handler.id}"`, this.#context.clock);
  }

  get #noun(): string {
    return sortOf(this.handler).noun;
  }

  get #fields(): Readonly<Record<string, unknown>> {
    return { handler: this.handler.id };
  }

  /** The term of the object's shard; undefined where there are no other replicas, and where another one is responsible. */
  get #term(): Permit | undefined {
    return this.#context.fence?.termOf(this.siblings.state.body.metadata.uid ?? "");
  }

  get #logger(): Logger {
    return this.#context.loggerOf(this.siblings.state.body);
  }

  #owner(logger: Logger): Owner {
    const { handler, siblings: { state } } = this;
    return { handler, state, context: this.#context, logger, flag: () => this.#flagged };
  }

  #isIn(kind: Phase["kind"]): boolean {
    return this.#phase.kind === kind;
  }

  /** When the object will have been idle for long enough. */
  #idleEnd(): Seconds {
    if (this.handler.type === "daemon" || this.handler.idle === undefined) return -Infinity;
    return this.siblings.idleSince + this.handler.idle;
  }

  #plan(due: Seconds): void {
    this.#due = Math.max(due, this.#writes?.brakedUntil ?? -Infinity);
    this.#wakeAt(Math.min(this.#due, this.#writes?.resendAt ?? Infinity));
  }

  #wakeAt(due: Seconds): void {
    const { schedule } = this.#context;
    if (due === Infinity) schedule.cancel(this);
    else schedule.set(this, due);
  }

  async #run(): Promise<void> {
    const { clock, isExiting } = this.#context;
    const controller = new AbortController();
    const run: Run = { seen: this.siblings.changes, due: this.#due, controller, hasReturned: false };
    this.#phase = { kind: "running", run };
    const patch = new Patch();
    // Patch functions of an earlier run that have lost a race: the handler can see them, as its patch is not empty.
    patch.fns.push(...this.#writes?.pending.takeLost() ?? []);
    const logger = this.#logger;
    const succeeded = new Set<AttemptEnd>();
    const { signal } = controller;
    const permit = this.#term;
    const onTermEnd = (): void => controller.abort(permit?.signal.reason);
    permit?.signal.addEventListener("abort", onTermEnd);
    const { outcome, retry } = await callOnce(this.#owner(logger), {
      retry: this.#retry,
      patch,
      signal,
      permit,
      succeeded,
    });
    permit?.signal.removeEventListener("abort", onTermEnd);
    this.#retry = after(retry, outcome, clock.monotonic());
    run.hasReturned = true;
    // An abandoned run may be of an object that has gone: it does not write. Where the operator stops, it still may.
    if (this.#isIn("abandoned") && !isExiting()) {
      this.#count(succeeded, logger);
      return this.#end();
    }
    if (!patch.isEmpty || this.#writes?.pending.isEmpty === false) {
      await this.#write(patch, { logger, permit, ended: succeeded });
    } else {
      this.#retry = decided(this.#retry);
      this.#count(succeeded, logger);
    }
    if (this.isStopping) return this.#end();
    this.#phase = WAITING;
    this.#planNext(run);
  }

  #count(succeeded: Iterable<AttemptEnd>, logger: Logger): void {
    const { observer } = this.#context;
    countSuccesses(succeeded, { observed: { observer, subject: this.siblings.state }, logger });
  }

  /** Plans the run after one whose write has ended, or finishes. */
  #planNext({ seen, due }: Pick<Run, "seen" | "due">): void {
    const now = this.#context.clock.monotonic();
    const next = nextRun(this.handler, { retry: this.#retry, due, now });
    this.#isLast = next === "end";
    if (next === "end") return this.#finish();
    this.#plan(next !== "change" ? next.due : this.siblings.changes > seen ? this.#idleEnd() : Infinity);
  }

  async #flush(): Promise<void> {
    this.#phase = FLUSHING;
    const hasFailedBy = await this.#write(new Patch(), { logger: this.#logger, permit: this.#term });
    if (this.isStopping) return this.#end();
    this.#phase = WAITING;
    if (hasFailedBy) return this.#planNext({ seen: this.siblings.changes, due: this.#due });
    if (this.#isLast) this.#finish();
    else this.#plan(this.#due);
  }

  /** There is no further run: ends, as soon as the pending write is written. */
  #finish(): void {
    const writes = this.#writes;
    if (writes === undefined || writes.pending.isEmpty) return this.#end();
    // Functions that have lost a race wait for the next run, and there is none.
    if (writes.pending.failures === 0) writes.resendAt = this.#context.clock.monotonic();
    this.#plan(Infinity);
  }

  /**
   * Writes the patch, and counts the run by the result of the write. Returns whether the server's refusal has made a successful
   * run fail. `permit`: the term in which the run began. `ended`: the attempt of the run, if it was a success.
   */
  async #write(
    patch: Patch,
    { logger, permit, ended = [] }: {
      readonly logger: Logger;
      readonly permit: Permit | undefined;
      readonly ended?: Iterable<AttemptEnd>;
    },
  ): Promise<boolean> {
    const { writer, brake, clock } = this.#context;
    const { handler, siblings: { state } } = this;
    const writes = this.#writes ??= {
      pending: new PendingWrite(),
      resendAt: Infinity,
      brakedUntil: -Infinity,
    };
    await brake.findOtherWriters(state, logger);
    const author = { kind: handler.type, handler: handler.id, onChange: runsOnChange(handler) };
    const { pending } = writes;
    const result = await writer.write(state, {
      patch,
      handlers: [handler.id],
      pending,
      author,
      logger,
      permit,
      readsFirst: !pending.isEmpty,
    });
    writes.resendAt = this.#resendAfter(result, pending, logger);
    // Attempts whose write was refused are judged anew, below.
    if (result.kind !== "dropped") this.#count(pending.decide(ended), logger);
    if (result.kind === "written" && result.writes > 0) {
      const pause = brake.pauseAfter(state, logger);
      if (pause !== undefined) writes.brakedUntil = clock.monotonic() + pause;
    }
    if (pending.isEmpty && writes.brakedUntil <= clock.monotonic()) this.#writes = undefined;
    if (result.kind !== "dropped") {
      if (pending.isEmpty) this.#retry = decided(this.#retry);
      return false;
    }
    const refused = refuseRun(this.#owner(logger), this.#retry, result.error);
    tellOfDropped(result.error, logger);
    this.#retry = refused ?? this.#retry;
    return refused?.error !== undefined;
  }

  /** Returns when a write that was kept is tried again; Infinity: no write was kept, or the operator ends. */
  #resendAfter(result: WriteResult, pending: PendingWrite, logger: Logger): Seconds {
    const { clock, settings, writer } = this.#context;
    if (result.kind !== "kept") return Infinity;
    if (writer.isClosed) {
      // The operator ends: the write is not tried again.
      pending.settle();
      return Infinity;
    }
    // The session is in doubt, or in its last second: the write waits until this replica may work again; or the task is about to end.
    if (result.error instanceof PermitEndedError) return clock.monotonic() + PERMIT_PAUSE;
    const delays = [...settings.queueing.errorDelays];
    const { failures: attempt } = pending;
    const retryIn = delays[Math.min(attempt, delays.length) - 1] ?? 60;
    const error = toError(result.error);
    logger.error("Cannot write the patch: it is kept, and tried again", { error, retryIn, attempt });
    return clock.monotonic() + retryIn;
  }

  #cancel(reason: StopReason): void {
    this.#flagged.set(reason);
    if (this.#phase.kind !== "stopping") return;
    this.#phase.run?.controller.abort(new DOMException(`${this.#noun} is cancelled`, "AbortError"));
  }

  #abandon(): void {
    this.#cancel("DAEMON_ABANDONED");
    const isWriting = this.#phase.kind === "stopping" && this.#phase.run?.hasReturned !== false;
    this.#phase = ABANDONED;
    this.#context.schedule.cancel(this);
    const message = isWriting
      ? `${this.#noun} has ended, but its patch was not written in time: it is left behind`
      : `${this.#noun} did not exit in time: it is left behind (watch "stopped" and "signal")`;
    this.#logger.warn(message, { ...this.#fields, reasons: [...this.#flagged.stopped.reasons] });
    this.#context.onReleased(this);
  }

  #end(): void {
    const { schedule, essenceOf, onReleased } = this.#context;
    const { handler, siblings } = this;
    const { state } = siblings;
    const wasAsked = this.isStopping;
    this.#phase = ENDED;
    schedule.cancel(this);
    for (const end of this.#writes?.pending.abandon() ?? []) {
      this.#context.observer.attemptCounts?.(state, end);
    }
    if ((this.#writes?.pending.failures ?? 0) > 0) {
      this.#logger.warn("A patch could not be written: it is dropped", this.#fields);
    }
    if (!wasAsked) {
      const mayReturn = handler.type === "timer" && hasFailed(this.#retry);
      siblings.finish(handler.id, mayReturn ? essenceOf(state, state.body) : undefined);
    }
    this.#flag?.set("DONE");
    siblings.remove(this);
    const how = wasAsked ? "as it was told" : "on its own";
    this.#logger.debug(`${this.#noun} has exited ${how}`, this.#fields);
    onReleased(this);
  }
}
