/**
 * A TCP balancer, as a stand-in for a Service: each new connection goes to one of the ready backends, in turn. A backend that does
 * not accept is passed over. Connections end with the side that ends first.
 */

import { connect, createServer, type Server, type Socket } from "node:net";

export interface Backend {
  readonly port: number;
  readonly isReady: boolean;
}

/** The balancer, on a free port of this machine. */
export class TcpBalancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #backends: () => readonly Backend[];
  readonly #sockets = new Set<Socket>();
  /** Connections for which there was no backend. */
  unled = 0;
  #turn = 0;

  private constructor(backends: () => readonly Backend[]) {
    this.#backends = backends;
    this.#server = createServer((socket) => this.#lead(socket));
  }

  static async open(backends: () => readonly Backend[]): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(backends);
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  #lead(client: Socket): void {
    const ready = this.#backends().filter(({ isReady }) => isReady);
    const first = this.#turn++;
    const order = ready.map((_, index) => ready[(first + index) % ready.length]);
    this.#own(client);
    const next = (): void => {
      const backend = order.shift();
      if (backend === undefined) {
        this.unled += 1;
        return void client.destroy();
      }
      const upstream = connect({ host: "127.0.0.1", port: backend.port });
      let isConnected = false;
      this.#own(upstream);
      upstream.on("connect", () => {
        isConnected = true;
        client.pipe(upstream);
        upstream.pipe(client);
      });
      // NB: bytes that have come are still on their way to the client: its end comes after them.
      upstream.on("close", (hasFailed) => {
        if (!isConnected) next();
        else if (hasFailed) client.destroy();
        else client.end();
      });
      client.on("close", () => upstream.destroy());
    };
    next();
  }

  #own(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
