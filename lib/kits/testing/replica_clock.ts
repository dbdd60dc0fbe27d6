/**
 * The clock of one process among several on one virtual clock: it can be set, the process can be stopped (SIGSTOP), and the
 * machine can be suspended, with its monotonic clock or without.
 */

import type { Clock } from "../../runtime/host.ts";
import type { VirtualClock } from "../../runtime/virtual/clock.ts";

/** How much later than the answers to its requests the timers of a process come that was stopped: the next time of the clock below. */
const TICK = 0.001;

/** A clock of one process. */
export class ReplicaClock implements Clock {
  readonly #base: VirtualClock;
  /** Timers whose time has come while nothing runs. */
  #held: (() => void)[] = [];
  #offset = 0;
  /** How long the monotonic clock has stood still. */
  #lost = 0;
  #stillSince: number | undefined;
  #frozen: AbortController | undefined;

  constructor(base: VirtualClock) {
    this.#base = base;
  }

  /** Moves the wall clock, in seconds. */
  step(seconds: number): void {
    this.#offset += seconds * 1000;
  }

  /** Nothing runs from now on. `isMachine`: the monotonic clock stands still, too. */
  freeze({ isMachine = false }: { readonly isMachine?: boolean } = {}): void {
    this.#frozen ??= new AbortController();
    if (isMachine) this.#stillSince ??= this.#base.monotonic();
  }

  thaw(): void {
    if (this.#stillSince !== undefined) this.#lost += this.#base.monotonic() - this.#stillSince;
    this.#stillSince = undefined;
    const frozen = this.#frozen;
    this.#frozen = undefined;
    frozen?.abort();
    // As in a process: answers that have come meanwhile, then timers in their order, and between two of them everything that can go on.
    const held = this.#held;
    this.#held = [];
    for (const fire of held) this.#base.after(TICK, fire);
  }

  /** Resolves when something may run. NB: as a sleep, so that the clock below does not wait for it. */
  async thawed(): Promise<void> {
    while (this.#frozen !== undefined) await this.#base.sleep(Infinity, this.#frozen.signal);
  }

  now(): number {
    return this.#base.now() + this.#offset;
  }

  monotonic(): number {
    return (this.#stillSince ?? this.#base.monotonic()) - this.#lost;
  }

  after(seconds: number, callback: () => void): Disposable {
    if (seconds === Infinity) return { [Symbol.dispose]() {} };
    const due = this.monotonic() + seconds;
    let isOver = false;
    let timer = this.#base.after(seconds, fire);
    // deno-lint-ignore no-this-alias -- a function that is used before the end of its own declaration
    const clock = this;
    function fire(): void {
      if (isOver) return;
      if (clock.#frozen !== undefined) return void clock.#held.push(fire);
      const rest = due - clock.monotonic();
      // NB: the clock below counts in whole milliseconds.
      if (rest > 5e-4) timer = clock.#base.after(rest, fire);
      else {
        isOver = true;
        callback();
      }
    }
    return {
      [Symbol.dispose]() {
        isOver = true;
        timer[Symbol.dispose]();
      },
    };
  }

  sleep(seconds: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onAbort = (): void => finish(false);
      const finish = (slept: boolean): void => {
        timer[Symbol.dispose]();
        signal?.removeEventListener("abort", onAbort);
        resolve(slept);
      };
      const timer = this.after(seconds, () => finish(true));
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
