/**
 * Work that the control plane does soon after a write, but not inside it: as controllers do.
 *
 * One timer of the host's clock serves all of it, so that a virtual clock sees it and decides when it runs.
 */

import type { Clock } from "../../runtime/host.ts";

export class Chores {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, () => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs the task soon; once, however often the same key is added before that. */
  add(key: string, task: () => void): void {
    this.#tasks.set(key, task);
    this.#timer ??= this.#clock.after(0, () => this.#run());
  }

  #run(): void {
    this.#timer = undefined;
    for (const [key, task] of this.#tasks) {
      this.#tasks.delete(key);
      try {
        task();
      } catch (error) {
        // The others still get their turn, and the error is seen.
        if (this.#tasks.size > 0) this.#timer ??= this.#clock.after(0, () => this.#run());
        throw error;
      }
    }
  }
}
