/**
 * An object whose deletion is not handled to its end yet, and the news of namesakes that have come meanwhile: namesakes are
 * handled after it, never beside it.
 *
 * How much is kept is bounded, as anybody can make and delete namesakes for as long as a handler of the first one hangs.
 */

import type { ObjectEvent } from "../client/cache/object_store.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { WatchEvent } from "../model/object.ts";
import type { AddEventOptions } from "./work_queue.ts";

/** How many pieces of news wait at most for a kind that keeps only the latest event. */
const MOST = 100;

/** One piece of news. `keepAll`: whether all events of its kind are wanted. */
export type News = readonly [state: ObjectState, told: ObjectEvent, keepAll: boolean];

/** How a piece of news was kept. */
export interface Kept {
  /** Whether events are dropped from now on: more wait than there may, and only the newest of each kind is kept. */
  readonly isOverrun: boolean;
  /** Namesakes whose news is all dropped, as they had come and gone. */
  readonly dropped: readonly ObjectState[];
}

/** An object that leaves. */
export class Leaving {
  /** The state of the object that leaves. */
  readonly state: ObjectState;
  #waiting: News[] = [];
  #isOverrun = false;

  constructor(state: ObjectState) {
    this.state = state;
  }

  /** The news, in their order. */
  get waiting(): readonly News[] {
    return this.#waiting;
  }

  /** Keeps a piece of news until the object has left. */
  add(state: ObjectState, told: ObjectEvent, { keepAll, limit = Infinity }: AddEventOptions): Kept {
    const most = keepAll ? limit : Math.min(limit, MOST);
    this.#waiting.push([state, told, keepAll]);
    const isOverrun = keepAll && !this.#isOverrun && this.#waiting.length > most;
    this.#isOverrun ||= isOverrun;
    if (!keepAll || this.#isOverrun) this.#waiting = newestOf(this.#waiting, keepAll);
    return { isOverrun, dropped: this.#waiting.length > most ? this.#dropGone(state) : [] };
  }

  /** Drops the news of namesakes that had come and gone before this one. */
  #dropGone(latest: ObjectState): readonly ObjectState[] {
    const gone = new Set<ObjectState>();
    for (const [state, { event }] of this.#waiting) {
      if (state !== latest && event.type === "DELETED") gone.add(state);
    }
    this.#waiting = this.#waiting.filter(([state]) => !gone.has(state));
    return [...gone];
  }
}

/** Only the latest of each namesake, or the latest of each kind of event. */
function newestOf(waiting: readonly News[], ofEachKind: boolean): News[] {
  const known = new Map<ObjectState, Set<WatchEvent["type"]>>();
  return waiting.toReversed().filter(([state, { event: { type } }]) => {
    const types = known.get(state);
    if (types === undefined) known.set(state, new Set([type]));
    else if (!ofEachKind || types.size === types.add(type).size) return false;
    return true;
  }).reverse();
}
