/**
 * Looks whether the servers of this process still take connections.
 *
 * A listener can go deaf while everything else works: where a process had run out of descriptors, Deno 2.9 never accepts on it
 * again. Nobody inside notices, and reviews of admission time out from then on. So `/livez` connects to each of our listeners,
 * those of the probes and of the admission server, and fails when one has not answered twice in a row: then only a restart helps.
 * Source: Kubernetes, "Liveness, Readiness, and Startup Probes".
 */

import { withTimeout } from "../async/timeout.ts";
import type { Clock, Host, Seconds, Server } from "../runtime/host.ts";

/** How long the answer of a look counts. */
const FRESH: Seconds = 5;

/** How long a listener may take to accept; a busy process is no deaf one. */
const PATIENCE: Seconds = 5;

/** How long an asking probe waits for a look: a kubelet gives it one second by default, and takes the last answer else. */
const SOON: Seconds = 0.5;

/** How many looks in a row must have failed. */
const FAILURES = 2;

/** How a listener is. */
export interface ListenerState {
  readonly name: string;
  /** Undefined while it takes connections. */
  readonly problem: string | undefined;
}

/** The listeners of one operator. */
export class Listeners {
  /** The same host; what serves by it is looked at. */
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
          return this.#forgetting(server);
        },
      },
    };
  }

  /** One check for each of them. */
  async checks(): Promise<readonly ListenerState[]> {
    return await Promise.all([...this.#open.values()].map((listener) => listener.check()));
  }

  #forgetting(server: Server): Server {
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
  /** When it was looked at last, on the monotonic clock. */
  #looked = -Infinity;
  #looking: Promise<void> | undefined;

  constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  async check(): Promise<ListenerState> {
    if (this.#clock.monotonic() - this.#looked >= FRESH) {
      this.#looking ??= this.#look().finally(() => this.#looking = undefined);
    }
    if (this.#looking !== undefined) await withTimeout(this.#looking, { clock: this.#clock, timeout: SOON });
    const { hostname, port } = this.#server;
    const isDeaf = this.#failures >= FAILURES;
    const problem = isDeaf ? "it takes no connections any more" : undefined;
    return { name: `listener ${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`, problem };
  }

  async #look(): Promise<void> {
    const accepts = await this.#server.accepts(PATIENCE);
    this.#looked = this.#clock.monotonic();
    this.#failures = accepts ? 0 : this.#failures + 1;
  }
}
