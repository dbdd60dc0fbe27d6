/**
 * The objects of shards in one run: they get turns when a shard is taken, hold still while its session is in doubt, come to rest
 * when it is let go, and are forgotten when its term has ended.
 *
 * The engine of replicas calls it. It also bars turns: of objects whose shards are not held, and of objects whose handlers of an
 * earlier term still run here, until these have ended, or the time to end has passed. Source: docs/decisions/0036-responsibility.md.
 */

import type { TaskGroup } from "../async/tasks.ts";
import { withTimeout } from "../async/timeout.ts";
import type { Poster } from "../engines/posting/poster.ts";
import type { ShardWork, TermEnd } from "../engines/replicas/shard_fence.ts";
import { shardOf } from "../engines/replicas/shard_fence.ts";
import type { Fence, Term } from "../execution/fence.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { Daemons } from "../handlers/background/daemons.ts";
import type { KubeObject } from "../model/object.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Controller } from "./controller.ts";
import type { WorkQueue } from "./work_queue.ts";

export interface ShardTurnsOptions {
  /** How many shards there are. */
  readonly shards: number;
  readonly clock: Clock;
  /** How long handlers may take to end when they were told to. */
  readonly drainTimeout: Seconds;
  readonly controller: Pick<Controller, "take" | "letGo">;
  readonly queue: Pick<WorkQueue, "reopen" | "turnsOf">;
  readonly daemons: Pick<Daemons, "hold" | "release">;
  /** Posts the last Events before a shard is let go. */
  readonly poster: Pick<Poster, "flush">;
  readonly tasks: TaskGroup;
  readonly leftovers: Leftovers;
}

/** The turns of the objects of all shards. */
export class ShardTurns implements ShardWork {
  readonly #options: ShardTurnsOptions;

  constructor(options: ShardTurnsOptions) {
    this.#options = options;
  }

  begin(term: Term): void {
    this.#take(term);
  }

  pause(term: Term): void {
    const { daemons, tasks } = this.#options;
    tasks.own("hold daemons", () => daemons.hold(this.#isStateOf(term), { all: false }));
  }

  proceed(term: Term): void {
    this.#goOn(term);
    const { queue, tasks } = this.#options;
    for (const [state, ended] of queue.turnsOf(this.#isStateOf(term))) {
      tasks.own("wait for a turn of an earlier term", () => this.#replace(state, ended, term));
    }
  }

  async drain(term: Term): Promise<void> {
    const { daemons, queue, poster } = this.#options;
    const isConcerned = this.#isStateOf(term);
    const turns = [...queue.turnsOf(isConcerned).values()];
    await Promise.all([...turns, daemons.hold(isConcerned, { all: true })]);
    // A turn that ended last may have started daemons just before the drain began.
    await daemons.hold(isConcerned, { all: true });
    await poster.flush();
  }

  resume(term: Term): void {
    this.#goOn(term);
  }

  end(term: Term, why: TermEnd): readonly string[] {
    const { controller, leftovers } = this.#options;
    const left = controller.letGo(this.#isOf(term));
    // Handlers of a drain that took too long have had their time to end.
    if (why !== "overdue") { for (const { key, done } of left) leftovers.add(key, done); }
    return left.map(({ name }) => name);
  }

  /** An object whose handler of an earlier term does not end begins anew without it: the handler can write nothing any more. */
  async #replace(state: ObjectState, ended: Promise<void>, term: Term): Promise<void> {
    const { clock, drainTimeout: timeout, controller } = this.#options;
    if (await withTimeout(ended, { clock, timeout }) || term.signal.aborted || state.isForgotten) return;
    const { uid } = state.body.metadata;
    controller.letGo((object) => object.metadata.uid === uid);
    this.#take(term);
  }

  #take(term: Term): void {
    const { controller, tasks } = this.#options;
    tasks.own("take objects", () => controller.take(this.#isOf(term), term.signal));
  }

  /** Objects go on. Objects that came while no state was made get one. */
  #goOn(term: Term): void {
    const { daemons, queue } = this.#options;
    queue.reopen();
    daemons.release(this.#isStateOf(term));
    this.#take(term);
  }

  #isOf({ shard }: Term): (object: KubeObject) => boolean {
    const { shards } = this.#options;
    return ({ metadata: { uid = "" } }) => shardOf(uid, shards) === shard;
  }

  #isStateOf(term: Term): (state: ObjectState) => boolean {
    const isOf = this.#isOf(term);
    return ({ body }) => isOf(body);
  }
}

export interface LeftoversOptions {
  readonly clock: Clock;
  /** How long an object waits for handlers that were told to end. */
  readonly timeout: Seconds;
  /** Called when an object has to wait no longer. */
  readonly onFree: () => void;
}

/** Objects whose handlers of an earlier term still run in this process, by their keys. */
export class Leftovers {
  readonly #options: LeftoversOptions;
  readonly #waits = new Map<string, Disposable>();

  constructor(options: LeftoversOptions) {
    this.#options = options;
  }

  /** How many objects have to wait. */
  get size(): number {
    return this.#waits.size;
  }

  /** Whether an object has to wait. */
  has(key: string): boolean {
    return this.#waits.size > 0 && this.#waits.has(key);
  }

  /** Adds an object whose handlers end with the promise. */
  add(key: string, done: Promise<unknown>): void {
    const { clock, timeout, onFree } = this.#options;
    const free = (): void => {
      timer[Symbol.dispose]();
      if (this.#waits.get(key) !== timer) return;
      this.#waits.delete(key);
      onFree();
    };
    this.#waits.get(key)?.[Symbol.dispose]();
    const timer = clock.after(timeout, free);
    this.#waits.set(key, timer);
    done.then(free);
  }

  /** Forgets all. */
  [Symbol.dispose](): void {
    for (const timer of this.#waits.values()) timer[Symbol.dispose]();
    this.#waits.clear();
  }
}

/** Returns whether no turn of an object may begin. */
export function barsOf(
  fence: Fence,
  leftovers: Pick<Leftovers, "has">,
): (state: ObjectState) => boolean {
  return (state) => !fence.isResponsible(state.body.metadata.uid ?? "") || (leftovers.has(state.key));
}
