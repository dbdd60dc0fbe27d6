/**
 * Notes that another writer has taken off an object, for example by a PUT from a template of its own.
 *
 * While the process lives, it knows which state was handled, and how far handlers have come: no handler is called again. The notes
 * are put back at growing pauses, since the other writer may take them off each time. Of an object with all its notes only the state
 * is remembered on which they stand; the informer holds this state anyway.
 */

import { growingPause } from "../../async/backoff.ts";
import { TOLERANCE } from "../../async/schedule.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";

/** How long notes are away at first, and at most. */
const FIRST_PAUSE: Seconds = 1;
const LONGEST_PAUSE: Seconds = 600;

/** Notes that have stood for longer were taken off by chance: the pauses begin anew. */
const CALM: Seconds = 3600;

/** The memory of one object's notes. */
export class TakenNotes {
  readonly #clock: Pick<Clock, "monotonic">;
  /** How often in a row they were taken off. */
  #times = 0;
  #last: Seconds = -Infinity;
  /** When they are put back; undefined: all of them are on the object. */
  #due: Seconds | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** How long until they are put back; undefined: all of them are on the object. */
  get rest(): Seconds | undefined {
    return this.#due === undefined ? undefined : Math.max(0, this.#due - this.#clock.monotonic());
  }

  /** Whether they are put back now. */
  get isDue(): boolean {
    return this.#due !== undefined && this.#due <= this.#clock.monotonic() + TOLERANCE;
  }

  /** Notes are missing. Returns how often in a row they were taken off; undefined: that was known already. */
  miss(): number | undefined {
    if (this.#due !== undefined) return undefined;
    const now = this.#clock.monotonic();
    if (now - this.#last > CALM) this.#times = 0;
    this.#last = now;
    this.#due = now + growingPause(this.#times, { initial: FIRST_PAUSE, max: LONGEST_PAUSE });
    return ++this.#times;
  }

  /** All notes are on the object, or the place of notes does not keep them. */
  settle(): void {
    this.#due = undefined;
  }
}
