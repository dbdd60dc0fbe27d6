/**
 * The connections of a server, so that closing it ends them: idle ones at once, busy ones when their grace is over.
 *
 * Own bookkeeping, because `closeIdleConnections()` and its like exist neither for HTTP/2 servers nor on every runtime.
 */

import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { Seconds } from "./host.ts";

/** What is open on one server. */
export class Connections {
  readonly #server: HttpServer | Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Requests under way on each socket of HTTP/1.1. */
  readonly #busy = new Map<Socket, number>();
  #isClosing = false;
  #whenEmpty: (() => void) | undefined;

  constructor(server: HttpServer | Http2SecureServer) {
    this.#server = server;
    server.on("connection", (socket: Socket) => this.#addSocket(socket));
    server.on("session", (session: ServerHttp2Session) => this.#addSession(session));
    server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (incoming.httpVersionMajor === 1) this.#addRequest(incoming.socket, outgoing);
    });
  }

  /** Stops listening, and resolves when all connections have ended. */
  async close(grace: Seconds): Promise<void> {
    this.#isClosing = true;
    // NB: on some runtimes the callback of close() does not come while connections are open, so it is not waited for.
    if (this.#server.listening) this.#server.close();
    for (const session of this.#sessions) session.close();
    if (grace > 0) await this.#finish(grace);
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await this.#finish(1);
  }

  /** Resolves when nothing is open any more, or after some time. */
  #finish(seconds: Seconds): Promise<void> {
    this.#closeIdle();
    if (this.#isEmpty()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #closeIdle(): void {
    for (const socket of this.#sockets) {
      const isSession = [...this.#sessions].some((session) => !session.destroyed);
      if (!this.#busy.has(socket) && !isSession) socket.destroy();
    }
  }

  #isEmpty(): boolean {
    return this.#sockets.size === 0 && this.#sessions.size === 0;
  }

  #addSocket(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (this.#isEmpty()) this.#whenEmpty?.();
    });
  }

  #addSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on("close", () => {
      this.#sessions.delete(session);
      if (this.#isEmpty()) this.#whenEmpty?.();
    });
  }

  #addRequest(socket: Socket, outgoing: ServerResponse): void {
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    outgoing.on("close", () => {
      const count = (this.#busy.get(socket) ?? 1) - 1;
      if (count > 0) this.#busy.set(socket, count);
      else this.#busy.delete(socket);
      if (this.#isClosing) this.#closeIdle();
    });
  }
}
