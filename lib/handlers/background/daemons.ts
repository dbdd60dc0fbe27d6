/**
 * The daemons and timers of one operator: starts the ones that match their object, stops the ones that must not go on, and tells
 * whether the object may go.
 *
 * Stopping waits for no event of the object: its stages go on by themselves, and the object is reconciled again when the last
 * task that stops has ended. Source: Kopf, docs/daemons.
 */

import { Schedule } from "../../async/schedule.ts";
import { Waiters } from "../../async/waiters.ts";
import type { ObjectState } from "../../execution/object_state.ts";
import type { Resource } from "../../model/resource.ts";
import type { StopReason } from "./background_handler.ts";
import type { BackgroundHandler } from "./background_handler.ts";
import { DaemonTask, type TaskContext } from "./daemon_task.ts";
import { type DaemonContext, ObjectDaemons } from "./object_daemons.ts";

export interface DaemonsOptions extends DaemonContext {
  /** Called when an object should be reconciled again. */
  readonly wake: (state: ObjectState) => void;
}

/** Which daemons and timers an object has, and which of them it should have. */
export interface Matching {
  /** All daemons and timers of the kind. */
  readonly handlers: readonly BackgroundHandler[];
  /** The handlers among them that match this object. */
  readonly matching: readonly BackgroundHandler[];
  readonly isDeleting: boolean;
}

/** Daemons and timers that were loaded anew. */
export interface ExchangedDaemons {
  /** Returns the daemons and timers of a kind, as they were loaded now. */
  readonly backgroundsOf: (resource: Resource) => readonly BackgroundHandler[];
  /** Whether a handler is another one than before, so that its tasks must begin anew. */
  readonly hasChanged: (handler: BackgroundHandler) => boolean;
}

/** The claim of a part of a turn, such as daemons and timers, on the finalizer of their object. */
export interface Claim {
  /** Whether the object needs the operator's finalizer. */
  readonly isRequired: boolean;
  /** Whether the object must wait before it goes, such as for a daemon that still stops. */
  readonly isPending: boolean;
}

/** All daemons and timers of one operator. */
export class Daemons implements Disposable {
  readonly #options: DaemonsOptions;
  readonly #context: TaskContext;
  readonly #objects = new Map<ObjectState, ObjectDaemons<DaemonTask>>();
  /** The tasks that have neither ended nor been abandoned. */
  readonly #live = new Set<DaemonTask>();
  readonly #ends = new Waiters<true>();
  readonly #schedule: Schedule<DaemonTask>;
  /** Tasks whose time has come while this replica was not responsible for their objects. */
  readonly #held = new Set<DaemonTask>();
  /** Objects whose daemons were stopped, or not started, for the same reason. */
  readonly #quiet = new Set<ObjectState>();
  #isPaused = false;
  #isExiting = false;

