/**
 * Measures the times in the notes of one object by the monotonic clock: how long ago they were, and how long until they come.
 *
 * Notes hold wall-clock times, since another process has to understand them. But the wall clock may be set while a handler
 * waits: so a time of the notes is converted once, when this process writes or reads it first, and measured by the monotonic
 * clock from then on. Compare client-go's leader election, which trusts the time at which it has seen a record, not the time in
 * the record.
 */

import type { Clock, Seconds } from "../../runtime/host.ts";

/** Returns how long it is from `now`, in milliseconds since 1970, to the time in a text; undefined if the text is no time. */
export function secondsUntil(text: string, now: number): Seconds | undefined {
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** The times that are noted on one object. */
export class RecordTimes {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new Map<string, { readonly text: string; readonly at: Seconds }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Returns how long it is until a time: less than 0 if it is over, undefined if the text is no time.
   *
   * The key names the record and its field ("my-handler delayed"); `now` is the wall clock, in milliseconds since 1970, and counts
   * at the first call for a time only.
   */
  until(key: string, text: string, now: number): Seconds | undefined {
    const known = this.#known.get(key);
    const monotonic = this.#clock.monotonic();
    if (known?.text === text) return known.at - monotonic;
    const rest = secondsUntil(text, now);
    if (rest === undefined) return undefined;
    this.#known.set(key, { text, at: monotonic + rest });
    return rest;
  }

  /** Notes a time that is now, so that its text is not parsed. */
  begin(key: string, text: string | undefined): void {
    if (text !== undefined) this.#known.set(key, { text, at: this.#clock.monotonic() });
  }

  /** Whether the time was seen before, so that it is known by the monotonic clock. */
  knows(key: string, text: string): boolean {
    return this.#known.get(key)?.text === text;
  }
}
