/**
 * The daemons and timers of one object, with the facts about the object that they need; and the context that all of them share.
 *
 * The record of an object is small, since there may be ten thousands of objects. Source: Kopf, docs/daemons; Kopf, docs/timers.
 */

import type { TaskGroup } from "../../async/tasks.ts";
import type { Fence } from "../../execution/fence.ts";
import type { ObjectState } from "../../execution/object_state.ts";
import type { ObjectWriter } from "../../execution/object_writer.ts";
import type { Brake, Observer } from "../../execution/observer.ts";
import type { KubeObject } from "../../model/object.ts";
import type { MakeChildren } from "../../registry/children.ts";
import type { Clock, Random, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Settings } from "../../settings/settings.ts";
import type { ObjectCause } from "../object_args.ts";

/** The part of the operator that its daemons and timers need to know. */
export interface DaemonContext {
  readonly clock: Clock;
  /** Lets pauses that grow vary. */
  readonly random: Random;
  readonly settings: Settings;
  readonly writer: ObjectWriter;
  readonly observer: Observer;
  /** Slows down tasks that trigger themselves. */
  readonly brake: Brake;
  /** Returns a logger that is bound to the object. */
  readonly loggerOf: (body: KubeObject) => Logger;
  readonly indices: ObjectCause["indices"];
  /** Makes `children` for them. Default: they have none. */
  readonly makeChildren?: MakeChildren;
  readonly tasks: TaskGroup;
  /** Says which objects this replica is responsible for. Default: for all of them. */
  readonly fence?: Fence;
  /** Returns a digest of the object's essence: the object has changed when the digest has. */
  readonly essenceOf: (state: ObjectState, body: KubeObject) => string;
}

/** A daemon or timer that wants to know when its object changes. */
interface ChangeListener {
  /** Called when the object has changed. */
  onChange(): void;
}

const NONE: readonly never[] = [];

/** The daemons and timers of one object. */
export class ObjectDaemons<Task extends ChangeListener> {
  readonly state: ObjectState;
  /** Never pushed to: an array that grows keeps room for sixteen more, of which most objects have no need. */
  #tasks: readonly Task[] = NONE;
  /** When the object changed last, on the monotonic clock: first sight counts. */
  idleSince: Seconds;
  /** How often it has changed since. A count, as times do not tell the order of events where a clock stands still. */
  changes = 0;
  /** The latest digest of the object's essence; undefined until it is needed. */
  #essence: string | undefined;
  /** By id: the essence on which it has failed, or undefined if it has ended for good. */
  #finished: Map<string, string | undefined> | undefined;

  constructor(state: ObjectState, now: Seconds) {
    this.state = state;
    this.idleSince = now;
  }

  /** Whether changes matter, as a handler has failed that may be started again on a changed object. */
  get awaitsChange(): boolean {
    return this.#finished !== undefined && [...this.#finished.values()].some((each) => each !== undefined);
  }

  /** Compares the essence with the one before; on a change, idle times begin anew and failed handlers may be started again. */
  notice(essence: string, now: Seconds): void {
    for (const [id, failed] of this.#finished ?? []) {
      if (failed !== undefined && failed !== essence) this.#finished?.delete(id);
    }
    const before = this.#essence;
    this.#essence = essence;
    if (before === undefined || before === essence) return;
    this.idleSince = now;
    this.changes++;
    for (const task of this.#tasks) task.onChange();
  }

  /** Whether the handler has ended by itself, and must not be started again. */
  hasFinished(id: string): boolean {
    return this.#finished?.has(id) === true;
  }

  /** The handler must not be started again: for good, or as long as the essence is `failedOn`. */
  finish(id: string, failedOn?: string): void {
    this.#finished ??= new Map();
    this.#finished.set(id, failedOn);
  }

  /** The handler may be started again: it has become another one. */
  reopen(id: string): void {
    this.#finished?.delete(id);
  }

  /** The tasks that have not ended, stopping and abandoned ones included. A list is never changed: changes make another one. */
  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  add(task: Task): void {
    this.#tasks = this.#tasks.concat(task);
  }

  remove(task: Task): void {
    this.#tasks = this.#tasks.filter((each) => each !== task);
  }
}
