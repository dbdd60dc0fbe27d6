/** How long to wait before the next attempt: longer each time, with jitter. */

import type { Random, Seconds } from "../runtime/host.ts";

/** Returns the pause after a failed attempt; attempts count from 0. Undefined: give up. */
export type Backoff = (attempt: number) => Seconds | undefined;

/** How a growing pause grows. */
export interface ExponentialOptions {
  /** The first pause. Default: 1 s. */
  readonly initial?: Seconds;
  /** By what each pause is longer than the one before. Default: 2. */
  readonly factor?: number;
  /** The longest pause, before jitter. Default: 60 s. */
  readonly max?: Seconds;
  /** Pauses vary by this share in both directions, so that many clients do not come back together. Default: 0.2. */
  readonly jitter?: number;
  /** Where the variation comes from. */
  readonly random: Random;
}

/** Growing pauses, with jitter, for ever. */
export function exponentialBackoff(
  { initial = 1, factor = 2, max = 60, jitter = 0.2, random }: ExponentialOptions,
): Backoff {
  return (attempt) => {
    const pause = Math.min(initial * factor ** attempt, max);
    return pause * (1 + jitter * (2 * random.next() - 1));
  };
}
