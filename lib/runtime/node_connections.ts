/**
 * The connections of a server, so that closing it ends them: idle ones at once, busy ones when their grace is over.
 *
 * Own bookkeeping, because `closeIdleConnections()` and its like exist neither for such servers nor on every runtime.
 * Connections are known by the client's address and port: which object a request's `socket` is differs too.
 */

import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { Seconds } from "./host.ts";

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
