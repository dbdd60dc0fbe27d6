/**
 * One daemon or timer of one object: waits, runs, writes, waits again, and stops when it is told to.
 *
 * While it waits it is nothing but this object and a place in the schedule that all share: no task, no promise, no timer
 * of its own, no signal. A promise cannot be killed, so what ignores its signal is left behind in the end, with a warning.
 * What it calls, what it writes and how it is stopped are next door. Source: Kopf, B §1.5 to §1.13.
 */

import type { Schedule } from "../../async/schedule.ts";
import { StopFlag } from "../../async/stop_flag.ts";
import type { Outcome } from "../../execution/handler.ts";
import { Patch } from "../../model/patch.ts";
import type { StopReason } from "../../registry/arguments.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { attempt, type Attempts, beginAttempts, type Caller, initialDelayOf } from "./attempts.ts";
import { Outbox } from "./outbox.ts";
import { type Next, nextRun } from "./pauses.ts";
import type { ObjectRecord } from "./record.ts";
import { stageOf } from "./stopping.ts";
import { nounOf, type Surroundings, TOLERANCE } from "./surroundings.ts";

/** What companions share. */
export interface Shared extends Surroundings {
  readonly schedule: Schedule<Companion>;
  /** Called when one has ended, and when one is left behind. */
  readonly onReleased: (companion: Companion) => void;
}

/** A daemon or a timer of one object. */
export class Companion {
  readonly handler: BackgroundHandler;
  readonly record: ObjectRecord<Companion>;
  readonly #world: Shared;
  #state: "waiting" | "running" | "abandoned" | "ended" = "waiting";
  /** When the next run is due; Infinity: when something happens. */
  #due: Seconds = Infinity;
  /** How often the object had changed when the last run began. */
  #seen = 0;
  #attempts: Attempts | undefined;
  /** Only while there is something to be written, or a brake on it. */
  #outbox: Outbox | undefined;
  #flag: StopFlag<StopReason> | undefined;
  /** Aborts the handler's `signal`; only while it runs. */
  #controller: AbortController | undefined;
  /** It has come to its end, as soon as everything is written. */
  #outcome: Outcome | undefined;

  constructor(handler: BackgroundHandler, record: ObjectRecord<Companion>, world: Shared) {
    this.handler = handler;
    this.record = record;
    this.#world = world;
  }

  /** Whether somebody told it to stop. */
  get isStopping(): boolean {
    return this.#flag?.since !== undefined;
  }

  /** Whether nobody needs to wait for it any more. */
  get isReleased(): boolean {
    return this.#state === "ended" || this.#state === "abandoned";
  }

  /** Whether that is one of the reasons for which it is to stop. */
  wasTold(reason: StopReason): boolean {
    return this.#flag?.has(reason) === true;
  }

  /** Begins, after its initial delay. */
  start(): void {
    const { initialDelay = 0 } = this.handler;
    const delay = typeof initialDelay === "number"
      ? initialDelay
      : initialDelayOf(this.#caller(), initialDelay);
    this.#plan(this.#world.clock.monotonic() + delay);
  }

  /** The object has changed: who waits for just that gets a time. */
  onChange(): void {
    if (this.#state === "waiting" && this.#due === Infinity && this.#outcome === undefined) {
      this.#plan(this.#idleEnd());
    }
  }

  /** Its time has come: for a run, for a write, or for the next stage of stopping. */
  wake(): void {
    if (this.#state === "running") return this.advance();
    if (this.#state !== "waiting") return;
    const now = this.#world.clock.monotonic() + TOLERANCE;
    const isDue = this.#due <= now;
    if (isDue && this.#idleEnd() > now) return this.#plan(this.#idleEnd());
    this.#state = "running";
    this.#world.tasks.start(
      `${this.handler.type} ${this.handler.id}`,
      () => isDue ? this.#run() : this.#catchUp(),
    );
  }

  /** Tells it to stop. What waits has stopped at once; what runs should be given a moment before `advance()`. */
  stop(reason: StopReason): void {
    if (this.#state === "ended") return;
    this.#flagged.set(reason);
    if (this.#state === "waiting") this.#end();
  }

  /** Does what it is time for with one that was told to stop, and still runs. */
  advance(): void {
    const since = this.#flag?.since;
    if (this.#state !== "running" || since === undefined) return;
    const { clock, settings, isExiting } = this.#world;
    const polling = settings.background.cancellationPolling;
    const stage = stageOf(this.handler, { since, now: clock.monotonic(), polling, isExiting: isExiting() });
    if (stage.kind === "abandoned") return this.#abandon();
    if (stage.kind === "signalled") this.#flagged.set("DAEMON_SIGNALLED");
    if (stage.kind === "cancelled") this.#cancel("DAEMON_CANCELLED");
    if (stage.kind === "awaited") {
      this.#logger.info(`${this.#noun} is still stopping: it is waited for`, this.#fields);
    }
    this.#arm(stage.until);
  }

  get #flagged(): StopFlag<StopReason> {
    return this.#flag ??= new StopFlag(`${this.#noun} "${this.handler.id}"`, this.#world.clock);
  }

  get #noun(): "Daemon" | "Timer" {
    return nounOf(this.handler);
  }

  get #fields(): Readonly<Record<string, unknown>> {
    return { handler: this.handler.id };
  }

  get #logger(): Logger {
    return this.#world.loggerOf(this.record.body);
  }

  #caller(logger = this.#logger): Caller {
    return {
      handler: this.handler,
      record: this.record,
      world: this.#world,
      logger,
      flag: () => this.#flagged,
      isStopping: () => this.isStopping,
    };
  }

  /** When the object will have been idle for long enough. */
  #idleEnd(): Seconds {
    if (this.handler.type === "daemon" || this.handler.idle === undefined) return -Infinity;
    return this.record.idleSince + this.handler.idle;
  }

