/**
 * Cuts work that never waits for anything into slices, between which the event loop turns: probes, timers and answers have their turn
 * then. Slices are counted in pieces, and not in time: a virtual clock stands still while code runs.
 */

import type { Clock } from "../runtime/host.ts";

/** The slices of some work, which several callers may share. */
export class Slices {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #size: number;
  #done = 0;
  #turning: Promise<void> | undefined;

  /** @param size How many pieces a slice has. */
  constructor(clock: Pick<Clock, "sleep">, size: number) {
    this.#clock = clock;
    this.#size = size;
  }

  /** Begins a piece. Returns undefined if it may be done at once; else a promise that resolves when it may, as the event loop has turned. */
  begin(): Promise<void> | undefined {
    if (this.#turning !== undefined || this.#done === this.#size) return this.#beginLater();
    this.#done++;
    return undefined;
  }

  async #beginLater(): Promise<void> {
    do await (this.#turning ??= this.#turn()); while (
      this.#turning !== undefined || this.#done === this.#size
    );
    this.#done++;
  }

  async #turn(): Promise<void> {
    await this.#clock.sleep(0);
    this.#done = 0;
    this.#turning = undefined;
  }
}
