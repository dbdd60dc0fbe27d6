/**
 * Knows whether anything in a virtual host is still at work, so that time passes only when all is idle.
 *
 * Promise work cannot be observed, only given turns to run. So the clock counts turns of the event loop without an event
 * that was noticed here, and work that is known to be under way (a request without its response) keeps it waiting longer.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers";

/** So many turns without anything noticed mean that all promise work is done. */
const QUIET_TURNS = 3;

/** As much of a turn counts as waiting, in real milliseconds: in a longer one the process itself has not run. */
const LONGEST_TURN = 5;

/** Work under way. */
export interface Work {
  /** Says that it went on: it is waited for again, if it was taken for hanging. */
  touch(): void;
  end(): void;
}

/** The activity in one virtual host. */
export class Activity {
  /** In real milliseconds. */
  readonly #patience: number;
  readonly #current = new AsyncLocalStorage<WorkState>();
  readonly #underWay = new Set<WorkState>();
  #noticed = 0;

  /** Work under way that shows no sign of life for so long (real seconds) is taken for hanging, and not waited for. */
  constructor(patience = 0.1) {
    this.#patience = patience * 1000;
  }

  /** How many things are under way. */
  get size(): number {
    return this.#underWay.size;
  }

  /** Notes an event. */
  touch(): void {
    this.#noticed++;
  }

  /** Notes work that is under way until it is ended. */
  begin(): Work {
    const state: WorkState = { sleeping: 0, hangs: false, isPatient: false };
    this.#underWay.add(state);
    this.#noticed++;
    return {
      touch: () => {
        state.hangs = false;
        this.#noticed++;
      },
      end: () => {
        this.#underWay.delete(state);
        this.#noticed++;
      },
    };
  }

  /**
   * Runs a function as a thing under way; while it sleeps on the virtual clock, it is not waited for. One that is `patient` is
   * never taken for hanging.
   */
  async run<Result>(work: () => Result | Promise<Result>, { patient = false } = {}): Promise<Result> {
    const state: WorkState = { sleeping: 0, hangs: false, isPatient: patient };
    this.#underWay.add(state);
    this.#noticed++;
    try {
      return await this.#current.run(state, work);
    } finally {
      this.#underWay.delete(state);
      this.#noticed++;
    }
  }

  /** Notes that the running work sleeps on the clock; the answer is to be called when it wakes. */
  sleep(): () => void {
    this.#noticed++;
    const state = this.#current.getStore();
    if (state) state.sleeping++;
    return () => {
      this.#noticed++;
      if (state) state.sleeping--;
    };
  }

  /** Resolves when all promise work is done, and only sleeping or hanging work is under way. */
  async settle(): Promise<void> {
    let quiet = 0;
    let seen = this.#noticed;
    let waited = 0;
    let before = performance.now();
    for (;;) {
      await turn();
      const now = performance.now();
      waited += Math.min(now - before, LONGEST_TURN);
      before = now;
      quiet++;
      if (seen !== this.#noticed) {
        seen = this.#noticed;
        waited = 0;
        quiet = 0;
      }
      if (quiet < QUIET_TURNS) continue;
      if (!this.#isBusy()) return;
      if (waited > this.#patience && !this.#isPatient()) return this.#giveUp();
    }
  }

  #isBusy(): boolean {
    for (const state of this.#underWay) {
      if (!state.hangs && state.sleeping === 0) return true;
    }
    return false;
  }

  #isPatient(): boolean {
    for (const state of this.#underWay) if (state.isPatient) return true;
    return false;
  }

  #giveUp(): void {
    for (const state of this.#underWay) state.hangs = true;
  }
}

interface WorkState {
  /** How many of its sleeps on the virtual clock are going on. */
  sleeping: number;
  hangs: boolean;
  /** Whether it is waited for, however long it takes. */
  readonly isPatient: boolean;
}

/** A full turn of the event loop: all promise work that is possible now has run when it resolves. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
