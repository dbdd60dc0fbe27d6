/**
 * The work queue: which objects are to be reconciled, why, and when. One object is never reconciled twice at once.
 *
 * While an object waits, newer states replace each other (they are in the store); only resources with raw event handlers keep
 * every event. Live work goes before the initial listing. An object leaves the queue when it has neither events nor a planned
 * turn. Compare client-go's workqueue and controller-runtime's priorityqueue: the same duties, with holds and throttling added.
 * Source: Kopf, docs/architecture.
 */

import { growingPause } from "../async/backoff.ts";
import { Limiter } from "../async/limiter.ts";
import { Slices } from "../async/slices.ts";
import { Schedule } from "../async/schedule.ts";
import type { TaskGroup } from "../async/tasks.ts";
import type { ObjectEvent } from "../client/cache/object_store.ts";
import type { Indexing } from "../handlers/index/indexing.ts";
import type { ObjectState } from "../execution/object_state.ts";
import { namespacedName } from "../model/references.ts";
import { groupResource, keyOf } from "../model/resource.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** Why an object is reconciled. */
export type Wake = "event" | "retry" | "write" | "error" | "dependency";

/** One turn of one object. */
export interface Turn {
  readonly wake: Wake;
  /** All events that came (resources with raw event handlers), or the latest. A deletion is the last one. */
  readonly events: readonly ObjectEvent[];
  /** How many turns in a row have failed before. */
  readonly failures: number;
  /** How long the object has waited for it. */
  readonly waited: Seconds;
  /** Whether it goes before the objects of the initial listing. */
  readonly isUrgent: boolean;
}

/** The work that a turn leaves. */
export type Result =
  /** The object had no news: a turn that was planned before stays planned. */
  | { readonly kind: "unchanged" }
  /** All is done until an event comes. */
  | { readonly kind: "done" }
  /** It is to be reconciled again, after this time. 0: at once. */
  | { readonly kind: "requeue"; readonly after: Seconds; readonly wake: Wake }
  /** The same, and until then only the object's deletion begins a turn. */
  | { readonly kind: "throttle"; readonly after: Seconds; readonly wake: Wake }
  /** The object has gone, and its state is dropped. */
  | { readonly kind: "gone" };

/** A result that says when. */
type Later = Extract<Result, { readonly after: Seconds }>;

/** A result, and whether the turn has failed. */
export type TurnResult = Result & { readonly failed?: boolean };

/** The one that works off the queue: the controller. */
export interface Worker {
  /** Reconciles. Must not throw: an error is a bug of the worker, and the turn is repeated. */
  run(state: ObjectState, turn: Turn): Promise<TurnResult>;
  /** The object has gone. */
  forget(state: ObjectState): void;
  /** Drops events that came during a turn, if they show the state with which it ended. Returns whether they are dropped. */
  drops(state: ObjectState, events: readonly ObjectEvent[]): boolean;
}

/** Says which turns must wait. */
export interface TurnGates {
  /**
   * Whether an object's wakes must wait: the operator is paused, or the object's informer has not listed since. Events that had
   * come are handled to their end, and retries wait for the newest state.
   */
  holds(state: ObjectState): boolean;
  /**
   * Whether no turn of the object may begin, whatever calls for one: another replica is responsible for the object. Asked again
   * when the object has its slot; `reopen()` says that fewer are barred. Default: no object is barred.
   */
  bars?(state: ObjectState): boolean;
}

/** After so many turns that begin together, the event loop may go on: the turns of a restart may have no request to wait for. */
const TURNS_AT_ONCE = 128;

/** The same of turns that have waited for the gate: thousands, of which most have no request to wait for. */
const OPENED_AT_ONCE = 32;

/** Lets so many turns run at once; Infinity: all. */
export function turnLimiter(limit: number, clock: Clock): Limiter {
  return new Limiter(limit, { size: TURNS_AT_ONCE, breathe: (goOn) => void clock.sleep(0).then(goOn) });
}

