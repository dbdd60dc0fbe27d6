/**
 * Waits for an API server that cannot be reached yet.
 *
 * In a pod no user waits, and the API server will come: the operator keeps trying, for as long as it takes. Elsewhere a user
 * waits in front of a screen: after the usual attempts the operator ends, with a message that says where to look. Each attempt
 * is logged in both cases, and the operator can be stopped meanwhile.
 */

import { ApiError, messageOf } from "../client/errors.ts";
import { isRetriable, startBackoffs } from "../client/transport/retries.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * After how long without an answer a warning is logged: half-open connections look like that, and proxies that let no traffic
 * through.
 */
const SLOW: Seconds = 10;

/** The longest pause between two attempts in a pod, unless the server asks for more. */
const LONGEST: Seconds = 30;

export interface WaitForApiServerOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  /** The server's URL, for messages. */
  readonly server: () => string;
  /**
   * Aborts when the operator is told to stop: then no further attempt is made. The caller need not wait for the attempt under
   * way.
   */
  readonly signal: AbortSignal;
}

/**
 * Repeats the attempt until it works.
 *
 * @throws The signal's reason, if it has aborted when an attempt fails.
 * @throws {Error} If the server cannot be reached for as long as `networking.errorBackoffs` take, and this is not a pod.
 */
export async function waitForApiServer(
  attempt: () => Promise<void>,
  options: WaitForApiServerOptions,
): Promise<void> {
  const { host, logger, settings: { networking }, server, signal } = options;
  const isPod = host.process.env("KUBERNETES_SERVICE_HOST") !== undefined;
  const pauses = new Pauses(networking.errorBackoffs, host.clock);
  for (let number = 1;; number++) {
    try {
      return await attemptTold(attempt, number, options);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRetriable(error)) throw error;
      const delay = pauses.next() ?? (isPod ? LONGEST : undefined);
      if (delay === undefined) throw unreachable(server(), error);
      logger.warn("The API server cannot be reached yet", {
        server: server(),
        attempt: number,
        delay,
        error,
      });
      await host.clock.sleep(delay, signal);
      signal.throwIfAborted();
    }
  }
}

/** Makes an attempt, and tells that it takes long. */
async function attemptTold(
  attempt: () => Promise<void>,
  number: number,
  { host, logger, server }: WaitForApiServerOptions,
): Promise<void> {
  using _slow = host.clock.after(SLOW, () => {
    logger.warn("The API server has not answered yet", { server: server(), attempt: number, seconds: SLOW });
  });
  await attempt();
}

/** Pauses between attempts that take time themselves: that counts as pause. But there is a second attempt in any case. */
class Pauses {
  readonly #backoffs: Iterator<Seconds>;
  readonly #clock: Host["clock"];
  readonly #begun: Seconds;
  #spent: Seconds = 0;
  #isFirst = true;

  constructor(backoffs: Seconds | Iterable<Seconds>, clock: Host["clock"]) {
    this.#backoffs = startBackoffs(backoffs);
    this.#clock = clock;
    this.#begun = clock.monotonic();
  }

  /** Undefined when there are no more. */
  next(): Seconds | undefined {
    const elapsed = this.#clock.monotonic() - this.#begun;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    do {
      const { value, done } = this.#backoffs.next();
      if (done) return isFirst && this.#spent > 0 ? 0 : undefined;
      this.#spent += value;
    } while (this.#spent < elapsed);
    // Whole milliseconds: it stands in the log.
    return Math.round(1000 * (this.#spent - elapsed)) / 1000;
  }
}

function unreachable(server: string, cause: unknown): unknown {
  if (cause instanceof ApiError) return cause;
  return new Error(
    `Cannot reach the API server "${server}": ${
      messageOf(cause)
    } (check that it runs, and that the kubeconfig's context leads to it)`,
    { cause },
  );
}
