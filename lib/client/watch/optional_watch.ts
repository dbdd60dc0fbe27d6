/**
 * Watches what an operator would like to see but can do without: where the server refuses, it is tried again now and then,
 * since rights change and kinds are installed. After a minute at first, then later and later.
 */

import { growingPause } from "../../async/backoff.ts";
import type { Seconds } from "../../runtime/host.ts";
import { Informer, type InformerOptions } from "../cache/informer.ts";
import { ObjectStore } from "../cache/object_store.ts";
import type { ApiError } from "../errors.ts";
import { watchObjects, type WatchOptions } from "./watcher.ts";

/** How long until it is tried again: so long at first, and then longer each time. */
const FIRST_PAUSE: Seconds = 60;
const LONGEST_PAUSE: Seconds = 600;

/** Returns how long to wait after so many refusals in a row, counted from 0. */
export function refusedPause(refusals: number): Seconds {
  return growingPause(refusals, { initial: FIRST_PAUSE, max: LONGEST_PAUSE });
}

/** A refusal of the server. */
export interface OptionalRefusal {
  /** Whether it is the first one since it worked. */
  readonly isFirst: boolean;
  readonly retryIn: Seconds;
}

export interface OptionalWatchOptions
  extends
    Omit<WatchOptions, "store" | "onState" | "onRefused">,
    Pick<InformerOptions, "notify" | "onSynced" | "about"> {
  /** Called at each refusal. Returns "later" to begin anew after `retryIn`, "retry" to go on as after other failures. */
  readonly onRefused: (error: ApiError, refusal: OptionalRefusal) => "later" | "retry";
}

/** Watches until the signal aborts, again and again if need be. */
export async function watchOptional(options: OptionalWatchOptions): Promise<void> {
  const { notify, onSynced, about, onRefused, ...watch } = options;
  const { host, logger, signal } = watch;
  // NB: kept while nobody may watch, so that what goes meanwhile is noticed afterwards.
  const store = new ObjectStore();
  let refusals = 0;
  while (!signal.aborted) {
    let retryIn = FIRST_PAUSE;
    const refused = (error: ApiError): "stop" | "retry" => {
      retryIn = refusedPause(refusals);
      const answer = onRefused(error, { isFirst: refusals === 0, retryIn });
      refusals += 1;
      return answer === "later" ? "stop" : answer;
    };
    const informer = new Informer({
      store,
      host,
      logger,
      about,
      notify,
      onSynced: () => {
        refusals = 0;
        onSynced?.();
      },
      watch: (store, signal) => watchObjects({ ...watch, store, signal, onRefused: refused }),
    });
    await informer.run(signal);
    await host.clock.sleep(retryIn, signal);
  }
}
