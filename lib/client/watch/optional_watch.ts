/**
 * Watches objects that an operator would like to see but can do without: where the server refuses, it is tried again now and then,
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

export interface OptionalWatchOptions
  extends
    Omit<WatchOptions, "store" | "onState" | "onRefused">,
    Pick<InformerOptions, "notify" | "onSynced" | "about"> {
  /** Said where the server refuses: the loss, and the remedy. */
  readonly warning: string;
  /** Called at each refusal. */
  readonly onRefused?: () => void;
}

/** Watches until the signal aborts, again and again if need be. */
export async function watchOptional(options: OptionalWatchOptions): Promise<void> {
  const { notify, onSynced, about, warning, onRefused, ...watch } = options;
  const { host, logger, signal } = watch;
  // Kept while the watch is refused, so that objects that go meanwhile are noticed afterwards.
  const store = new ObjectStore();
  let refusals = 0;
  while (!signal.aborted) {
    let retryIn = FIRST_PAUSE;
    const refused = (error: ApiError): "stop" => {
      retryIn = refusedPause(refusals);
      logger[refusals === 0 ? "warn" : "debug"](warning, { ...about, error, retryIn });
      refusals += 1;
      onRefused?.();
      return "stop";
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
