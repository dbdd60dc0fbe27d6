/**
 * Requests to one server over a keep-alive pool of `node:https` (or `node:http`) connections.
 *
 * The hot path of an operator, so: no Web streams, no fetch, options built once, the response read straight from the
 * IncomingMessage. `node:https` and not fetch because only it behaves the same on Deno, Bun and Node: private
 * authorities, client certificates, server names, resets, aborts, hundreds of watches.
 */

import http from "node:http";
import https from "node:https";
import { Buffer } from "node:buffer";
import { type Brake, Exchange } from "./exchange.ts";
import { checkTls, dialInSteps, type DialTarget, tunnel } from "./dial.ts";
import type { Connection, ConnectOptions, HttpRequest, HttpResponse } from "../host.ts";

/** Idle TCP connections are probed after this long, in milliseconds, so that routers on the way do not forget them. */
const PROBE_DELAY = 15_000;

/** The care that a runtime needs. */
export interface Care {
  /** Stops a socket that nobody reads. Default: pausing the response does. */
  readonly brake?: Brake;
  /** Whether TLS begins only when there is a connection. Default: the runtime does both at once. */
  readonly dialsInSteps?: boolean;
}

/** Prepares a pool of connections to one server. */
export function connectNode(options: ConnectOptions, care: Care = {}): Connection {
  checkTls(options);
  return new NodeConnection(options, care);
}

class NodeConnection implements Connection {
  readonly #agent: http.Agent;
  readonly #send: typeof https.request;
  readonly #target: https.RequestOptions;
  readonly #prefix: string;
  readonly #connectTimeout: number | undefined;
  readonly #brake: Brake | undefined;
  readonly #open = new Set<Exchange>();
  #disposed = false;

  constructor(options: ConnectOptions, care: Care) {
    const url = new URL(options.server);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new TypeError(`Cannot connect to "${options.server}": only http: and https: are known`);
    }
    const isSecure = url.protocol === "https:";
    // IPv6 addresses stand in brackets in URLs, but not in socket options.
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = Number(url.port || (isSecure ? 443 : 80));
    this.#agent = createAgent(options, { host, port, isSecure }, care);
    this.#send = isSecure ? https.request : http.request;
    this.#target = { protocol: url.protocol, host, port, agent: this.#agent };
    this.#prefix = url.pathname.replace(/(?<!\/)\/+$/, "");
    this.#connectTimeout = options.connectTimeout;
    this.#brake = care.brake;
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    const { signal, method, body } = request;
    if (this.#disposed) return Promise.reject(new Error("Cannot send a request: the connection was closed"));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const path = this.#prefix + request.path;
    const headers: Record<string, string> = { ...request.headers };
    // NB: without it, Node sends the bodies of DELETE requests with no length at all, which makes them another request.
    if (body !== undefined) headers["content-length"] = String(Buffer.byteLength(body));
    const outgoing = this.#send({ ...this.#target, method, path, headers });
    const exchange = new Exchange(outgoing, {
      signal,
      connectTimeout: this.#connectTimeout,
      open: this.#open,
      brake: this.#brake,
    });
    outgoing.end(body);
    return exchange.head;
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const exchange of [...this.#open]) exchange.fail(new Error("The connection was closed"));
    this.#agent.destroy();
  }
}

function createAgent(options: ConnectOptions, target: DialTarget, { dialsInSteps }: Care): http.Agent {
  // `noDelay` goes on to the sockets; not every edition of Node's types says so.
  const settings: https.AgentOptions & { readonly noDelay: boolean } = {
    keepAlive: true,
    keepAliveMsecs: PROBE_DELAY,
    noDelay: true,
  };
  if (target.isSecure) Object.assign(settings, tlsOptions(options));
  const agent = target.isSecure ? new https.Agent(settings) : new http.Agent(settings);
  // One pool, one server: the usual name is made of all TLS material, and built anew for each request.
  Object.defineProperty(agent, "getName", { value: () => "" });
  const { proxy, connectTimeout } = options;
  if (proxy) tunnel(agent, { proxy, target, tls: settings });
  else if (dialsInSteps && target.isSecure) {
    dialInSteps(agent, { target, tls: settings, timeout: connectTimeout && connectTimeout * 1000 });
  }
  return agent;
}

function tlsOptions(options: ConnectOptions): https.AgentOptions {
  const { ca, cert, key, serverName, insecure } = options;
  return {
    ...ca !== undefined && { ca },
    ...cert !== undefined && { cert },
    ...key !== undefined && { key },
    ...serverName !== undefined && { servername: serverName },
    // NB: set in any case, or an environment variable of Node (NODE_TLS_REJECT_UNAUTHORIZED) would decide.
    rejectUnauthorized: insecure !== true,
  };
}
