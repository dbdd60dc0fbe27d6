/**
 * One process among several replicas of an operator in a test, with a clock and a network of its own that the test can break.
 */

import type { HandlerCall } from "../../engines/calls.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { ServedCluster } from "./connection.ts";
import { ReplicaClock } from "./replica_clock.ts";

/** A replica of an operator in a test. */
export interface TestReplica {
  /** The calls of its handlers so far, in the order of their beginning. */
  readonly calls: readonly HandlerCall[];
  /** Whether its process has neither ended nor was killed. */
  readonly isRunning: boolean;
  /** Ends the process at once, as `kill -9` does: nothing of it runs any more, and it says goodbye to nobody. */
  kill(): void;
  /**
   * Stops the process for some time, as SIGSTOP does: then it goes on as if nothing had happened. `machine`: the machine is
   * suspended, so that its monotonic clock stands still, too. Default: false.
   */
  suspend(seconds: Seconds, options?: { readonly machine?: boolean }): void;
  /** Sets its wall clock by so many seconds, forwards or (below 0) back, as people and time servers do. */
  stepClock(seconds: Seconds): void;
  /** Cuts the process off from the cluster: its requests are not answered, and its streams are silent, until `rejoin()`. */
  isolate(): void;
  /** Ends an isolation. */
  rejoin(): void;
  /** Ends the process in order, as SIGTERM does. Resolves at once: let time pass until `isRunning` is false. */
  stop(): void;
}

/** Returns the answer to a request of an operator. */
type Serve = (request: Request) => Response | Promise<Response>;

/** How often a stream that is cut off looks whether it is connected again. */
const LOOK: Seconds = 0.25;

/** The world of one replica. */
export class ReplicaWorld {
  readonly host: Host;
  /** Where the cluster is, for this replica. */
  readonly server: string;
  readonly #base: ServedCluster["host"];
  readonly #clock: ReplicaClock;
  readonly #serve: Serve;
  #isKilled = false;
  #isIsolated = false;

  constructor({ host, fetch }: ServedCluster, number: number) {
    this.#base = host;
    this.#serve = fetch;
    this.#clock = new ReplicaClock(host.clock);
    this.host = { ...host, clock: this.#clock };
    this.server = `https://replica-${number}.test`;
    host.network.route(this.server, (request) => this.#answer(request));
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  kill(): void {
    this.#isKilled = true;
    this.#clock.freeze();
  }

  suspend(seconds: Seconds, { machine: isMachine = false }: { readonly machine?: boolean } = {}): void {
    this.#clock.freeze({ isMachine });
    this.#base.clock.after(seconds, () => {
      if (!this.#isKilled) this.#clock.thaw();
    });
  }

  stepClock(seconds: Seconds): void {
    this.#clock.step(seconds);
  }

  isolate(): void {
    this.#isIsolated = true;
  }

  rejoin(): void {
    this.#isIsolated = false;
  }

  async #answer(request: Request): Promise<Response> {
    if (this.#isKilled || this.#isIsolated) {
      await this.#base.clock.sleep(Infinity, request.signal);
      throw Object.assign(new Error("The connection was reset"), { code: "ECONNRESET" });
    }
    const response = await this.#serve(request);
    await this.#clock.thawed();
    if (response.body === null) return response;
    const gated = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        await this.#clock.thawed();
        if (this.#isKilled) await this.#base.clock.sleep(Infinity);
        while (this.#isIsolated) await this.#base.clock.sleep(LOOK);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(gated), response);
  }
}
