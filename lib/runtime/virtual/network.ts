/**
 * A network that leads into functions: a request to an origin becomes a `Request` for the function registered there.
 *
 * The real network's ways to break are all here: no server listens (ECONNREFUSED), open responses are cut (ECONNRESET), a
 * server's stream breaks, either side gives up. Delays are the functions' business: they sleep on the virtual clock.
 */

import type {
  Clock,
  Connection,
  ConnectOptions,
  HttpRequest,
  HttpResponse,
  Network,
  Peer,
  Random,
  Seconds,
  ServeOptions,
  Server,
} from "../host.ts";
import type { Activity } from "./activity.ts";
import { networkError, VirtualRoundTrip } from "./round_trip.ts";

/** Answers requests; the client's request fails with its error. */
export type VirtualFetch = (request: Request, peer: Peer) => Response | Promise<Response>;

/** A network in memory. */
export interface VirtualNetwork extends Network {
  /** How many requests wait for their head, and texts for their end. */
  readonly inFlight: number;
  /** Leads everything for an origin, such as "https://api.test", into a function; undefined: no server listens there any more. */
  route(origin: string, fetch: VirtualFetch | undefined): void;
  /** Makes a server deaf that listens there: connections to it are neither accepted nor refused. */
  deafen(origin: string): void;
  /** Cuts every open request and response with ECONNRESET. */
  breakAll(): void;
}

/** The things that such a network runs in. */
export interface VirtualNetworkOptions {
  readonly clock: Clock;
  readonly activity: Activity;
  /** By which answers, and events on streams, are late. Undefined: they are not. */
  readonly latency?: Random;
}

/** Makes a network in memory. */
export function createVirtualNetwork(options: VirtualNetworkOptions): VirtualNetwork {
  return new MemoryNetwork(options);
}

/** Ports for servers that take any. */
const FIRST_PORT = 20_000;

interface Listener {
  readonly fetch: VirtualFetch;
  readonly tls?: ServeOptions["tls"];
  readonly open: Set<VirtualRoundTrip>;
}

class MemoryNetwork implements VirtualNetwork {
  readonly #clock: Clock;
  readonly #activity: Activity;
  readonly #latency: Random | undefined;
  readonly #listeners = new Map<string, Listener>();
  readonly #open = new Set<VirtualRoundTrip>();
  readonly #deaf = new Set<string>();
  #nextPort = FIRST_PORT;

  constructor({ clock, activity, latency }: VirtualNetworkOptions) {
    this.#clock = clock;
    this.#latency = latency;
    this.#activity = activity;
  }

  get inFlight(): number {
    let count = 0;
    for (const roundTrip of this.#open) if (roundTrip.isInFlight) count++;
    return count;
  }

  route(origin: string, fetch: VirtualFetch | undefined): void {
    const key = new URL(origin).origin;
    if (fetch) this.#listeners.set(key, { fetch, open: new Set() });
    else this.#listeners.delete(key);
  }

  deafen(origin: string): void {
    this.#deaf.add(new URL(origin).origin);
  }

  breakAll(): void {
    for (const roundTrip of [...this.#open]) {
      roundTrip.fail(networkError("ECONNRESET", "The connection was reset"));
    }
  }

  connect(options: ConnectOptions): Connection {
    const url = new URL(options.server);
    const prefix = url.pathname.replace(/(?<!\/)\/+$/, "");
    const own = new Set<VirtualRoundTrip>();
    let isClosed = false;
    return {
      request: (request) => {
        if (isClosed) return Promise.reject(new Error("Cannot send a request: the connection was closed"));
        if (request.signal?.aborted) return Promise.reject(request.signal.reason);
        return this.#send({ origin: url.origin, prefix, own, cert: options.cert }, request);
      },
      [Symbol.dispose]() {
        isClosed = true;
        for (const roundTrip of [...own]) roundTrip.fail(new Error("The connection was closed"));
      },
    };
  }

  // deno-lint-ignore require-await -- a throw must become a rejection
  async serve({ hostname = "127.0.0.1", port = 0, tls, fetch }: ServeOptions): Promise<Server> {
    const scheme = tls ? "https" : "http";
    const taken = (wanted: number) =>
      SCHEMES.some((other) => this.#listeners.has(originOf(other, hostname, wanted)));
    while (port === 0 && taken(this.#nextPort)) this.#nextPort++;
    const chosen = port || this.#nextPort++;
    if (taken(chosen)) {
      throw networkError("EADDRINUSE", `Cannot listen on ${hostname}:${chosen}: the address is in use`);
    }
    const origin = originOf(scheme, hostname, chosen);
    let listener: Listener = { fetch: catching(fetch), tls, open: new Set() };
    this.#listeners.set(origin, listener);
    const close = (grace?: Seconds) => this.#close(origin, listener, grace);
    return {
      hostname,
      port: chosen,
      updateTls: (changed) => {
        listener = { ...listener, tls: changed };
        if (this.#listeners.has(origin)) this.#listeners.set(origin, listener);
      },
      accepts: () => Promise.resolve(this.#listeners.has(origin) && !this.#deaf.has(origin)),
      close,
      [Symbol.asyncDispose]: () => close(),
    };
  }

  async #close(origin: string, listener: Listener, grace: Seconds = 0): Promise<void> {
    if (this.#listeners.get(origin)?.open === listener.open) this.#listeners.delete(origin);
    if (grace > 0 && listener.open.size > 0) await this.#clock.sleep(grace);
    for (const roundTrip of [...listener.open]) {
      roundTrip.fail(networkError("ECONNRESET", "The server was closed"));
    }
  }

  #send(target: Target, request: HttpRequest): Promise<HttpResponse> {
    const listener = this.#listeners.get(target.origin);
    if (!listener) return this.#activity.run(() => refuse(target.origin));
    if (listener.tls?.requireCertificate && target.cert === undefined) {
      return this.#activity.run(refuseWithoutCertificate);
    }
    const roundTrip = new VirtualRoundTrip({
      url: target.origin + target.prefix + request.path,
      request,
      activity: this.#activity,
      latency: this.#latency,
      sets: [this.#open, target.own, listener.open],
    });
    const certificate = listener.tls?.ca === undefined ? undefined : target.cert;
    const peer: Peer = { address: "127.0.0.1", ...certificate !== undefined && { certificate } };
    const isDeaf = this.#deaf.has(target.origin);
    roundTrip.start((incoming) => isDeaf ? new Promise(() => {}) : listener.fetch(incoming, peer));
    return roundTrip.head;
  }
}

interface Target {
  readonly origin: string;
  readonly prefix: string;
  readonly own: Set<VirtualRoundTrip>;
  readonly cert?: string;
}

const SCHEMES = ["http", "https"] as const;

function originOf(scheme: string, hostname: string, port: number): string {
  return new URL(`${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`).origin;
}

function catching(fetch: ServeOptions["fetch"]): VirtualFetch {
  return async (request, peer) => {
    try {
      return await fetch(request, peer);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ECONNRESET") throw error;
      return new Response("Internal Server Error", { status: 500 });
    }
  };
}

function refuse(origin: string): never {
  throw networkError("ECONNREFUSED", `Cannot connect to ${origin}: nobody listens there`);
}

function refuseWithoutCertificate(): never {
  throw networkError("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "The server wants a client certificate");
}
