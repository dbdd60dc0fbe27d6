/**
 * Checks whether the servers of this process still take connections.
 *
 * A listener can stop accepting while everything else works: where a process had run out of descriptors, Deno 2.9 never accepts on it
 * again. The process itself does not notice, and reviews of admission time out from then on. So `/livez` connects to each of our listeners,
 * the ports of the probes and of the admission server, and fails when one has not answered twice in a row: then only a restart helps.
 * Source: Kubernetes, "Liveness, Readiness, and Startup Probes".
 */

import { withTimeout } from "../async/timeout.ts";
import type { Clock, Host, Seconds, Server } from "../runtime/host.ts";

/** How long the result of a check counts. */
const RESULT_LIFETIME: Seconds = 5;

/** How long a listener may take to accept, since the process may be busy. */
const ACCEPT_TIMEOUT: Seconds = 5;

/** How long a probe waits for a check, before it gets the last result: a kubelet gives it one second by default. */
const PROBE_WAIT: Seconds = 0.5;

/** How many checks in a row must have failed. */
const MOST_FAILURES = 2;

/** How a listener is. */
export interface ListenerState {
  readonly name: string;
  /** Undefined while it takes connections. */
  readonly problem: string | undefined;
}

/** The listeners of one operator. */
export class Listeners {
  /** The same host; the servers that it starts are checked. */
  readonly host: Host;
  readonly #open = new Map<Server, Listener>();

  constructor(host: Host) {
    const { clock, network } = host;
    this.host = {
      ...host,
      network: {
        connect: (options) => network.connect(options),
        serve: async (options) => {
          const server = await network.serve(options);
          this.#open.set(server, new Listener(server, clock));
          return this.#withClose(server);
        },
      },
    };
  }

  /** One check for each of them. */
  async checks(): Promise<readonly ListenerState[]> {
    return await Promise.all([...this.#open.values()].map((listener) => listener.check()));
  }

  /** Returns the server, which is checked no more once it is closed. */
  #withClose(server: Server): Server {
    const close = async (grace?: Seconds): Promise<void> => {
      this.#open.delete(server);
      await server.close(grace);
    };
    return { ...server, close, [Symbol.asyncDispose]: () => close() };
  }
}

class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  #failures = 0;
  /** When it was checked last, on the monotonic clock. */
  #checkedAt = -Infinity;
  #checking: Promise<void> | undefined;

  constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  async check(): Promise<ListenerState> {
    if (this.#clock.monotonic() - this.#checkedAt >= RESULT_LIFETIME) {
      this.#checking ??= this.#connect().finally(() => this.#checking = undefined);
    }
    if (this.#checking !== undefined) {
      await withTimeout(this.#checking, { clock: this.#clock, timeout: PROBE_WAIT });
    }
    const { hostname, port } = this.#server;
    const problem = this.#failures >= MOST_FAILURES ? "it takes no connections any more" : undefined;
    return { name: `listener ${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`, problem };
  }

  async #connect(): Promise<void> {
    const accepts = await this.#server.accepts(ACCEPT_TIMEOUT);
    this.#checkedAt = this.#clock.monotonic();
    this.#failures = accepts ? 0 : this.#failures + 1;
  }
}
