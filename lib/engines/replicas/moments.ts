/**
 * Time for sessions and Leases: moments on both clocks, and the times that Leases carry.
 *
 * The monotonic clock of a machine stands still while the machine is suspended, and a wall clock is set by people: a session
 * asks both. Times in Leases are for people and for telling two renewals apart; no replica compares them with its own clock.
 */

import type { Clock } from "../../runtime/host.ts";
import { toMicroTime } from "./lease.ts";
import type { Moment } from "./session_state.ts";

/** Takes moments and stamps of one replica. */
export class Moments {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  #stamped = 0;

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
  }

  /** The present moment. */
  now(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  /** The present time for a Lease. Two stamps of one millisecond differ in their microseconds. */
  stamp(): string {
    this.#stamped = (this.#stamped + 1) % 1000;
    return toMicroTime(this.#clock.now(), this.#stamped);
  }
}
