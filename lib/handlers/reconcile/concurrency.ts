/**
 * Lets objects reconcile in turn, where a handler says for how many objects of its kind at the same time.
 *
 * No turn waits for a place: an object that finds none ends its turn, and is woken when there is one, in the order in which the
 * objects came. So the other changes of the turn are written meanwhile, and the handler is called with the newest state.
 */

import type { ObjectState } from "../../execution/object_state.ts";
import type { ReconcileHandler } from "./reconcile_handler.ts";

export interface ConcurrencyOptions {
  /** Begins a turn of the object. Returns false if the object has to wait for another reason, after which it comes by itself. */
  readonly wake: (state: ObjectState) => boolean;
}

/** The number of objects that reconcile by one handler now, and the objects that wait for it. */
interface Line {
  readonly limit: number;
  active: number;
  /** In the order in which they came; with whether they were woken, and have not come yet. */
  readonly waiting: Map<ObjectState, { isWoken: boolean }>;
}

/** The places of one run. */
export class Concurrency {
  readonly #options: ConcurrencyOptions;
  readonly #lines = new Map<ReconcileHandler, Line>();

  constructor(options: ConcurrencyOptions) {
    this.#options = options;
  }

  /** Takes a place, which is given back by disposing of it, once; undefined: there is none, and the object will be woken. */
  enter(handler: ReconcileHandler, state: ObjectState): Disposable | undefined {
    const { concurrency: limit } = handler;
    if (limit === undefined) return FREE;
    const line = this.#lineOf(handler, limit);
    if (line.active >= line.limit) {
      const waiter = line.waiting.get(state);
      if (waiter === undefined) line.waiting.set(state, { isWoken: false });
      else waiter.isWoken = false;
      return undefined;
    }
    line.waiting.delete(state);
    line.active += 1;
    let isLeft = false;
    return {
      [Symbol.dispose]: () => {
        if (isLeft) return;
        isLeft = true;
        line.active -= 1;
        this.#serve(line);
      },
    };
  }

  /** An object's turn has ended: if it was woken for a place and has not taken it, the place goes to the next object. */
  turnEnds(state: ObjectState): void {
    for (const line of this.#lines.values()) {
      if (line.waiting.get(state)?.isWoken !== true) continue;
      line.waiting.delete(state);
      this.#serve(line);
    }
  }

  /** The object has gone. */
  forget(state: ObjectState): void {
    for (const line of this.#lines.values()) if (line.waiting.delete(state)) this.#serve(line);
  }

  #lineOf(handler: ReconcileHandler, limit: number): Line {
    let line = this.#lines.get(handler);
    if (line === undefined) this.#lines.set(handler, line = { limit, active: 0, waiting: new Map() });
    return line;
  }

  /** Wakes as many objects as there are places for. */
  #serve(line: Line): void {
    let free = line.limit - line.active;
    for (const [state, waiter] of line.waiting) {
      if (free <= 0) return;
      if (!waiter.isWoken) {
        waiter.isWoken = true;
        if (!this.#options.wake(state)) {
          line.waiting.delete(state);
          continue;
        }
      }
      free -= 1;
    }
  }
}

const FREE: Disposable = { [Symbol.dispose]: () => {} };
