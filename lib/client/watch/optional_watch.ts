/**
 * Runs what an operator would like to watch but can do without: where the server refuses, it is tried again now and then,
 * since rights change and kinds are installed. After a minute at first, then later and later.
 */

import type { Clock, Seconds } from "../../runtime/host.ts";
import type { ApiError } from "../errors.ts";

/** How long until it is tried again: so long at first, and then longer each time. */
const FIRST_PAUSE: Seconds = 60;
const LONGEST_PAUSE: Seconds = 600;

/** Returns how long to wait after so many refusals in a row, counted from 0. */
export function refusedPause(refusals: number): Seconds {
  return Math.min(FIRST_PAUSE * 2 ** refusals, LONGEST_PAUSE);
}

export interface OptionalWatchOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Watches until the signal aborts, or the server refuses. Must not throw. */
  readonly run: (watch: OptionalWatch) => Promise<void>;
  /** Called at each refusal; `isFirst`: the first one since it worked. */
  readonly onRefused: (
    error: ApiError,
    about: { readonly isFirst: boolean; readonly retryIn: Seconds },
  ) => void;
}

/** Callbacks of `run`. */
export interface OptionalWatch {
  /** The server refuses. */
  readonly refused: (error: ApiError) => "stop";
  /** A set is complete: the next refusal is the first one again. */
  readonly synced: () => void;
}

/** Watches until the signal aborts, again and again if need be. */
export async function watchOptional(options: OptionalWatchOptions): Promise<void> {
  const { signal, clock, run, onRefused } = options;
  let refusals = 0;
  const synced = (): void => void (refusals = 0);
  while (!signal.aborted) {
    let retryIn = FIRST_PAUSE;
    const refused = (error: ApiError): "stop" => {
      retryIn = refusedPause(refusals);
      onRefused(error, { isFirst: refusals === 0, retryIn });
      refusals += 1;
      return "stop";
    };
    await run({ refused, synced });
    await clock.sleep(retryIn, signal);
  }
}
