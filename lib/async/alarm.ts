/**
 * A sleep that ends early when there is news: for loops that look again after some time, or at once when called.
 */

import type { Clock, Seconds } from "../runtime/host.ts";

/** Wakes one loop. A ring between two sleeps ends the next sleep at once. */
export class Alarm {
  readonly #clock: Pick<Clock, "sleep">;
  #news = new AbortController();

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  /** Ends the sleep. */
  ring(): void {
    this.#news.abort();
  }

  /** Sleeps until the time is over, the alarm rings, or the signal aborts. */
  async sleep(seconds: Seconds, signal: AbortSignal): Promise<void> {
    if (!this.#news.signal.aborted) {
      await this.#clock.sleep(seconds, AbortSignal.any([this.#news.signal, signal]));
    }
    if (this.#news.signal.aborted) this.#news = new AbortController();
  }
}
