/**
 * A TCP tunnel to a server, as the network of one process, to be broken: connections are refused, hang, or are reset; and bytes are
 * kept on their way to the server for a while, as a network may.
 */

import { connect, createServer, type Server, type Socket } from "node:net";

/** How much later than what was kept the end of its connection comes, in milliseconds. */
const END_AFTER = 1000;

/** A tunnel on a free port of this machine. */
export class TcpTunnel implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #state: "open" | "refuses" | "hangs" = "open";
  /** Bytes on their way to the server wait until this resolves. */
  #kept: PromiseWithResolvers<void> | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((socket) => this.#lead(socket));
  }

  /** @param target The server's port on this machine. */
  static async open(target: number): Promise<TcpTunnel> {
    const tunnel = new TcpTunnel(target);
    await new Promise<void>((resolve) => tunnel.#server.listen(0, "127.0.0.1", resolve));
    return tunnel;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Resets all connections; new ones are led on. */
  reset(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The server is away from now on: connections are reset and refused, or hang, and what they carry is lost. */
  close(how: "refuses" | "hangs"): void {
    this.#state = how;
    if (how === "refuses") return this.reset();
    for (const socket of this.#sockets) socket.pause();
  }

  /** The server is back. Connections that hung are reset, with what they carried. */
  reopen(): void {
    if (this.#state === "hangs") this.reset();
    this.#state = "open";
  }

  /** Keeps bytes on their way to the server, of connections that are open or will be, until `deliver()`. */
  keep(): void {
    this.#kept ??= Promise.withResolvers<void>();
  }

  /** Lets the kept bytes go on to the server, also those of clients that have gone. */
  deliver(): void {
    this.#kept?.resolve();
    this.#kept = undefined;
  }

  #lead(client: Socket): void {
    this.#own(client);
    if (this.#state === "refuses") return void client.destroy();
    if (this.#state === "hangs") return void client.pause();
    const upstream = connect({ host: "127.0.0.1", port: this.#target });
    this.#own(upstream);
    upstream.pipe(client);
    // One after the other, so that what is kept stays in order.
    let before = Promise.resolve();
    const pass = (act: () => void): void => {
      const kept = this.#kept?.promise;
      if (kept !== undefined) before = before.then(() => kept);
      before = before.then(act);
    };
    client.on("data", (bytes) => pass(() => void (upstream.writable && upstream.write(bytes))));
    client.on("close", () => {
      // A server ends the request of a client that has gone (kube-apiserver: 504): the end of a kept connection comes later, too.
      const later = this.#kept === undefined ? 0 : END_AFTER;
      pass(() => void setTimeout(() => upstream.end(), later));
    });
    upstream.on("close", () => client.destroy());
  }

  #own(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.deliver();
    this.reset();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