export interface WorkQueueOptions {
  /**
   * Its gate opens when all objects that were there at the start are indexed; waiting for it costs no slot. Turns wait until
   * their object's newest state is indexed.
   */
  readonly indexing: Pick<Indexing, "gate" | "settled">;
  readonly gates: TurnGates;
  /** How many turns may run at once. */
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly tasks: TaskGroup;
}

/** Options of {@linkcode WorkQueue.addEvent}. */
export interface AddEventOptions {
  /** Whether all of them are wanted, and not only the latest. */
  readonly keepAll: boolean;
  /** How many may wait. Default: no limit. */
  readonly limit?: number;
}

/** How long a worker's crash is waited out: so long at first, and then longer each time. */
const CRASH_PAUSE: Seconds = 1;
const LONGEST_CRASH_PAUSE: Seconds = 60;

/** The objects that have a turn, now or later. */
export interface Queued {
  /** How many are being reconciled. */
  readonly running: number;
  /** How many wait for their turn. */
  readonly waiting: number;
  /** How many have a turn at a later time. */
  readonly planned: number;
  /** The first thousand of them. */
  readonly objects: readonly QueuedObject[];
}

/** One of them. */
export interface QueuedObject {
  /** Such as "databases.example.com default/db-1". */
  readonly object: string;
  /** Whether its turn goes on, is due, or comes later. */
  readonly state: "running" | "waiting" | "planned";
  /** For how long its turn has gone on, or waited; 0 of planned ones. */
  readonly seconds: Seconds;
  /** Why it has, or gets, its turn. */
  readonly wake: string;
  /** How many of its turns have failed in a row. */
  readonly failures: number;
}

/** How it stands with an object's turn. */
export interface QueueState {
  readonly isRunning: boolean;
  /** How long its events or its wake have waited; undefined: none waits. */
  readonly waited: Seconds | undefined;
  readonly plan: "scheduled" | "throttled" | "held" | undefined;
  /** How many of its turns have failed in a row. */
  readonly failures: number;
  /** Whether all workers are busy. */
  readonly isFull: boolean;
}

/** A turn that comes later. */
interface Plan {
  readonly kind: "scheduled" | "throttled" | "held";
  readonly wake: Wake;
}

/** The plan of most objects at rest, of which there may be a million. */
const RETRY: Plan = { kind: "scheduled", wake: "retry" };

const NO_EVENTS: readonly ObjectEvent[] = [];

/** One object that has a turn, now or later. */
interface Item {
  isRunning: boolean;
  events: readonly ObjectEvent[];
  /** Whether too many events have come while it waited. */
  isOverrun: boolean;
  wake: Wake | undefined;
  plan: Plan | undefined;
  failures: number;
  /** Since when its events or its wake wait, on the monotonic clock. */
  since: Seconds | undefined;
  /** Since when its turn goes on, on the monotonic clock. */
  begun: Seconds | undefined;
  /** Resolved when its turn has ended; made for whoever waits for that. */
  ended: PromiseWithResolvers<void> | undefined;
}

