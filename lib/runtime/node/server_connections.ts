/**
 * The connections of one server: how many there may be, how long each may take, and how they end when the server closes.
 *
 * Own bookkeeping, because the timeouts and `closeIdleConnections()` of `node:http` exist neither for servers that can change
 * their certificate nor on every runtime: on Bun a client that stalls would keep its connection, and its memory, for ever.
 * Connections are known by the client's address and port: which object a request's `socket` is differs too.
 */

import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import type { Seconds, ServerLimits } from "../host.ts";

/** After the sockets were destroyed, their ends are waited for this long at most. */
const AFTERMATH: Seconds = 1;

/** Deadlines are looked at this often. */
const SWEEP: Seconds = 1;

const DEFAULTS: Required<ServerLimits> = { connections: 1000, head: 15, body: 60, idle: 95 };

interface Client {
  readonly socket: Socket;
  /** Requests that are being read or answered. */
  busy: number;
  /** On the monotonic clock, in seconds; Infinity while a response is being made or sent. */
  deadline: Seconds;
}

/** The open connections of one server. */
export class ServerConnections {
  readonly #server: HttpServer | Http2SecureServer;
  readonly #limits: Required<ServerLimits>;
  readonly #clients = new Map<string, Client>();
  #sweeper: ReturnType<typeof setInterval> | undefined;
  #isClosing = false;
  #whenEmpty: (() => void) | undefined;

  constructor(server: HttpServer | Http2SecureServer, limits: ServerLimits = {}) {
    this.#server = server;
    this.#limits = { ...DEFAULTS, ...limits };
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#occupy(incoming, outgoing);
    });
  }

  /** Stops listening, and resolves when all connections have ended. */
  async close(grace: Seconds): Promise<void> {
    this.#isClosing = true;
    // NB: on some runtimes the callback of close() does not come while connections are open, so it is not waited for.
    if (this.#server.listening) this.#server.close();
    this.#closeIdle();
    await this.#emptied(grace);
    for (const { socket } of this.#clients.values()) socket.destroy();
    await this.#emptied(AFTERMATH);
    clearInterval(this.#sweeper);
  }

  /** Resolves when no connection is open any more, or after some time. */
  #emptied(seconds: Seconds): Promise<void> {
    if (this.#clients.size === 0 || seconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #closeIdle(): void {
    for (const { socket, busy } of this.#clients.values()) if (busy === 0) socket.destroy();
  }

  /** One more connection than the limit would cost a descriptor that other parts of the process need. */
  #accept(socket: Socket): void {
    if (this.#clients.size >= this.#limits.connections && !this.#makeRoom()) return void socket.destroy();
    const name = nameOf(socket);
    this.#clients.set(name, { socket, busy: 0, deadline: now() + this.#limits.head });
    socket.on("close", () => {
      if (this.#clients.get(name)?.socket === socket) this.#clients.delete(name);
      if (this.#clients.size > 0) return;
      this.#stopSweeping();
      this.#whenEmpty?.();
    });
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP * 1000).unref();
  }

  /** Closes the oldest connection without a request: a client that opens very many does not lock others out. */
  #makeRoom(): boolean {
    for (const [name, { socket, busy }] of this.#clients) {
      if (busy > 0) continue;
      this.#clients.delete(name);
      socket.destroy();
      return true;
    }
    return false;
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #sweep(): void {
    const time = now();
    for (const { socket, deadline } of this.#clients.values()) if (deadline <= time) socket.destroy();
  }

  /** A connection is busy until the response has been sent; until the body has come, it has a deadline. */
  #occupy(incoming: IncomingMessage, response: ServerResponse): void {
    const client = this.#clients.get(nameOf(incoming.socket));
    if (client === undefined) return;
    client.busy++;
    client.deadline = now() + this.#limits.body;
    incoming.once("end", () => {
      if (client.busy > 0) client.deadline = Infinity;
    });
    if (isWithoutBody(incoming)) client.deadline = Infinity;
    response.once("close", () => {
      client.busy--;
      if (client.busy === 0) client.deadline = now() + this.#limits.idle;
      if (this.#isClosing) this.#closeIdle();
    });
  }
}

/** The end of a body that is not read is never told. */
function isWithoutBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}

function nameOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}

function now(): Seconds {
  return performance.now() / 1000;
}
