/** How long to wait before the next attempt: longer each time, where many could come back together with jitter. */

import type { Random, Seconds } from "../runtime/host.ts";

/** How a pause grows. */
export interface GrowthOptions {
  /** The first pause. */
  readonly initial: Seconds;
  /** The longest pause, before jitter. */
  readonly max: Seconds;
  /** The growth from one pause to the next. Default: 2. */
  readonly factor?: number;
  /** Pauses vary by this share in both directions, so that many clients do not come back together. Default: 0. */
  readonly jitter?: { readonly share: number; readonly random: Pick<Random, "next"> };
}

/** Returns the pause after a failed attempt, longer than the one before. Attempts count from 0. */
export function growingPause(
  attempt: number,
  { initial, max, factor = 2, jitter }: GrowthOptions,
): Seconds {
  const pause = Math.min(initial * factor ** attempt, max);
  if (jitter === undefined) return pause;
  // Whole milliseconds: pauses stand in logs, and clocks know no shorter time.
  return Math.round(1000 * pause * (1 + jitter.share * (2 * jitter.random.next() - 1))) / 1000;
}
