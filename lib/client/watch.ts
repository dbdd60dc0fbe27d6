/**
 * Watches the objects of one kind, for ever. (Being written; the signature stands.)
 */

import type { WatchItem, WatchOptions } from "./watch_types.ts";

export type { WatchItem, WatchOptions, WatchPhase, WatchState } from "./watch_types.ts";

/** Gives the objects of a kind as they are, and then everything that happens to them, until the signal aborts. Never throws. */
export async function* watchObjects(options: WatchOptions): AsyncGenerator<WatchItem, void, void> {
  await Promise.resolve();
  if (options.signal.aborted) return;
  yield { type: "listed" };
}
