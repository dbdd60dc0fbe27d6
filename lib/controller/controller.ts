/**
 * The controller of one run: takes the events of informers, keeps a state for each object, and has the work queue reconcile it.
 *
 * Here an event that shows a known state is dropped, a failed reconcile becomes a later turn, an object in a hot loop is slowed
 * down, and observers are told of turns. The steps of a reconcile are in `reconcile.ts`.
 */

import type { Caches } from "../client/cache/caches.ts";
import type { CachedObject, ObjectEvent } from "../client/cache/object_store.ts";
import { objectKey, ObjectState, type ResourceState } from "../execution/object_state.ts";
import type { ReconcileEnd } from "../execution/observer.ts";
import type { Indexing } from "../handlers/index/indexing.ts";
import { Slices } from "../async/slices.ts";
import { PermitEndedError } from "../client/transport/permit.ts";
import { isEqualJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { namespacedName, objectReference } from "../model/references.ts";
import { groupResource, keyOf, type Resource } from "../model/resource.ts";
import type { Seconds } from "../runtime/host.ts";
import { RECONCILE, type ReconcileHandler } from "../handlers/reconcile/reconcile_handler.ts";
import type { TurnDaemons } from "../handlers/background/background_part.ts";
import type { Daemons } from "../handlers/background/daemons.ts";
import { Concurrency } from "../handlers/reconcile/concurrency.ts";
import { Inheritance } from "./inheritance.ts";
import { Leaving } from "./leaving.ts";
import { Kinds, mannersOf } from "../handlers/manners.ts";
import { currentEssence, handledEssence } from "../settings/persistence/storage.ts";
import { isUnseen, reconcile, settleNew } from "./reconcile.ts";
import { Triggers } from "./triggers.ts";
import { decideSuccesses, type Kind, loopingIn, prepare, type Run, type Turn } from "../handlers/turn.ts";
import type { Result, Turn as Occasion, TurnResult, Worker, WorkQueue } from "./work_queue.ts";

/** How many memos are kept of objects that only admission has seen: no informer will tell when they go. */
const EARLY_MEMOS = 1000;

export interface ControllerOptions extends Omit<Run, "manners" | "wake" | "inherit"> {
  readonly daemons: TurnDaemons & Pick<Daemons, "leave">;
  readonly queue: Pick<WorkQueue, "add" | "addEvent" | "drop" | "isIdle" | "isRetrying">;
  /** Where other objects are looked up. */
  readonly caches: Caches;
  /** The operator's own memo: each object starts with a shallow copy of it. */
  readonly memo: Readonly<Record<string, unknown>>;
  /** Indexes an object's newest state, before anything else is done with it. */
  readonly indexing: Pick<Indexing, "submit">;
}

/** How far a stream may lag behind: a silent one is opened anew after `watching.inactivityTimeout`, which is 70 s. */
const LONGEST_LAG: Seconds = 120;

/** So many objects are taken over before other work of the process has its turn. */
const SLICE = 100;

/** The objects of one run. */
export class Controller implements Worker {
  readonly #options: ControllerOptions;
  readonly #states = new Map<CachedObject, ObjectState>();
  readonly #resources = new Map<string, OwnResourceState>();
  readonly #leaving = new Map<string, Leaving>();
  /** Memos of objects that no informer has told of, the latest last. */
  readonly #earlyMemos = new Map<string, Record<string, unknown>>();
  readonly #run: Run;
  readonly #kinds: Kinds;
  /** By which log lines of one turn are found: the beginning of the run, and the number of the turn. */
  readonly #runId: string;
  #turns = 0;
  readonly #inheritance: Inheritance;
  /** When this replica has become responsible for objects last, on the monotonic clock. */
  #takenAt: Seconds = -Infinity;
  /** Wakes objects because of others. */
  readonly triggers: Triggers;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#runId = Math.floor(options.host.clock.now()).toString(36);
    const { registry, caches, queue, host: { clock } } = options;
    this.triggers = new Triggers({
      registry,
      caches,
      queue,
      clock,
      logger: options.logger,
      stateOf: (cached) => this.#states.get(cached),
      isElsewhere: (object) => this.#isElsewhere(object),
    });
    const wake = (state: ObjectState): boolean => queue.add(state, "dependency");
    const manners = mannersOf({
      daemons: options.daemons,
      concurrency: new Concurrency({ wake }),
      introduce: (state, handlers) => this.triggers.introduce(state, handlers),
    });
    this.#inheritance = new Inheritance(options);
    const inherit: Run["inherit"] = (state, reading) => this.#inheritance.confirm(state, reading);
    this.#run = { ...options, wake, inherit, manners };
    this.#kinds = new Kinds(manners, options.persistence);
    caches.onAnswered = (resource, stored, answer) => this.triggers.answered(resource, stored, answer);
    caches.onWriting = (resource, write) => this.triggers.writing(resource, write);
    caches.onAdopted = (resource, told) => this.triggers.adopted(resource, told);
  }

  /** How many objects are known. */
  get size(): number {
    return this.#states.size;
  }

  /** Returns the state of an object in the caches; undefined: it has no turns. */
  stateOf(cached: CachedObject): ObjectState | undefined {
    return this.#states.get(cached);
  }

  /** How many objects of each kind are known, by "plural.group". */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { resource } of this.#states.values()) {
      const kind = groupResource(resource);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  }

  /** Subscribes to informers: puts an object into the queue if its event calls for a turn. */
  notify(resource: Resource, told: ObjectEvent): void {
    const { registry, indexing } = this.#options;
    const handlers = registry.of(resource);
    this.triggers.notify(resource, told, handlers);
    // A kind that is served no more sends deletions only: they end the daemons and timers of its objects.
    const isKnown = this.#states.has(told.cached);
    if (!handlers.hasTurns && !isKnown) return;
    // Without replicas no question is asked: this is done for each event.
    const isShared = this.#options.fence !== undefined;
    if (isShared && !isKnown && this.#isElsewhere(told.event.object)) return this.#index(resource, told);
    const kind = this.#kinds.of(handlers);
    const isInherited = isShared && !isKnown && this.#mayBeInherited(told);
    const state = this.#stateOf(resource, told, { manners: kind.manners, isInherited });
    if (told.origin === "restored") state.distrust("restored");
    indexing.submit(state, told.event);
    if (this.#isIdle(state) && isUnseen(state, kind, told)) return this.#settle(state);
    if (!isKnown && !isInherited && this.#isSettled(state, kind, told)) {
      return this.#settleNew(state, kind, told);
    }
    this.#enqueue(state, told, kind.keepsEvents);
  }

  /**
   * This replica has become responsible for some objects: each gets a turn, as after a start, objects for which work waits first.
   * Objects at rest that are as their notes say need none. Objects that have states go on. Goes on in slices, between which answers to
   * requests of the first ones are taken, until all are done, or the signal aborts.
   */
  async take(isTaken: (object: KubeObject) => boolean, signal: AbortSignal): Promise<void> {
    const { registry, caches, host: { clock } } = this.#options;
    this.#inheritance.begin();
    this.#takenAt = clock.monotonic();
    const slices = new Slices(clock, SLICE);
    for (const isUrgent of [true, false]) {
      for (const resource of caches.resources) {
        const handlers = registry.of(resource);
        if (!handlers.hasTurns) continue;
        const kind = this.#kinds.of(handlers);
        for (const cached of caches.values(resource)) {
          if (this.#states.has(cached) || !isTaken(cached.object)) continue;
          this.#takeOne(resource, cached, { kind, isUrgent });
          const turning = slices.begin();
          if (turning === undefined) continue;
          await turning;
          if (signal.aborted) return;
        }
      }
    }
  }

  #takeOne(
    resource: Resource,
    cached: CachedObject,
    { kind, isUrgent }: { readonly kind: Kind; readonly isUrgent: boolean },
  ): void {
    const { object } = cached;
    if (isUrgent && !this.#isWaiting(object, kind)) return;
    const told: ObjectEvent = { cached, event: { type: null, object }, adoption: "newer", origin: "server" };
    const state = this.#stateOf(resource, told, { manners: kind.manners, isInherited: true });
    if (!isUrgent && this.#isSettled(state, kind, told)) this.#settleNew(state, kind, told);
    else this.#enqueue(state, told, kind.keepsEvents);
  }

  /**
   * Another replica is responsible for some objects: their states are dropped, with all tasks, timers and plans. Returns the
   * objects whose handlers still run, with the promises of their end.
   */
  letGo(isLost: (object: KubeObject) => boolean): readonly LeftWork[] {
    const { queue, daemons, observer } = this.#options;
    const left: LeftWork[] = [];
    for (const state of [...this.#states.values()]) {
      if (!isLost(state.body)) continue;
      const { key, resource, body } = state;
      for (const end of state.pending.abandon()) observer.attemptCounts?.(state, end);
      state.forget();
      this.#run.pauses?.forget(state);
      this.#states.delete(state.cached);
      this.#leaving.delete(key);
      const running = [queue.drop(state), daemons.leave(state)].filter((each) => each !== undefined);
      for (const manner of this.#run.manners) manner.forget?.(state);
      if (running.length === 0) continue;
      const name = `${keyOf(resource)} ${namespacedName(body.metadata)}`;
      left.push({ key, name, done: Promise.all(running) });
    }
    return left;
  }

  /** Handlers were exchanged: each object has a turn, in which the changed handlers of `op.reconcile` are called. */
  exchange({ hasChanged }: { readonly hasChanged: (handler: ReconcileHandler) => boolean }): void {
    const { registry, queue } = this.#options;
    for (const state of this.#states.values()) {
      const isConcerned = registry.of(state.resource).of(RECONCILE).some(hasChanged);
      if (isConcerned) this.triggers.wake(state, { kind: "trigger", reason: "other code" });
      else queue.add(state, "dependency");
    }
  }

  /** The object has gone; the events of namesakes that have come meanwhile are handled now. */
  forget(state: ObjectState): void {
    for (const end of state.pending.abandon()) this.#options.observer.attemptCounts?.(state, end);
    state.forget();
    this.#states.delete(state.cached);
    for (const manner of this.#run.manners) manner.forget?.(state);
    const leaving = this.#leaving.get(state.key);
    if (leaving?.state !== state) return;
    this.#leaving.delete(state.key);
    for (const next of leaving.waiting) this.#enqueue(...next);
  }

  /**
   * Returns an object's memo, also of an object that no informer has told of (yet); without an object, a new memo that is not
   * kept. `cached`: the object in the informers' caches.
   */
  memoOf(
    resource: Resource,
    object: KubeObject | undefined,
    cached: CachedObject | undefined,
  ): Record<string, unknown> {
    if (object === undefined) return { ...this.#options.memo };
    const key = objectKey(resource, object);
    const known = cached && this.#states.get(cached) || this.#leaving.get(key)?.state;
    if (known !== undefined) return known.memo;
    const memo = this.#takeEarlyMemo(key) ?? { ...this.#options.memo };
    this.#earlyMemos.set(key, memo);
    const [oldest] = this.#earlyMemos.keys();
    if (this.#earlyMemos.size > EARLY_MEMOS && oldest !== undefined) this.#earlyMemos.delete(oldest);
    return memo;
  }

  /** One turn of one object: the work queue calls this. */
  async run(state: ObjectState, why: Occasion): Promise<TurnResult> {
    const { registry, observer, fence, host: { clock }, manners, hotLoops } = this.#run;
    const kind = this.#kinds.of(registry.of(state.resource));
    const term = fence?.termOf(state.body.metadata.uid ?? "");
    // NB: a turn without a term would write without a permit.
    if (fence !== undefined && term === undefined) return { kind: "requeue", after: 0, wake: why.wake };
    const reconcile = `${this.#runId}-${++this.#turns}`;
    const isHurried = this.#run.wishes?.takeReconcile(state, why.events);
    const turn = prepare(this.#run, state, { kind, term, reconcile, isUrgent: why.isUrgent, isHurried });
    const { wake, waited } = why;
    observer.reconcileBegins?.(state, { wake, waited, events: why.events.map(({ event }) => event) });
    const begun = clock.monotonic();
    const { result, error } = observer.around === undefined
      ? await this.#attempt(turn, why)
      : await observer.around({ kind: "reconcile", subject: state, wake }, () => this.#attempt(turn, why));
    decideSuccesses(turn);
    for (const manner of manners) manner.turnEnded?.(state);
    observer.reconcileEnds?.(state, toReconcileEnd(result, { error, seconds: clock.monotonic() - begun }));
    return slowDown(result, hotLoops.pauseAfter(loopingIn(turn)));
  }

  async #attempt(turn: Turn, why: Occasion): Promise<Attempted> {
    const { state, logger, signal, run: { hotLoops } } = turn;
    try {
      const hasEvents = why.events.length > 0;
      if (hotLoops.isSuspicious(state, hasEvents)) await hotLoops.findOtherWriters(loopingIn(turn));
      return { result: untilConsistent(turn, await reconcile(turn, why)) };
    } catch (error) {
      if (this.#hasLostTerm(turn, error)) {
        // NB: in the last second of a session nothing is sent any more: until it is renewed, or in doubt, no turn could do better.
        const after = Math.max(0, turn.term?.timeLeft() ?? 0);
        return { result: { kind: "requeue", after, wake: "retry" } };
      }
      if (!signal.aborted) return { result: retryLater(turn, why, error), error };
      // A reconcile that is aborted with the operator goes on in the next process.
      if (error !== signal.reason) logger.warn("Reconcile failed while the operator stops", { error });
      return { result: { kind: "unchanged" }, error };
    }
  }

  /** Whether a turn has failed since its term has ended: the object goes on in the next term, or is another replica's. */
  #hasLostTerm({ term, logger, run }: Turn, error: unknown): boolean {
    if (term === undefined || run.signal.aborted) return false;
    if (!(error instanceof PermitEndedError) && !term.signal.aborted) return false;
    logger.debug("The turn has ended with the term: the object is, or may be, another replica's", { error });
    return true;
  }

  /** Whether no turn of the object is under way or planned to come at once. */
  #isIdle(state: ObjectState): boolean {
    if (state.settledFor === undefined || !this.#options.queue.isIdle(state)) return false;
    return this.#leaving.size === 0 || !this.#leaving.has(state.key);
  }

  /** No turn is made of the newest state. */
  #settle(state: ObjectState): void {
    const before = state.snapshot;
    state.settle();
    this.#options.observer.passed?.(state, { before, after: state.snapshot });
  }

  /** Whether an object that has just come is as it would be after its first turn, so that it needs none. */
  #isSettled(state: ObjectState, { sees, manners, handlers: { fields } }: Kind, told: ObjectEvent): boolean {
    if (told.event.type === "DELETED" || sees === undefined || state.doubt !== undefined) return false;
    const run = this.#run;
    const { object } = told.event;
    if (this.#leaving.has(state.key)) return false;
    if (run.pauses?.concerns(object) === true || run.wishes?.concerns(object) === true) return false;
    return manners.every(({ manner, handlers }) =>
      manner.isSettled?.(state, { handlers, fields, run }) === true
    );
  }

  #settleNew(state: ObjectState, kind: Kind, { event }: ObjectEvent): void {
    settleNew(state, kind);
    this.#options.observer.settled?.(state, event.type);
  }

  /** `keepAll`: whether all events of the kind are wanted, and not only the latest. */
  #enqueue(state: ObjectState, told: ObjectEvent, keepAll: boolean): void {
    const isDeleted = told.event.type === "DELETED";
    const { queue, observer, settings } = this.#options;
    const limit = settings.queueing.eventLimit ?? Infinity;
    if (this.#leaving.size > 0 || isDeleted) {
      const leaving = this.#leaving.get(state.key);
      // NB: a namesake, or an object that has come back, is not handled beside the one that leaves.
      if (leaving !== undefined && leaving.state !== state) {
        const { isOverrun, dropped } = leaving.add(state, told, { keepAll, limit });
        for (const gone of dropped) this.forget(gone);
        if (isOverrun) this.#reportOverrun(state, limit);
        return;
      }
      if (isDeleted && leaving === undefined) this.#leaving.set(state.key, new Leaving(state));
    }
    if (!keepAll && isEcho(state, told) && !queue.isRetrying(state)) return;
    if (queue.addEvent(state, told, { keepAll, limit })) this.#reportOverrun(state, limit);
    observer.enqueued?.(state, told.event.type);
  }

  drops(state: ObjectState, events: readonly ObjectEvent[]): boolean {
    const { registry, observer } = this.#options;
    if (this.#kinds.of(registry.of(state.resource)).keepsEvents) return false;
    if (!events.every((told) => isEcho(state, told))) return false;
    observer.dropped?.(state);
    return true;
  }

  #reportOverrun(state: ObjectState, limit: number): void {
    this.#options.logger.child({ reference: objectReference(state.body) }).warn(
      "Events come faster than the handlers of events take them: until they have caught up, only the newest of each kind " +
        "is kept (make the handlers faster, or raise `queueing.eventLimit`)",
      { limit },
    );
  }

  /** Whether no turn of the object may be had here, as another replica is responsible for it, or none. */
  #isElsewhere({ metadata: { uid = "" } }: KubeObject): boolean {
    const { fence } = this.#options;
    return fence !== undefined && fence.termOf(uid) === undefined;
  }

  /** Whether work waits for the object: it is being deleted, was not handled yet, or handlers are to be tried again. */
  #isWaiting(object: KubeObject, { handlers: { fields: extraFields } }: Kind): boolean {
    const { persistence } = this.#options;
    if (object.metadata.deletionTimestamp !== undefined || persistence.progress.ids(object).length > 0) {
      return true;
    }
    const handled = handledEssence(persistence, object, { extraFields });
    return handled === undefined ||
      !isEqualJson(handled, currentEssence(persistence, object, { extraFields }));
  }

  /** Indexes an object without a state: indexes hold the objects of all replicas. */
  #index(resource: Resource, { event }: ObjectEvent): void {
    const { indexing, memo } = this.#options;
    const kind = this.#resourceState(resource);
    const key = objectKey(resource, event.object);
    const reportOnce = (what: string): boolean => kind.reportOnce(`${key} ${what}`);
    indexing.submit({ key, resource, memo: { ...memo }, reportOnce }, event);
  }

  /**
   * Whether another replica may have handled an object that an event brings: it was there before, or the stream may still lag
   * behind the last writes of the former holder.
   */
  #mayBeInherited({ before }: ObjectEvent): boolean {
    return before !== undefined || this.#options.host.clock.monotonic() - this.#takenAt < LONGEST_LAG;
  }

  #stateOf(
    resource: Resource,
    { cached, event, before }: ObjectEvent,
    { manners, isInherited }: Pick<Kind, "manners"> & { readonly isInherited?: boolean },
  ): ObjectState {
    const known = this.#states.get(cached);
    if (known !== undefined) {
      // Discovery may have changed the resource: whether its status is a subresource, for one.
      if (known.resource !== resource) this.#resourceState(resource);
      return known;
    }
    const early = this.#earlyMemos.size === 0
      ? undefined
      : this.#takeEarlyMemo(objectKey(resource, event.object));
    const { memo } = this.#options;
    const state = new ObjectState({
      cached,
      kind: this.#resourceState(resource),
      // One that begins empty is made when it is asked for.
      memo: early ?? (Reflect.ownKeys(memo).length === 0 ? undefined : { ...memo }),
      firstSeen: event.type === null || (isInherited && before !== undefined) ? "listing" : "event",
      isInherited,
    });
    this.#states.set(cached, state);
    for (const { manner, handlers } of manners) manner.introduce?.(state, handlers);
    return state;
  }

  #resourceState(resource: Resource): ResourceState {
    const key = keyOf(resource);
    let state = this.#resources.get(key);
    if (state === undefined) this.#resources.set(key, state = new OwnResourceState(resource));
    state.resource = resource;
    return state;
  }

  #takeEarlyMemo(key: string): Record<string, unknown> | undefined {
    const memo = this.#earlyMemos.get(key);
    if (memo !== undefined) this.#earlyMemos.delete(key);
    return memo;
  }
}