  constructor(options: DaemonsOptions) {
    this.#options = options;
    this.#schedule = new Schedule<DaemonTask>({
      clock: options.clock,
      callback: (task) => task.wake(),
    });
    this.#context = {
      ...options,
      schedule: this.#schedule,
      isExiting: () => this.#isExiting,
      holds: (task) => this.#holds(task),
      onReleased: (task) => this.#release(task),
    };
  }

  /** How many objects are remembered, how many daemons and timers live, and how many of these tasks wait for a time. */
  get counts(): { readonly objects: number; readonly live: number; readonly planned: number } {
    return { objects: this.#objects.size, live: this.#live.size, planned: this.#schedule.size };
  }

  /** Starts the tasks that match the object's state, and stops the others. Waits a moment for tasks that stop at once. */
  async match(state: ObjectState, { handlers, matching, isDeleting }: Matching): Promise<void> {
    const object = this.#objectOf(state);
    this.#notice(object, handlers);
    if (isDeleting) {
      await this.#stop(object.tasks, "RESOURCE_DELETED");
    } else {
      this.#spawn(object, matching);
      const wanted = new Set(matching.map(({ id }) => id));
      await this.#stop(
        object.tasks.filter(({ handler }) => !wanted.has(handler.id)),
        "FILTERS_MISMATCH",
      );
    }
  }

  /** Returns whether the object must wait for its daemons and timers. Starts and stops no task. */
  claimOf(state: ObjectState, matching: readonly BackgroundHandler[]): Claim {
    const object = this.#objects.get(state);
    const isPending = object?.tasks.some((each) => each.isStopping && !each.isReleased) === true;
    const isRequired = isPending || matching.some(({ id }) => object?.hasFinished(id) !== true);
    return { isRequired, isPending };
  }

  /** The object has gone, or is not selected any more: its tasks are told to stop, and the object is forgotten. */
  async forget(
    state: ObjectState,
    reason: "RESOURCE_DELETED" | "FILTERS_MISMATCH" = "RESOURCE_DELETED",
  ): Promise<void> {
    const object = this.#objects.get(state);
    if (object === undefined) return;
    this.#objects.delete(state);
    this.#quiet.delete(state);
    await this.#stop(object.tasks, reason);
  }

  /**
   * The object is another replica's now: its tasks are told to stop, and the object is forgotten. Returns the end of the ones
   * that run; undefined: none does.
   */
  leave(state: ObjectState): Promise<void> | undefined {
    const object = this.#objects.get(state);
    if (object === undefined) return undefined;
    this.#objects.delete(state);
    this.#quiet.delete(state);
    const { tasks } = object;
    for (const task of tasks) this.#held.delete(task);
    this.#options.tasks.own("stop daemons", () => this.#stop(tasks, "OPERATOR_PAUSING"));
    return tasks.every(({ isReleased }) => isReleased) ? undefined : this.#ended(tasks);
  }

  /**
   * Stops the daemons of some objects, and the timers that run: this replica may not work on them for now. Timers that wait stay,
   * unless `all` is set, and run when `release()` says so. Resolves when the ones that were stopped have ended.
   */
  async hold(
    isConcerned: (state: ObjectState) => boolean,
    { all }: { readonly all: boolean },
  ): Promise<void> {
    const tasks = [...this.#live].filter((task) =>
      isConcerned(task.siblings.state) && (all || !task.isWaiting)
    );
    for (const { siblings: { state } } of tasks) this.#quiet.add(state);
    await this.#stop(tasks, "OPERATOR_PAUSING");
    await this.#ended(tasks);
  }

  /** Ends a hold: timers whose time has come run, and objects whose daemons were stopped are reconciled. */
  release(isConcerned: (state: ObjectState) => boolean): void {
    for (const task of [...this.#held]) {
      if (!isConcerned(task.siblings.state)) continue;
      this.#held.delete(task);
      task.wake();
    }
    for (const state of [...this.#quiet]) {
      if (!isConcerned(state)) continue;
      this.#quiet.delete(state);
      this.#options.wake(state);
    }
  }

  /** Whether the task must wait, as another replica may be responsible for its object: `release()` wakes it. */
  #holds(task: DaemonTask): boolean {
    const { fence } = this.#options;
    const { uid = "" } = task.siblings.state.body.metadata;
    if (fence === undefined || fence.isResponsible(uid)) return false;
    this.#held.add(task);
    return true;
  }

  async #ended(tasks: readonly DaemonTask[]): Promise<void> {
    while (!tasks.every(({ isReleased }) => isReleased)) await this.#ends.wait();
  }

  /** Stops all daemons and timers, and starts none until `resume()`. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#stop([...this.#live], "OPERATOR_PAUSING");
  }

  /** Ends a pause: all objects are reconciled again. */
  resume(): void {
    this.#isPaused = false;
    for (const state of this.#objects.keys()) this.#options.wake(state);
  }

  /**
   * Handlers were loaded anew. Tasks of changed handlers are told to stop, and are started by the next turn of their object after
   * their end. Tasks of unchanged handlers go on.
   */
  async exchange({ backgroundsOf, hasChanged }: ExchangedDaemons): Promise<void> {
    const outdated: DaemonTask[] = [];
    for (const [state, object] of this.#objects) {
      for (const handler of backgroundsOf(state.resource)) {
        const task = object.tasks.find((each) => each.handler.id === handler.id);
        if (!hasChanged(handler)) task?.exchange(handler);
        else if (task === undefined) object.reopen(handler.id);
        else outdated.push(task);
      }
    }
    await this.#stop(outdated, "OPERATOR_EXITING");
  }

  /** Stops all daemons and timers for good; resolves when each has ended, or was abandoned after the time that it has. */
  async exit(): Promise<void> {
    this.#isExiting = true;
    await this.#stop([...this.#live], "OPERATOR_EXITING");
    while (this.#live.size > 0) await this.#ends.wait();
  }

  /** Wakes no task any more. */
  [Symbol.dispose](): void {
    this.#schedule[Symbol.dispose]();
  }

  #objectOf(state: ObjectState): ObjectDaemons<DaemonTask> {
    const known = this.#objects.get(state);
    if (known !== undefined) return known;
    const object = new ObjectDaemons<DaemonTask>(state, this.#options.clock.monotonic());
    this.#objects.set(state, object);
    return object;
  }

  /** Notices a change of the object. Computes its essence only if a timer has `idle`, or if a failed one may start again. */
  #notice(object: ObjectDaemons<DaemonTask>, handlers: readonly BackgroundHandler[]): void {
    const isIdling = handlers.some((handler) => handler.type === "timer" && handler.idle !== undefined);
    if (!isIdling && !object.awaitsChange) return;
    const { essenceOf, clock } = this.#options;
    object.notice(essenceOf(object.state, object.state.body), clock.monotonic());
  }

  #spawn(object: ObjectDaemons<DaemonTask>, matching: readonly BackgroundHandler[]): void {
    if (this.#isPaused || this.#isExiting) return;
    const { fence } = this.#options;
    if (fence !== undefined && !fence.isResponsible(object.state.body.metadata.uid ?? "")) {
      // The shard drains, or the session is in doubt: `release()` gives the object another turn.
      if (matching.length > 0) this.#quiet.add(object.state);
      return;
    }
    for (const handler of matching) {
      const isThere = object.tasks.some((each) => each.handler.id === handler.id);
      if (isThere || object.hasFinished(handler.id)) continue;
      const task = new DaemonTask(handler, object, this.#context);
      object.add(task);
      this.#live.add(task);
      task.start();
    }
  }

  async #stop(tasks: readonly DaemonTask[], reason: StopReason): Promise<void> {
    const told = tasks.filter((each) => !each.wasTold(reason));
    for (const task of told) {
      this.#options.observer.backgroundStops?.(task.siblings.state, { handler: task.handler.id });
      task.stop(reason);
    }
    await this.#grace(told);
    for (const task of told) task.advance();
  }

  /** Waits briefly, so that daemons that stop at once cost no stages and no second reconcile. */
  async #grace(tasks: readonly DaemonTask[]): Promise<void> {
    const { clock, settings } = this.#options;
    const { instantExitTimeout, instantExitZeroTimeCycles } = settings.background;
    const isOver = (): boolean => tasks.every((each) => each.isReleased);
    if (instantExitTimeout === null) {
      for (let turn = 0; turn < (instantExitZeroTimeCycles ?? 0) && !isOver(); turn++) await clock.sleep(0);
      return;
    }
    if (isOver()) return;
    const controller = new AbortController();
    using _timer = clock.after(instantExitTimeout, () => controller.abort());
    while (!isOver() && !controller.signal.aborted) await this.#ends.wait(controller.signal);
  }

  #release(task: DaemonTask): void {
    this.#live.delete(task);
    this.#held.delete(task);
    this.#ends.serveAll(true);
    const { state, tasks } = task.siblings;
    if (this.#isExiting || this.#objects.get(state) !== task.siblings) return;
    if (tasks.some((each) => each.isStopping && !each.isReleased)) return;
    this.#options.wake(state);
  }
}
