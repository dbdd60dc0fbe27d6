/**
 * The daemons and timers of one operator: starts those that match, stops those that must not go on, and tells whether
 * their object may go.
 *
 * Nothing here waits for an event of the object: stopping goes on by itself, and when the last one that stops has ended the
 * object is looked at again. Source: Kopf, B §1; deviations G5, G6, G12, D4 to D9.
 */

import { Schedule } from "../../async/schedule.ts";
import { Waiters } from "../../async/waiters.ts";
import type { StopReason } from "../../registry/arguments.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import { Companion, type Shared } from "./companion.ts";
import { ObjectRecord, type Subject } from "./record.ts";
import type { Surroundings } from "./surroundings.ts";

export interface DaemonsOptions extends Omit<Surroundings, "signal" | "isExiting"> {
  /** Called when an object should be looked at again. */
  readonly wake: (subject: Subject) => void;
}

/** An object as it is now. */
export interface Observed {
  /** All daemons and timers of the kind. */
  readonly handlers: readonly BackgroundHandler[];
  /** Those of them that want this object. */
  readonly matching: readonly BackgroundHandler[];
  readonly isDeleting: boolean;
}

/** What daemons and timers mean for their object. */
export interface Claim {
  /** Whether the object must not go without us. */
  readonly isRequired: boolean;
  /** Whether something still stops, and the object must wait for it. */
  readonly isPending: boolean;
}

/** All daemons and timers of one operator. */
export class Daemons implements Disposable {
  readonly #options: DaemonsOptions;
  readonly #world: Shared;
  readonly #records = new Map<Subject, ObjectRecord<Companion>>();
  /** Those that somebody has to wait for. */
  readonly #live = new Set<Companion>();
  readonly #ends = new Waiters<true>();
  readonly #schedule: Schedule<Companion>;
  readonly #controller = new AbortController();
  #isPaused = false;
  #isExiting = false;

  constructor(options: DaemonsOptions) {
    this.#options = options;
    this.#schedule = new Schedule<Companion>({
      clock: options.clock,
      callback: (companion) => companion.wake(),
    });
    this.#world = {
      ...options,
      schedule: this.#schedule,
      signal: this.#controller.signal,
      isExiting: () => this.#isExiting,
      onReleased: (companion) => this.#release(companion),
    };
  }

  /** How many objects are remembered, how many daemons and timers live, and how many of those wait for a time. */
  get counts(): { readonly objects: number; readonly live: number; readonly planned: number } {
    return { objects: this.#records.size, live: this.#live.size, planned: this.#schedule.size };
  }

  /** Starts and stops what the object's state calls for. Waits a moment for those that stop at once. */
  async observe(subject: Subject, { handlers, matching, isDeleting }: Observed): Promise<Claim> {
    const record = this.#recordOf(subject);
    this.#notice(record, handlers);
    if (isDeleting) {
      await this.#stop(record.companions, "RESOURCE_DELETED");
    } else {
      this.#spawn(record, matching);
      const wanted = new Set(matching.map(({ id }) => id));
      await this.#stop(
        record.companions.filter(({ handler }) => !wanted.has(handler.id)),
        "FILTERS_MISMATCH",
      );
    }
    const isPending = record.companions.some((each) => each.isStopping && !each.isReleased);
    return { isRequired: isPending || matching.some(({ id }) => !record.hasFinished(id)), isPending };
  }

  /** The object has gone, or is seen no more: whatever it has is told to stop, and nothing of it is remembered. */
  async forget(
    subject: Subject,
    reason: "RESOURCE_DELETED" | "FILTERS_MISMATCH" = "RESOURCE_DELETED",
  ): Promise<void> {
    const record = this.#records.get(subject);
    if (record === undefined) return;
    this.#records.delete(subject);
    await this.#stop(record.companions, reason);
  }

  /** Stops everything until `resume()`, and starts nothing meanwhile. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#stop([...this.#live], "OPERATOR_PAUSING");
  }

  /** Ends a pause: all objects are looked at again. */
  resume(): void {
    this.#isPaused = false;
    for (const subject of this.#records.keys()) this.#options.wake(subject);
  }

  /** Stops everything for good; resolves when all have ended, or were left behind after the time that they have. */
  async exit(): Promise<void> {
    this.#isExiting = true;
    await this.#stop([...this.#live], "OPERATOR_EXITING");
    while (this.#live.size > 0) await this.#ends.wait();
  }

  /** Gives up whatever is still under way. */
  [Symbol.dispose](): void {
    this.#schedule[Symbol.dispose]();
    this.#controller.abort(new DOMException("The operator is stopping", "AbortError"));
  }

  #recordOf(subject: Subject): ObjectRecord<Companion> {
    const known = this.#records.get(subject);
    if (known !== undefined) return known;
    const record = new ObjectRecord<Companion>(subject, this.#options.clock.monotonic());
    this.#records.set(subject, record);
    return record;
  }

  /** What counts as a change is worked out only where somebody wants to know. */
  #notice(record: ObjectRecord<Companion>, handlers: readonly BackgroundHandler[]): void {
    const isIdling = handlers.some((handler) => handler.type === "timer" && handler.idle !== undefined);
    if (!isIdling && !record.awaitsChange) return;
    const { essenceOf, clock } = this.#options;
    record.notice(essenceOf(record.subject, record.subject.body), clock.monotonic());
  }

  #spawn(record: ObjectRecord<Companion>, matching: readonly BackgroundHandler[]): void {
    if (this.#isPaused || this.#isExiting) return;
    for (const handler of matching) {
      const isThere = record.companions.some((each) => each.handler.id === handler.id);
      if (isThere || record.hasFinished(handler.id)) continue;
      const companion = new Companion(handler, record, this.#world);
      record.add(companion);
      this.#live.add(companion);
      companion.start();
    }
  }

  async #stop(companions: readonly Companion[], reason: StopReason): Promise<void> {
    const told = companions.filter((each) => !each.wasTold(reason));
    for (const companion of told) companion.stop(reason);
    await this.#grace(told);
    for (const companion of told) companion.advance();
  }

  /** Gives those that react at once the chance to have ended, so that they cost no stages and no second look. */
  async #grace(companions: readonly Companion[]): Promise<void> {
    const { clock, settings } = this.#options;
    const { instantExitTimeout, instantExitZeroTimeCycles } = settings.background;
    const isOver = (): boolean => companions.every((each) => each.isReleased);
    if (instantExitTimeout === null) {
      for (let turn = 0; turn < (instantExitZeroTimeCycles ?? 0) && !isOver(); turn++) await clock.sleep(0);
      return;
    }
    if (isOver()) return;
    const controller = new AbortController();
    using _timer = clock.after(instantExitTimeout, () => controller.abort());
    while (!isOver() && !controller.signal.aborted) await this.#ends.wait(controller.signal);
  }

  #release(companion: Companion): void {
    this.#live.delete(companion);
    this.#ends.serveAll(true);
    const { subject, companions } = companion.record;
    if (this.#isExiting || this.#records.get(subject) !== companion.record) return;
    if (companions.some((each) => each.isStopping && !each.isReleased)) return;
    this.#options.wake(subject);
  }
}
