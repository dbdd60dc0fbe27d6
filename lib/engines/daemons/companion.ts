/**
 * One daemon or timer of one object: waits, runs, writes, waits again, and stops when it is told to.
 *
 * While it waits it is nothing but this object and a place in the schedule that all share: no task, no promise, no timer
 * of its own, no signal. Stopping goes in stages, each at its time; a promise cannot be killed, so what ignores its
 * signal is left behind in the end, with a warning. Source: Kopf, B §1.5 to §1.13.
 */

import type { Schedule } from "../../async/schedule.ts";
import { StopFlag } from "../../async/stop_flag.ts";
import type { TaskGroup } from "../../async/tasks.ts";
import type { Client } from "../../client/client.ts";
import { PermanentError, toError } from "../../execution/errors.ts";
import { execute } from "../../execution/execute.ts";
import type { Brake, Observer } from "../../execution/observer.ts";
import type { Outcome } from "../../execution/handler.ts";
import type { KubeObject } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
import { DaemonArgs } from "../../registry/args.ts";
import type { StopReason } from "../../registry/arguments.ts";
import type { ObjectCause } from "../../registry/causes.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Settings } from "../../settings/settings.ts";
import { type Backlog, type DeliveredWrite, sendPatch } from "./delivery.ts";
import { cancellationOf, checkDelay, type Next, nextRun, runsOnChange } from "./pauses.ts";
import type { ObjectRecord } from "./record.ts";

/** What the daemons and timers of one operator share. */
export interface Surroundings {
  readonly clock: Clock;
  readonly client: Client;
  readonly settings: Settings;
  /** Who looks on. Default: nobody. */
  readonly observer?: Observer;
  /** Slows down what wakes itself. Default: nothing does. */
  readonly brake?: Brake;
  /** Gives a logger that is bound to the object. */
  readonly loggerOf: (body: KubeObject) => Logger;
  readonly indices: ObjectCause["indices"];
  readonly tasks: TaskGroup;
  readonly schedule: Schedule<Companion>;
  /** Aborts writes when the operator waits no longer. */
  readonly signal: AbortSignal;
  /** Whether the operator is stopping, so that nothing is waited for without a limit. */
  readonly isExiting: () => boolean;
  /** Puts a handler's result into the patch. */
  readonly deliver: (
    target: { readonly patch: Patch; readonly logger: Logger },
    id: string,
    result: unknown,
  ) => void;
  /** A digest of what counts as a change of the object. */
  readonly essenceOf: (record: ObjectRecord<Companion>) => string;
  /** Called when it has ended, and when it is left behind. */
  readonly onReleased: (companion: Companion) => void;
}

/** The attempts of one run. */
interface Attempts {
  retry: number;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** The same on the monotonic clock. */
  readonly begun: Seconds;
}

/** Binary fractions: what is due at 0.3 s may be looked at when the clock shows 0.29999999999999993. */
const TOLERANCE: Seconds = 1e-6;

/** A daemon or a timer of one object. */
export class Companion {
  readonly handler: BackgroundHandler;
  readonly record: ObjectRecord<Companion>;
  readonly #world: Surroundings;
  #state: "waiting" | "running" | "abandoned" | "ended" = "waiting";
  /** When the next run is due; Infinity: when something happens. */
  #due: Seconds = Infinity;
  /** How often the object had changed when the last run began. */
  #seen = 0;
  #attempts: Attempts | undefined;
  #backlog: Backlog | undefined;
  /** When the backlog is to be sent. */
  #resend: Seconds = Infinity;
  /** It wakes itself again and again, and must not run before this. */
  #brakedUntil: Seconds = -Infinity;
  #flag: StopFlag<StopReason> | undefined;
  /** Aborts the handler's `signal`; only while it runs. */
  #controller: AbortController | undefined;
  /** It has come to its end, as soon as everything is written. */
  #outcome: Outcome | undefined;

