/** Virtual clocks whose wall shows something else, as real ones do when somebody sets them; what is measured goes on evenly. */

import type { VirtualClock } from "../../lib/runtime/virtual/clock.ts";

/** The same clock with another wall time, in milliseconds since 1970. */
export function clockShowing(clock: VirtualClock, now: () => number): VirtualClock {
  return {
    get pending() {
      return clock.pending;
    },
    now,
    monotonic: () => clock.monotonic(),
    sleep: (seconds, signal) => clock.sleep(seconds, signal),
    after: (seconds, callback) => clock.after(seconds, callback),
    settle: () => clock.settle(),
    advance: (seconds) => clock.advance(seconds),
    unwound: () => clock.unwound(),
    block: (seconds) => clock.block(seconds),
    until: (condition, options) => clock.until(condition, options),
  };
}

export interface JumpingClock extends VirtualClock {
  /** Moves the wall clock, in seconds, in either direction. */
  jump(seconds: number): void;
}

/** A clock that jumps when it is told to. */
export function jumpingClock(clock: VirtualClock): JumpingClock {
  let offset = 0;
  return Object.assign(clockShowing(clock, () => clock.now() + offset), {
    jump: (seconds: number) => {
      offset += seconds * 1000;
    },
  });
}
