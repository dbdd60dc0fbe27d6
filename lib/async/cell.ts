/**
 * A value that changes, and those who want to know: only the newest one counts, older ones are never delivered late.
 *
 * For what must see every value in order, see `queue.ts`.
 */

import { Waiters } from "./waiters.ts";

/** Holds the newest value. */
export class Cell<Value> {
  readonly #waiters = new Waiters<true>();
  readonly #listeners = new Set<{ readonly callback: (value: Value) => void }>();
  #value: Value;
  #version = 0;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  /** Replaces the value, and tells everybody, even if it is the same. */
  set(value: Value): void {
    this.#value = value;
    this.#version++;
    for (const { callback } of [...this.#listeners]) callback(value);
    this.#waiters.serveAll(true);
  }

  /** Waits for the next change; true after one, false if the signal was aborted first. Never rejects. */
  async changed(signal?: AbortSignal): Promise<boolean> {
    return await this.#waiters.wait(signal) === true;
  }

  /**
   * Waits until a value fulfils the condition, beginning with the current one.
   *
   * True if it does, false if the signal was aborted first. A value that was replaced before anybody could look is skipped.
   */
  async until(condition: (value: Value) => boolean, signal?: AbortSignal): Promise<boolean> {
    while (!condition(this.#value)) if (!await this.changed(signal)) return false;
    return true;
  }

  /** The current value and then the newest ones, until the signal is aborted; who is slow sees fewer. */
  async *values(signal?: AbortSignal): AsyncGenerator<Value, void> {
    let seen = -1;
    while (!signal?.aborted) {
      if (seen === this.#version && !await this.changed(signal)) return;
      seen = this.#version;
      yield this.#value;
    }
  }

  /** Calls back at each change, at once; dispose to stop. The callback must not throw. */
  listen(callback: (value: Value) => void): Disposable {
    const listener = { callback };
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
