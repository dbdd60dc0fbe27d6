/** A plain `node:` server to test clients against: it does what the test says, also what no good server does. */

import http from "node:http";
import http2 from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A server that listens. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** How many connections it has accepted so far. */
  readonly accepted: number;
  /** The connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  readonly server: http.Server;
}

/**
 * Starts a server on a free port of 127.0.0.1; with TLS options it speaks TLS.
 *
 * NB: not `https.createServer`, whose sockets on Bun know nothing about the client's certificate.
 */
export async function startRaw(
  listener: http.RequestListener,
  tls?: http2.SecureServerOptions,
): Promise<RawServer> {
  const server = tls ? startSecure(tls, listener) : http.createServer(listener);
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on(tls ? "secureConnection" : "connection", (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.on("clientError", (_error: Error, socket: Duplex) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    get accepted() {
      return accepted;
    },
    sockets,
    server,
    [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
        // NB: not every runtime calls back when connections were destroyed.
        setTimeout(resolve, 100);
      });
    },
  };
}

function startSecure(tls: http2.SecureServerOptions, listener: http.RequestListener): http.Server {
  const server: unknown = http2.createSecureServer({ ...tls, allowHTTP1: true }).on(
    "request",
    (request, response) => {
      listener(request as unknown as http.IncomingMessage, response as unknown as http.ServerResponse);
    },
  );
  return server as http.Server; // for HTTP/1.1 it does what http.Server does
}

/** A promise that somebody else settles, and that fails after a while instead of hanging the test. */
export function signalOf<Value = void>(what: string): PromiseWithResolvers<Value> {
  const deferred = Promise.withResolvers<Value>();
  const timer = setTimeout(() => deferred.reject(new Error(`Never happened: ${what}`)), 4000);
  deferred.promise.then(() => clearTimeout(timer), () => clearTimeout(timer));
  return deferred;
}
