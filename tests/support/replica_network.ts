/**
 * The network between replicas and an API server in the process, to be broken: an API server that is away, requests whose
 * connections are reset before or after they were taken, streams that end in the middle.
 */

import { connectionReset } from "../../lib/kits/apiserver/faults/streams.ts";
import type { Clock } from "../../lib/runtime/host.ts";
import type { JsonObject } from "../../mod.ts";
import type { TermWitness } from "./term_witness.ts";

type Serve = (request: Request) => Response | Promise<Response>;

/** The fate of a request: it passes; it is lost on its way; it is taken, and its answer is lost; it hangs. */
export type Fate = "pass" | "lose" | "lose answer" | "hang";

export interface ReplicaNetworkOptions {
  readonly clock: Clock;
  readonly serve: Serve;
  /** Sees a request when it is taken, and has it answered. */
  readonly look: (replica: number, request: Request, answer: Serve) => Promise<Response>;
}

/** The ways of all replicas. */
export class ReplicaNetwork {
  readonly #options: ReplicaNetworkOptions;
  readonly #streams = new Map<number, Set<TransformStreamDefaultController<Uint8Array>>>();
  /** Whether the API server is away: it refuses connections, or lets them hang. */
  out: "no" | "refuses" | "hangs" = "no";
  /** Decides about a request of a replica. */
  fate: (replica: number) => Fate = () => "pass";

  constructor(options: ReplicaNetworkOptions) {
    this.#options = options;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const { serve, look } = this.#options;
    const [, number] = /^https:\/\/replica-(\d+)\./.exec(request.url) ?? [];
    if (number === undefined) return await serve(request);
    const replica = Number(number);
    const fate = this.#fateOf(replica);
    if (fate === "lose") throw connectionReset();
    if (fate === "hang") await this.#hang(request.signal);
    const response = request.method === "GET" ? await serve(request) : await look(replica, request, serve);
    if (fate === "lose answer") throw connectionReset();
    return request.url.includes("watch=") ? this.#breakable(replica, response) : response;
  };

  /** Ends the streams of a replica, or of all. */
  resetStreams(replica?: number): void {
    for (const [number, streams] of this.#streams) {
      if (replica !== undefined && replica !== number) continue;
      for (const controller of streams) controller.error(connectionReset());
      streams.clear();
    }
  }

  #fateOf(replica: number): Fate {
    if (this.out === "refuses") return "lose";
    return this.out === "hangs" ? "hang" : this.fate(replica);
  }

  async #hang(signal: AbortSignal): Promise<never> {
    await this.#options.clock.sleep(Infinity, signal);
    throw connectionReset();
  }

  #breakable(replica: number, response: Response): Response {
    if (response.body === null) return response;
    const streams = this.#streams.get(replica) ?? new Set();
    this.#streams.set(replica, streams);
    const gate = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => void streams.add(controller),
      transform: async (chunk, controller) => {
        while (this.out !== "no") await this.#options.clock.sleep(0.25);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(gate), response);
  }
}

/** Has the witness look at requests as the API server takes them. */
export function lookBy(witness: TermWitness): ReplicaNetworkOptions["look"] {
  return async (
    by: number,
    request: Request,
    answer: (request: Request) => Response | Promise<Response>,
  ): Promise<Response> => {
    const [resource = "", name = ""] = /\/namespaces\/[^/]+\/(.*)$/.exec(new URL(request.url).pathname)?.[1]
      ?.split("/") ?? [];
    const taken = { by, resource, name };
    const text = await request.clone().text();
    witness.took(taken);
    const response = await answer(request);
    if (response.status >= 300 || request.method === "DELETE") return response;
    const object: JsonObject = JSON.parse(await response.clone().text());
    witness.applied(taken, { body: text === "" ? {} : JSON.parse(text), object });
    return response;
  };
}
