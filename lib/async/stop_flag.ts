/**
 * A flag that tells a task to stop, says why, and is never taken back: reasons add up.
 *
 * A task that is told to stop gets an `AbortSignal`, so that it can be passed on to whatever waits. The signal is made when
 * it is asked for: most tasks never look at theirs. Source: scenarios B31–B50.
 */

import type { Clock, Seconds } from "../runtime/host.ts";

/** A stop flag as its task sees it: an `AbortSignal` that also tells all reasons, and can be waited for. */
export interface Stopped<Reason extends string = string> extends AbortSignal {
  /** Why it is to stop; empty as long as it is not. */
  readonly reasons: ReadonlySet<Reason>;
  /**
   * Waits until it is to stop, or until the time is over (default: no limit).
   *
   * True if it is to stop, false if the time is over. Never rejects.
   */
  wait(seconds?: Seconds): Promise<boolean>;
}

/** Tells to stop. */
export class StopFlag<Reason extends string> {
  /** The name of the thing to stop, for messages. */
  readonly #title: string;
  readonly #clock: Clock;
  readonly #reasons = new Set<Reason>();
  #made: { readonly controller: AbortController; readonly stopped: Stopped<Reason> } | undefined;
  #since: Seconds | undefined;

  constructor(title: string, clock: Clock) {
    this.#title = title;
    this.#clock = clock;
  }

  /** When it was set first, on the monotonic clock; undefined if it is not set. */
  get since(): Seconds | undefined {
    return this.#since;
  }

  /** Whether this is one of the reasons. */
  has(reason: Reason): boolean {
    return this.#reasons.has(reason);
  }

  /** Sets it, or adds a reason. */
  set(reason: Reason): void {
    this.#reasons.add(reason);
    if (this.#since !== undefined) return;
    this.#since = this.#clock.monotonic();
    this.#made?.controller.abort(this.#why());
  }

  /** The signal that is handed out: always the same one. */
  get stopped(): Stopped<Reason> {
    return (this.#made ??= this.#make()).stopped;
  }

  #make(): { readonly controller: AbortController; readonly stopped: Stopped<Reason> } {
    const controller = new AbortController();
    if (this.#since !== undefined) controller.abort(this.#why());
    const { signal } = controller;
    const stopped = Object.defineProperties(signal, {
      reasons: { value: this.#reasons, enumerable: true },
      wait: { value: async (seconds: Seconds = Infinity) => !await this.#clock.sleep(seconds, signal) },
    }) as Stopped<Reason>; // made so by the lines above
    return { controller, stopped };
  }

  /** An AbortError, as functions with signals are expected to throw one. */
  #why(): DOMException {
    return new DOMException(`${this.#title} must stop: ${[...this.#reasons].join(", ")}`, "AbortError");
  }
}