/** The objects that have a turn, now or later. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #items = new Map<ObjectState, Item>();
  readonly #schedule: Schedule<ObjectState>;
  readonly #stopping = new AbortController();
  #worker: Worker | undefined;
  /** Whether turns begin when the gate opens. */
  #isAtGate = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#schedule = new Schedule({ clock: options.clock, callback: (state) => this.#ring(state) });
  }

  /** How many objects have a turn, now or later. */
  get size(): number {
    return this.#items.size;
  }

  /** Whether an object is being reconciled. */
  get isAtWork(): boolean {
    for (const { isRunning } of this.#items.values()) if (isRunning) return true;
    return false;
  }

  /** How many objects are to be reconciled again at some time. */
  get planned(): number {
    return this.#schedule.size;
  }

  /** The objects that are being reconciled, as "resource namespace/name". */
  get busy(): readonly string[] {
    return [...this.#items].filter(([, { isRunning }]) => isRunning).map(([{ resource, body }]) =>
      `${keyOf(resource)} ${namespacedName(body.metadata)}`
    );
  }

  /** How many objects wait for a slot, if the turns that hold the slots have all been going on for so long; else 0. */
  starving(seconds: Seconds): number {
    const { limiter, clock } = this.#options;
    if (limiter.waiting === 0 || !limiter.isFull) return 0;
    const now = clock.monotonic();
    for (const { begun } of this.#items.values()) {
      if (begun !== undefined && now - begun < seconds) return 0;
    }
    return limiter.waiting;
  }

  /** Begins to work off. The queue is built before its worker, as the worker is built with the queue. */
  start(worker: Worker): void {
    this.#worker = worker;
    for (const [state, item] of this.#items) this.#start(state, item);
  }

  /**
   * Adds an object because of an event of its own. Returns true if events are dropped from now on, until the next turn: more
   * wait than there may, and only the newest of each kind is kept.
   */
  addEvent(state: ObjectState, event: ObjectEvent, { keepAll, limit = Infinity }: AddEventOptions): boolean {
    if (this.#isStopped) return false;
    const item = this.#itemOf(state);
    if (!keepAll) item.events = NO_EVENTS;
    const isOverrun = !item.isOverrun && item.events.length >= limit;
    if (isOverrun) item.events = newestOfEachKind(item.events);
    item.isOverrun ||= isOverrun;
    if (item.isOverrun) item.events = item.events.filter((each) => each.event.type !== event.event.type);
    if (item.events.length === 0) item.events = [event];
    // From one on the list is the item's own.
    else (item.events as ObjectEvent[]).push(event);
    // An object that has gone is not throttled: its daemons would run on.
    if (event.event.type === "DELETED" && item.plan?.kind === "throttled") this.#forgetPlan(state, item);
    this.#start(state, item);
    return isOverrun;
  }

  /**
   * Adds an object for another reason than an event of its own: for daemons that have ended, for owners of children. One
   * that is throttled waits for its time if another object is the reason; one that has gone is left alone.
   *
   * Returns whether its turn is now: the queue is not stopped, and the object is neither throttled nor held.
   */
  add(state: ObjectState, wake: Wake): boolean {
    if (this.#isStopped || state.isForgotten) return false;
    const item = this.#itemOf(state);
    if (wake === "dependency" && item.plan?.kind === "throttled") return false;
    this.#forgetPlan(state, item);
    this.#wake(state, item, wake);
    this.#start(state, item);
    return item.wake !== undefined;
  }

  /** Returns the objects that have a turn, now or later: running ones first, then waiting ones, the longest first. */
  list(most: number): Queued {
    const now = this.#options.clock.monotonic();
    const all = [...this.#items].map((
      [{ resource, body }, { begun, since, plan, wake, events, failures }],
    ) => ({
      object: `${groupResource(resource)} ${namespacedName(body.metadata)}`,
      state: begun !== undefined
        ? "running" as const
        : since !== undefined
        ? "waiting" as const
        : "planned" as const,
      seconds: now - (begun ?? since ?? now),
      wake: wake ?? (events.length > 0 ? "event" : plan?.wake ?? "event"),
      failures,
    }));
    const rank = { running: 0, waiting: 1, planned: 2 };
    all.sort((a, b) => rank[a.state] - rank[b.state] || b.seconds - a.seconds);
    const count = (state: keyof typeof rank): number => all.filter((each) => each.state === state).length;
    return {
      running: count("running"),
      waiting: count("waiting"),
      planned: count("planned"),
      objects: all.slice(0, most),
    };
  }

  /** Returns how it stands with an object's turn, for people who ask; undefined: it has none, now or later. */
  stateOf(state: ObjectState): QueueState | undefined {
    const item = this.#items.get(state);
    if (item === undefined) return undefined;
    const { limiter, clock } = this.#options;
    const now = clock.monotonic();
    return {
      isRunning: item.begun !== undefined,
      waited: item.since === undefined ? undefined : now - item.since,
      plan: item.plan?.kind,
      failures: item.failures,
      isFull: limiter.isFull,
    };
  }

  /** Whether the object has no turn now: at most one is planned for later. */
  isIdle(state: ObjectState): boolean {
    const item = this.#items.get(state);
    if (item === undefined) return true;
    const { isRunning, events, wake, plan, failures } = item;
    return !isRunning && events.length === 0 && wake === undefined && failures === 0 &&
      plan?.kind === "scheduled";
  }

  /** Whether the object's last turn has failed, so that each event is a reason to try again. */
  isRetrying(state: ObjectState): boolean {
    return (this.#items.get(state)?.failures ?? 0) > 0;
  }

  /** Wakes the objects that were held: a pause is over, or an informer has listed. */
  release(): void {
    for (const [state, item] of this.#items) {
      if (item.plan?.kind === "held") this.add(state, item.plan.wake);
    }
  }

  /** Fewer objects are barred: turns begin that had to wait. */
  reopen(): void {
    for (const [state, item] of this.#items) this.#start(state, item);
  }

  /**
   * Drops the events, wakes and plans of an object that is forgotten. Returns the end of its turn; undefined: none goes on.
   */
  drop(state: ObjectState): Promise<void> | undefined {
    const item = this.#items.get(state);
    if (item === undefined) return undefined;
    this.#forgetPlan(state, item);
    item.events = NO_EVENTS;
    item.wake = undefined;
    if (!item.isRunning) this.#items.delete(state);
    return item.begun === undefined ? undefined : endOf(item);
  }

  /** Returns the ends of the turns that go on of some objects. */
  turnsOf(isWanted: (state: ObjectState) => boolean): ReadonlyMap<ObjectState, Promise<void>> {
    const running = [...this.#items].filter(([state, { begun }]) => begun !== undefined && isWanted(state));
    return new Map(running.map(([state, item]) => [state, endOf(item)]));
  }

  /** Takes no more events and wakes. Turns that run go on to their end. */
  stop(): void {
    this.#stopping.abort();
    this.#schedule[Symbol.dispose]();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #itemOf(state: ObjectState): Item {
    let item = this.#items.get(state);
    if (item === undefined) {
      item = {
        isRunning: false,
        events: NO_EVENTS,
        isOverrun: false,
        wake: undefined,
        plan: undefined,
        failures: 0,
        since: undefined,
        begun: undefined,
        ended: undefined,
      };
      this.#items.set(state, item);
    }
    return item;
  }

  #isDue(state: ObjectState, { events, wake, plan }: Item): boolean {
    if (events.length === 0 && wake === undefined) return false;
    return !this.#isStopped && plan?.kind !== "throttled" && this.#options.gates.bars?.(state) !== true;
  }

  #start(state: ObjectState, item: Item): void {
    if (item.events.length > 0 || item.wake !== undefined) item.since ??= this.#options.clock.monotonic();
    const worker = this.#worker;
    if (worker === undefined || item.isRunning || !this.#isDue(state, item)) return;
    if (!this.#options.indexing.gate.isOpen) return this.#startAtOpening();
    item.isRunning = true;
    this.#options.tasks.own(() => `reconcile ${state.key}`, () => this.#run(state, item, worker));
  }

  /** Begins all turns that are due when the gate has opened, live work first. Without a slot: turns could open the gate. */
  #startAtOpening(): void {
    if (this.#isAtGate) return;
    this.#isAtGate = true;
    const { tasks, indexing: { gate }, clock } = this.#options;
    tasks.own("open the gate", async () => {
      if (!await gate.opened(this.#stopping.signal)) return;
      const slices = new Slices(clock, OPENED_AT_ONCE);
      for (const isForUrgent of [true, false]) {
        for (const [state, item] of this.#items) {
          if (isUrgent(item) !== isForUrgent) continue;
          const turning = slices.begin();
          if (turning !== undefined) await turning;
          this.#start(state, item);
        }
      }
    });
  }

  async #run(state: ObjectState, item: Item, worker: Worker): Promise<void> {
    const { limiter, indexing, clock } = this.#options;
    const { signal } = this.#stopping;
    try {
      do {
        const urgent = isUrgent(item);
        using _slot = await limiter.enter(signal, { urgent });
        const indexed = indexing.settled(state);
        if (indexed !== undefined) await indexed;
        if (this.#isStopped || state.isForgotten || this.#options.gates.bars?.(state) === true) break;
        const now = clock.monotonic();
        const { wake = "event", events, failures, since = now } = item;
        item.events = NO_EVENTS;
        item.isOverrun = false;
        item.wake = undefined;
        item.since = undefined;
        item.begun = now;
        try {
          const turn = {
            wake,
            events,
            failures,
            waited: now - since,
            isUrgent: urgent || isUrgent({ wake, events }),
          };
          const result = await worker.run(state, turn);
          item.failures = result.failed === true ? item.failures + 1 : 0;
          this.#settle(state, item, result);
          this.#dropEchoes(state, item, worker);
        } catch (error) {
          // A worker that throws is a bug of ours: its events are kept for a later turn, so that they are not lost.
          item.events = [...events, ...item.events];
          const after = growingPause(item.failures++, { initial: CRASH_PAUSE, max: LONGEST_CRASH_PAUSE });
          this.#forgetPlan(state, item);
          this.#plan(state, item, { kind: "throttle", after, wake: "error" });
          throw error;
        } finally {
          item.begun = undefined;
          item.ended?.resolve();
          item.ended = undefined;
        }
      } while (this.#isDue(state, item));
    } finally {
      item.isRunning = false;
      const isEmpty = item.plan === undefined && item.events.length === 0 && item.wake === undefined;
      if (isEmpty || state.isForgotten) {
        this.#items.delete(state);
      }
    }
  }

  #settle(state: ObjectState, item: Item, result: Result): void {
    switch (result.kind) {
      case "unchanged":
        return;
      case "done":
        return this.#forgetPlan(state, item);
      case "requeue":
      case "throttle":
        this.#forgetPlan(state, item);
        // A deletion that has come meanwhile does not wait.
        if (result.kind === "throttle" && item.events.some(({ event }) => event.type === "DELETED")) return;
        if (result.kind === "requeue" && result.after <= 0) this.#wake(state, item, result.wake);
        else this.#plan(state, item, result);
        return;
      case "gone":
        this.#forgetPlan(state, item);
        // Events and wakes that came meanwhile were about the object that has gone.
        item.wake = undefined;
        item.events = NO_EVENTS;
        this.#worker?.forget(state);
        return;
      default:
        result satisfies never;
    }
  }

  /** The events of a turn's own writes mostly come before the answers to them, while the turn goes on. */
  #dropEchoes(state: ObjectState, item: Item, worker: Worker): void {
    const { events, wake, failures } = item;
    if (events.length === 0 || wake !== undefined || failures > 0 || !worker.drops(state, events)) return;
    item.events = NO_EVENTS;
    item.since = undefined;
  }

  #plan(state: ObjectState, item: Item, { kind, after, wake }: Later): void {
    if (this.#isStopped || state.isForgotten) return;
    const isRetry = kind === "requeue" && wake === "retry";
    item.plan = isRetry ? RETRY : { kind: kind === "throttle" ? "throttled" : "scheduled", wake };
    this.#schedule.set(state, this.#options.clock.monotonic() + after);
  }

  #wake(state: ObjectState, item: Item, wake: Wake): void {
    if (this.#options.gates.holds(state)) item.plan = { kind: "held", wake };
    else item.wake = wake;
  }

  #ring(state: ObjectState): void {
    const item = this.#items.get(state);
    if (item?.plan === undefined) return;
    const { wake } = item.plan;
    item.plan = undefined;
    this.add(state, wake);
  }

  #forgetPlan(state: ObjectState, item: Item): void {
    if (item.plan === undefined) return;
    item.plan = undefined;
    this.#schedule.cancel(state);
  }
}

function endOf(item: Item): Promise<void> {
  return (item.ended ??= Promise.withResolvers<void>()).promise;
}

/** The last event of each type, in their order. */
function newestOfEachKind(events: readonly ObjectEvent[]): ObjectEvent[] {
  return events.filter(({ event: { type } }, index) =>
    index === events.findLastIndex((each) => each.event.type === type)
  );
}

/** Live work goes before the initial listing. */
function isUrgent(
  { wake, events }: { readonly wake: Wake | undefined; readonly events: readonly ObjectEvent[] },
): boolean {
  return (wake ?? "event") !== "event" || events.some(({ event }) => event.type !== null);
}
