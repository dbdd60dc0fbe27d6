/**
 * Callers that wait for one answer each: the part that gates, cells, queues and limiters share.
 *
 * A wait never rejects: an aborted signal ends it early, with undefined. No listener is left behind on the signal, and it has one
 * for all waiting callers: runtimes look through all listeners for each that is added, and thousands of callers may wait.
 */

/** Ends one wait. */
type Finish<Value> = (value: Value | undefined) => void;

/** A line of waiting callers, served in order. */
export class Waiters<Value> {
  readonly #waiting = new Set<Finish<Value>>();
  readonly #bySignal = new Map<AbortSignal, SignalWaits>();

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Waits to be served; gives undefined if the signal is aborted, now or before that. */
  wait(signal?: AbortSignal): Promise<Value | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (value: Value | undefined): void => {
        this.#waiting.delete(finish);
        if (signal !== undefined) this.#leave(signal, onAbort);
        resolve(value);
      };
      const onAbort = (): void => finish(undefined);
      this.#waiting.add(finish);
      if (signal !== undefined) this.#join(signal, onAbort);
    });
  }

  /** Serves the caller that has waited longest; tells whether there was one. */
  serve(value: Value | undefined): boolean {
    for (const finish of this.#waiting) {
      finish(value);
      return true;
    }
    return false;
  }

  /** Serves all callers that wait now. */
  serveAll(value: Value | undefined): void {
    for (const finish of [...this.#waiting]) finish(value);
  }

  #join(signal: AbortSignal, onAbort: () => void): void {
    let waits = this.#bySignal.get(signal);
    if (waits === undefined) {
      this.#bySignal.set(signal, waits = new SignalWaits());
      signal.addEventListener("abort", waits);
    }
    waits.ends.add(onAbort);
  }

  #leave(signal: AbortSignal, onAbort: () => void): void {
    const waits = this.#bySignal.get(signal);
    if (waits === undefined || !waits.ends.delete(onAbort) || waits.ends.size > 0) return;
    this.#bySignal.delete(signal);
    signal.removeEventListener("abort", waits);
  }
}

/** The waits that end with a signal. */
class SignalWaits {
  readonly ends = new Set<() => void>();

  handleEvent(): void {
    for (const end of [...this.ends]) end();
  }
}