  #plan(due: Seconds): void {
    this.#due = Math.max(due, this.#outbox?.brakedUntil ?? -Infinity);
    this.#arm(Math.min(this.#due, this.#outbox?.resend ?? Infinity));
  }

  #arm(due: Seconds): void {
    const { clock, schedule } = this.#world;
    if (due === Infinity) schedule.cancel(this);
    else schedule.set(this, clock.now() + Math.max(0, due - clock.monotonic()) * 1000);
  }

  async #run(): Promise<void> {
    const { clock, deliver, isExiting } = this.#world;
    const due = this.#due;
    this.#seen = this.record.changes;
    const attempts = this.#attempts ??= beginAttempts(clock);
    const patch = new Patch();
    patch.fns.push(...this.#outbox?.lost ?? []);
    const logger = this.#logger;
    const controller = this.#controller = new AbortController();
    const outcome = await attempt(this.#caller(logger), { attempts, patch, signal: controller.signal });
    this.#controller = undefined;
    // Its object may have gone; but where the operator stops, there are some seconds left to write.
    if (this.#state === "abandoned" && !isExiting()) return this.#end();
    if (outcome.kind === "success") deliver({ patch, logger }, this.handler.id, outcome.result);
    if (!patch.isEmpty || this.#outbox?.hasBacklog === true) await this.#send(patch, logger);
    attempts.retry++;
    if (outcome.kind !== "retry") this.#attempts = undefined;
    this.#settle(nextRun(this.handler, { outcome, due, now: clock.monotonic() }), outcome);
  }

  async #send(patch: Patch, logger = this.#logger): Promise<void> {
    const { handler, record } = this;
    const outbox = this.#outbox ??= new Outbox({ handler, record, world: this.#world });
    await outbox.send(patch, logger);
    if (outbox.isEmpty) this.#outbox = undefined;
  }

  async #catchUp(): Promise<void> {
    await this.#send(new Patch());
    if (this.#outcome !== undefined) return this.#settle("end", this.#outcome);
    this.#settle({ due: this.#due });
  }

  #settle(next: Next, outcome?: Outcome): void {
    if (this.isStopping) return this.#end();
    this.#state = "waiting";
    if (next === "change") {
      this.#plan(this.record.changes > this.#seen ? this.#idleEnd() : Infinity);
    } else if (next !== "end") {
      this.#plan(next.due);
    } else {
      this.#outcome = outcome;
      this.#finish();
    }
  }

  /** Nothing is left to run; but what is not written yet must be. */
  #finish(): void {
    this.#outbox?.takeBack();
    if (this.#outbox?.hasBacklog !== true) return this.#end();
    this.#plan(Infinity);
  }

  #cancel(reason: StopReason): void {
    this.#flagged.set(reason);
    this.#controller?.abort(new DOMException(`${this.#noun} is cancelled`, "AbortError"));
  }

  #abandon(): void {
    this.#cancel("DAEMON_ABANDONED");
    this.#state = "abandoned";
    this.#world.schedule.cancel(this);
    this.#logger.warn(
      `${this.#noun} did not exit in time: it is left behind (watch "stopped" and "signal")`,
      { ...this.#fields, reasons: [...this.#flagged.stopped.reasons] },
    );
    this.#world.onReleased(this);
  }

  #end(): void {
    const { schedule, essenceOf, onReleased } = this.#world;
    const { handler, record } = this;
    const wasAsked = this.isStopping;
    this.#state = "ended";
    schedule.cancel(this);
    if (this.#outbox?.hasUnsent === true) {
      this.#logger.warn("A patch could not be written: it is dropped", this.#fields);
    }
    if (!wasAsked) {
      const mayReturn = handler.type === "timer" && this.#outcome?.kind === "failure";
      record.finish(handler.id, mayReturn ? essenceOf(record.subject, record.body) : undefined);
    }
    this.#flag?.set("DONE");
    record.remove(this);
    const how = wasAsked ? "as it was told" : "on its own";
    this.#logger.debug(`${this.#noun} has exited ${how}`, this.#fields);
    onReleased(this);
  }
}
