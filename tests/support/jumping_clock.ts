/** A virtual clock whose wall jumps, as real ones do when somebody sets them; what is measured goes on evenly. */

import type { VirtualClock } from "../../lib/runtime/virtual/clock.ts";

export interface JumpingClock extends VirtualClock {
  /** Moves the wall clock, in seconds, in either direction. */
  jump(seconds: number): void;
}

export function jumpingClock(clock: VirtualClock): JumpingClock {
  let offset = 0;
  return {
    get pending() {
      return clock.pending;
    },
    now: () => clock.now() + offset,
    monotonic: () => clock.monotonic(),
    sleep: (seconds, signal) => clock.sleep(seconds, signal),
    after: (seconds, callback) => clock.after(seconds, callback),
    settle: () => clock.settle(),
    advance: (seconds) => clock.advance(seconds),
    until: (condition, options) => clock.until(condition, options),
    jump: (seconds) => {
      offset += seconds * 1000;
    },
  };
}
