/**
 * Handlers that ask to be called again at once (a delay or backoff of 0) are, a few times; those that get nowhere then wait
 * longer and longer, so that one mistake takes neither a core nor the API server.
 */

import { growingPause } from "../async/backoff.ts";
import type { Seconds } from "../runtime/host.ts";

/** How often in a row handlers may ask to be retried at once, and get nowhere, before they wait. */
const FREE_RETRIES = 3;

/** How long they wait: so long at first, and then twice as long each time. */
const SHORTEST_PAUSE: Seconds = 0.005;
const LONGEST_PAUSE: Seconds = 1;

/** Returns how long to wait at least after so many retries in a row; 0 for the first few. */
export function leastPause(retries: number): Seconds {
  const excess = retries - FREE_RETRIES;
  return excess > 0 ? growingPause(excess - 1, { initial: SHORTEST_PAUSE, max: LONGEST_PAUSE }) : 0;
}

/** Whether a delay means "at once": shorter ones than the shortest pause do. */
export function isAtOnce(delay: Seconds): boolean {
  return delay < SHORTEST_PAUSE;
}
