/**
 * Those who wait for something that is going to be said once: the part that gates, cells, queues and limiters share.
 *
 * A wait never rejects: an aborted signal ends it early, with undefined. Nothing is left behind on the signal.
 */

/** A line of waiting callers, served in order. */
export class Waiters<Value> {
  readonly #waiting = new Set<(value: Value | undefined) => void>();

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Waits to be served; gives undefined if the signal is aborted, now or before that. */
  wait(signal?: AbortSignal): Promise<Value | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (value: Value | undefined) => {
        this.#waiting.delete(finish);
        signal?.removeEventListener("abort", onAbort);
        resolve(value);
      };
      const onAbort = () => finish(undefined);
      this.#waiting.add(finish);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Serves the one who waits longest; tells whether there was one. */
  serve(value: Value | undefined): boolean {
    for (const finish of this.#waiting) {
      finish(value);
      return true;
    }
    return false;
  }

  /** Serves all who wait now. */
  serveAll(value: Value | undefined): void {
    for (const finish of [...this.#waiting]) finish(value);
  }
}
