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
import type { Connection, ConnectOptions, HttpRequest, HttpResponse, Seconds } from "../host.ts";
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";

/** Idle TCP connections are probed after this long, in milliseconds, so that routers on the way do not forget them. */
const PROBE_DELAY = 15_000;

/** What a runtime needs to be spared. */
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
    ...insecure && { rejectUnauthorized: false },
  };
}

// The connections of a server, so that closing it ends them: idle ones at once, busy ones when their grace is over.
// Own bookkeeping, because `closeIdleConnections()` and its like exist neither for such servers nor on every runtime.
// Connections are known by the client's address and port: which object a request's `socket` is differs too.

/** After the sockets were destroyed, their ends are waited for this long at most. */
const AFTERMATH: Seconds = 1;

/** What is open on one server. */
export class Connections {
  readonly #server: HttpServer | Http2SecureServer;
  readonly #sockets = new Map<string, Socket>();
  /** By connection, how many requests keep it busy. */
  readonly #busy = new Map<string, number>();
  #isClosing = false;
  #whenEmpty: (() => void) | undefined;

  constructor(server: HttpServer | Http2SecureServer) {
    this.#server = server;
    server.on("connection", (socket: Socket) => this.#addSocket(socket));
    server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#occupy(incoming.socket, outgoing);
    });
  }

  /** Stops listening, and resolves when all connections have ended. */
  async close(grace: Seconds): Promise<void> {
    this.#isClosing = true;
    // NB: on some runtimes the callback of close() does not come while connections are open, so it is not waited for.
    if (this.#server.listening) this.#server.close();
    this.#closeIdle();
    await this.#emptied(grace);
    for (const socket of this.#sockets.values()) socket.destroy();
    await this.#emptied(AFTERMATH);
  }

  /** Resolves when nothing is open any more, or after some time. */
  #emptied(seconds: Seconds): Promise<void> {
    if (this.#isEmpty() || seconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #isEmpty(): boolean {
    return this.#sockets.size === 0;
  }

  #closeIdle(): void {
    for (const [client, socket] of this.#sockets) if (!this.#busy.has(client)) socket.destroy();
  }

  #addSocket(socket: Socket): void {
    const client = clientOf(socket);
    this.#sockets.set(client, socket);
    socket.on("close", () => {
      if (this.#sockets.get(client) === socket) this.#sockets.delete(client);
      if (this.#isEmpty()) this.#whenEmpty?.();
    });
  }

  /** A connection is busy until the response has been sent. */
  #occupy(
    socket: Pick<Socket, "remoteAddress" | "remotePort">,
    response: ServerResponse,
  ): void {
    const client = clientOf(socket);
    this.#busy.set(client, (this.#busy.get(client) ?? 0) + 1);
    response.once("close", () => {
      const count = (this.#busy.get(client) ?? 1) - 1;
      if (count > 0) this.#busy.set(client, count);
      else this.#busy.delete(client);
      if (this.#isClosing) this.#closeIdle();
    });
  }
}

function clientOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}