class OwnResourceState implements ResourceState {
  resource: Resource;
  readonly #reported = new Set<string>();

  constructor(resource: Resource) {
    this.resource = resource;
  }

  reportOnce(what: string): boolean {
    return !this.#reported.has(what) && this.#reported.add(what).size > 0;
  }
}

/** An object that was let go, although handlers of it still run. */
export interface LeftWork {
  readonly key: string;
  /** "plural.version.group namespace/name". */
  readonly name: string;
  readonly done: Promise<unknown>;
}

/** Whether an event shows a known state: it is an echo, mostly of our own writes, and begins no turn. */
function isEcho(state: ObjectState, { event, adoption }: ObjectEvent): boolean {
  if (event.type === "DELETED" || adoption === "early" || state.hasNews) return false;
  return !state.isUnfinished && state.doubt === undefined;
}

interface Attempted {
  readonly result: TurnResult;
  readonly error?: unknown;
}

/** With each failure in a row the object waits longer, and no other turn of it begins meanwhile. */
function retryLater({ run: { settings }, logger }: Turn, { failures }: Occasion, error: unknown): TurnResult {
  const delays = [...settings.queueing.errorDelays];
  const pause = delays[Math.min(failures, delays.length - 1)];
  const after = pause ?? settings.execution.defaultBackoff;
  logger.error("Reconcile failed", { error, retryIn: after, attempt: failures + 1 });
  return { kind: pause === undefined ? "requeue" : "throttle", after, wake: "error", failed: true };
}

/** Where versions have no order, a state that came after an own write is kept aside: the object has a turn when it is to be taken. */
function untilConsistent({ state, run: { host: { clock } } }: Turn, result: Result): Result {
  const until = state.cached.waitsUntil;
  if (until === undefined || result.kind === "gone") return result;
  const after = Math.max(0, until - clock.monotonic());
  if ("after" in result && result.after <= after) return result;
  return { kind: "requeue", after, wake: "event" };
}

/** An object that wakes itself again and again has to wait. */
function slowDown(result: TurnResult, pause: Seconds | undefined): TurnResult {
  if (pause === undefined || result.kind === "gone") return result;
  const { after, wake } = "after" in result ? result : { after: 0, wake: "retry" as const };
  return { kind: "throttle", after: Math.max(pause, after), wake, failed: result.failed };
}

function toReconcileEnd(
  result: Result,
  { error, seconds }: Pick<ReconcileEnd, "error" | "seconds">,
): ReconcileEnd {
  const unchanged = result.kind === "unchanged";
  const gone = result.kind === "gone";
  if (!("after" in result)) return { error, seconds, unchanged, gone };
  return { error, seconds, unchanged, gone, after: result.after, wake: result.wake };
}
