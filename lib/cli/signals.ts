/** SIGINT and SIGTERM: the first stops gracefully, the second at once. Source: deviations, B-5.11. */

import type { Host } from "../runtime/host.ts";
import { EXIT } from "./errors.ts";

/** A wish to stop, as it comes from outside the process. */
export interface StopSignal extends Disposable {
  /** Aborted by the first SIGINT or SIGTERM; its reason is the signal's name. */
  readonly signal: AbortSignal;
}

/**
 * Waits for signals until disposed. The second one ends the process with code 130, whatever is still going on.
 *
 * `onStop` is called once, with the name of the first signal.
 */
export function listenForSignals(host: Host, onStop?: (name: string) => void): StopSignal {
  const controller = new AbortController();
  function receive(name: string): void {
    if (controller.signal.aborted) host.process.exit(EXIT.killed);
    onStop?.(name);
    controller.abort(name);
  }
  const listeners = (["SIGINT", "SIGTERM"] as const).map((name) =>
    host.process.onSignal(name, () => receive(name))
  );
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => listeners.forEach((listener) => listener[Symbol.dispose]()),
  };
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
