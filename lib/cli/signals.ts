/** SIGINT and SIGTERM: the first stops gracefully, the second at once. SIGUSR2 shows all log lines for some time. */

import type { Host, Seconds } from "../runtime/host.ts";
import type { LevelSwitch } from "../runtime/level_switch.ts";
import type { Logger } from "../runtime/logging.ts";
import { EXIT } from "./errors.ts";

/**
 * Signals that follow the first one as fast as this are taken for the same one. In seconds.
 *
 * Ctrl-C reaches all programs of a terminal's foreground, and programs that started us (`deno task`, `npx`) pass it on, too.
 */
const ECHO = 0.1;

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
  let first: Seconds | undefined;
  function receive(name: string): void {
    const now = host.clock.monotonic();
    if (first !== undefined && now - first < ECHO) return;
    if (first !== undefined) host.process.exit(EXIT.killed);
    first = now;
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

/** How long all lines are shown after the signal that asks for it. */
const LOUD: Seconds = 600;

/** Shows all log lines for ten minutes at SIGUSR2, where nobody can ask by `log-level`; a second one ends that. */
export function listenForLevel(
  host: Host,
  { logger, levels }: { readonly logger: Logger; readonly levels: LevelSwitch },
): Disposable {
  return host.process.onSignal("SIGUSR2", () => {
    if (levels.isSet) levels.reset();
    else levels.set("debug", LOUD);
    logger.warn("The log level is another one at SIGUSR2", { level: levels.level });
  });
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
