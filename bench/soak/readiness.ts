/** Asks the operator every second whether it is ready. */

import { setTimeout as sleep } from "node:timers/promises";

const TIMEOUT_MS = 5000;

export class Readiness {
  isReady = false;
  /** How long it was not, after it had been for the first time. */
  badSeconds = 0;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    let wasReady = false;
    while (!signal.aborted) {
      await sleep(1000);
      await this.look();
      wasReady ||= this.isReady;
      if (wasReady && !this.isReady) this.badSeconds++;
    }
  }

  async look(): Promise<void> {
    try {
      const response = await fetch(this.#url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      await response.body?.cancel();
      this.isReady = response.ok;
    } catch {
      this.isReady = false;
    }
  }
}