  constructor(handler: BackgroundHandler, record: ObjectRecord<Companion>, world: Surroundings) {
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
    this.#plan(this.#world.clock.monotonic() + this.#initialDelay());
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
    const { background } = this.#world.settings;
    const { backoff, timeout, polling } = cancellationOf(this.handler, background.cancellationPolling);
    const now = this.#world.clock.monotonic();
    const toCancel = since + (backoff ?? 0);
    const isBefore = (time: Seconds): boolean => now + TOLERANCE < time;
    if (isBefore(toCancel)) {
      this.#flagged.set("DAEMON_SIGNALLED");
      this.#arm(toCancel);
    } else if (timeout !== undefined && isBefore(toCancel + timeout)) {
      this.#cancel("DAEMON_CANCELLED");
      this.#arm(toCancel + timeout);
    } else if (timeout !== undefined || this.#world.isExiting()) {
      this.#abandon();
    } else {
      this.#logger.info(`${this.#noun} is still stopping: it is waited for`, this.#fields);
      this.#arm(now + polling);
    }
  }

  get #flagged(): StopFlag<StopReason> {
    return this.#flag ??= new StopFlag(`${this.#noun} "${this.handler.id}"`, this.#world.clock);
  }

  get #noun(): "Daemon" | "Timer" {
    return this.handler.type === "daemon" ? "Daemon" : "Timer";
  }

  get #fields(): Readonly<Record<string, unknown>> {
    return { handler: this.handler.id };
  }

  get #logger(): Logger {
    return this.#world.loggerOf(this.record.body);
  }

  #initialDelay(): Seconds {
    const { initialDelay = 0 } = this.handler;
    if (typeof initialDelay === "number") return initialDelay;
    try {
      // The types of the options have made sure that the function takes these arguments.
      return checkDelay(initialDelay(this.#args(this.#firstAttempt(), new Patch()) as never));
    } catch (error) {
      const { defaultBackoff } = this.#world.settings.execution;
      this.#logger.error("Initial delay failed: the default backoff is taken", {
        ...this.#fields,
        error: toError(error),
        delay: defaultBackoff,
      });
      return defaultBackoff;
    }
  }

  #firstAttempt(): Attempts {
    const { clock } = this.#world;
    return { retry: 0, started: clock.now(), begun: clock.monotonic() };
  }

  /** When the object will have been idle for long enough. */
  #idleEnd(): Seconds {
    if (this.handler.type === "daemon" || this.handler.idle === undefined) return -Infinity;
    return this.record.idleSince + this.handler.idle;
  }

  #plan(due: Seconds): void {
    this.#due = Math.max(due, this.#brakedUntil);
    this.#arm(Math.min(this.#due, this.#resend));
  }

  #arm(due: Seconds): void {
    const { clock, schedule } = this.#world;
    if (due === Infinity) schedule.cancel(this);
    else schedule.set(this, clock.now() + Math.max(0, due - clock.monotonic()) * 1000);
  }

  async #run(): Promise<void> {
    const { clock } = this.#world;
    const due = this.#due;
    this.#seen = this.record.changes;
    const attempts = this.#attempts ??= this.#firstAttempt();
    const patch = new Patch();
    patch.fns.push(...this.#backlog?.lost ?? []);
    const logger = this.#logger;
    const outcome = await this.#attempt(attempts, { patch, logger });
    // Its object may have gone; but where the operator stops, there are some seconds left to write.
    if (this.#state === "abandoned" && !this.#world.isExiting()) return this.#end();
    if (outcome.kind === "success") this.#world.deliver({ patch, logger }, this.handler.id, outcome.result);
    if (!patch.isEmpty || this.#backlog !== undefined) await this.#send(patch, logger);
    attempts.retry++;
    if (outcome.kind !== "retry") this.#attempts = undefined;
    this.#settle(nextRun(this.handler, { outcome, due, now: clock.monotonic() }), outcome);
  }

  async #attempt(
    attempts: Attempts,
    { patch, logger }: { readonly patch: Patch; readonly logger: Logger },
  ): Promise<Outcome> {
    const { clock, settings, observer } = this.#world;
    const controller = this.#controller = new AbortController();
    const outcome = await execute({ ...this.handler, fn: (args: never) => this.#call(args) }, {
      clock,
      logger,
      attempts: { retry: attempts.retry, runtime: clock.monotonic() - attempts.begun },
      noun: this.#noun,
      errors: "temporary",
      defaultBackoff: settings.execution.defaultBackoff,
      signal: controller.signal,
      observed: observer && { observer, subject: this.record.subject },
      // The types of `op.daemon` and `op.timer` have made sure that the function takes these arguments.
      args: (signal) => this.#args(attempts, patch, { signal, logger }) as never,
    });
    this.#controller = undefined;
    return outcome;
  }

  /** What is thrown after the stop flag is not tried again; that it was aborted is what we asked for. */
  async #call(args: never): Promise<unknown> {
    try {
      return await this.handler.fn(args);
    } catch (thrown) {
      if (!this.isStopping) throw thrown;
      const error = toError(thrown);
      if (error.name === "AbortError") return undefined;
      throw new PermanentError(error.message, { cause: error });
    }
  }

  #args(
    { retry, started }: Attempts,
    patch: Patch,
    { signal = new AbortController().signal, logger = this.#logger }: {
      readonly signal?: AbortSignal;
      readonly logger?: Logger;
    } = {},
  ): DaemonArgs {
    const { record, handler } = this;
    const { clock, indices } = this.#world;
    const { resource, memo } = record.subject;
    const cause: ObjectCause = {
      resource,
      body: record.body,
      newest: () => record.body,
      patch,
      logger,
      memo,
      indices,
    };
    const attempt = { param: handler.param, retry, started, signal, clock };
    return new DaemonArgs(cause, { attempt, stopped: () => this.#flagged.stopped });
  }

  async #send(patch: Patch, logger = this.#logger): Promise<void> {
    const { clock, settings, brake } = this.#world;
    const { record } = this;
    await brake?.lookAround(record.subject, logger);
    this.#backlog = await sendPatch(patch, {
      ...this.#world,
      logger,
      resource: record.subject.resource,
      body: record.body,
      backlog: this.#backlog,
      errorDelays: [...settings.queueing.errorDelays],
      adopt: (body) => record.adopt(body),
      onWritten: (written) => this.#tellWritten(written, logger),
    });
    const isUnsent = this.#backlog?.unsent !== undefined;
    this.#resend = isUnsent ? clock.monotonic() + (this.#backlog?.retryIn ?? 0) : Infinity;
  }

  #tellWritten({ paths, writes, ...write }: DeliveredWrite, logger: Logger): void {
    const { observer, brake, clock } = this.#world;
    const { handler, record: { subject } } = this;
    const by = { handler: handler.id, type: handler.type, onChange: runsOnChange(handler), ...write };
    observer?.written?.(subject, { paths, writes, byEvent: false, concluded: false, by });
    const pause = brake?.pauseAfter(subject, logger);
    if (pause !== undefined) this.#brakedUntil = clock.monotonic() + pause;
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
    const lost = this.#backlog?.lost ?? [];
    if (lost.length > 0) {
      const unsent = new Patch();
      unsent.fns.push(...lost);
      this.#backlog = { unsent, lost: [], failures: 0, retryIn: 0 };
      this.#resend = this.#world.clock.monotonic();
    }
    if (this.#backlog === undefined) return this.#end();
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
      {
        ...this.#fields,
        reasons: [...this.#flagged.stopped.reasons],
      },
    );
    this.#world.onReleased(this);
  }

  #end(): void {
    const { schedule, essenceOf, onReleased } = this.#world;
    const wasAsked = this.isStopping;
    this.#state = "ended";
    schedule.cancel(this);
    if (this.#backlog?.unsent !== undefined) {
      this.#logger.warn("A patch could not be written: it is dropped", this.#fields);
    }
    if (!wasAsked) {
      const mayReturn = this.handler.type === "timer" && this.#outcome?.kind === "failure";
      this.record.finish(this.handler.id, mayReturn ? essenceOf(this.record) : undefined);
    }
    this.#flag?.set("DONE");
    this.record.remove(this);
    this.#logger.debug(
      `${this.#noun} has exited ${wasAsked ? "as it was told" : "on its own"}`,
      this.#fields,
    );
    onReleased(this);
  }
}
