/**
 * HTTP(S) servers on `node:` built-ins, the same on Deno, Bun and Node.
 *
 * `http2.createSecureServer()`, although only HTTP/1.1 is spoken: of all servers it alone can change its certificate on all
 * three runtimes. NB: HTTP/2 is not offered, because closing its sessions can crash Deno 2.9 (an assertion in its nghttp2,
 * in one of some hundred closings on a busy machine). `@hono/node-server` makes the `Request`; the `Response` is written by
 * `node_responder.ts`, because a stream that breaks must break the connection, and must not print anything.
 */

import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import http from "node:http";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import type { Seconds, ServeOptions, Server, ServerTls } from "./host.ts";
import { Connections } from "./node_connections.ts";
import { NodePeer } from "./node_peer.ts";
import { respond } from "./node_responder.ts";
import { checkTls } from "./node_tls.ts";

/** Idle connections are kept for so long, in milliseconds: longer than clients keep theirs, so that clients close first. */
const KEEP_ALIVE = 95_000;

/** Starts a server, and resolves when it listens. */
export async function serveNode(options: ServeOptions): Promise<Server> {
  const { hostname = "127.0.0.1", port = 0, tls } = options;
  const server = tls ? createSecure(tls) : http.createServer();
  server.keepAliveTimeout = KEEP_ALIVE;
  const connections = new Connections(server);
  server.on("request", createListener(options));
  await listen(server, { hostname, port });
  const close = (grace: Seconds = 0) => connections.close(grace);
  return {
    hostname,
    port: (server.address() as AddressInfo).port, // a TCP server that listens has one
    updateTls(changed) {
      if (!("setSecureContext" in server)) {
        throw new Error("Cannot change the certificate: the server speaks plain HTTP");
      }
      checkTls(changed);
      server.setSecureContext(secureContext(changed));
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** A server of either kind; the fields that both have, but of which the types do not know. */
type AnyServer = (http.Server | http2.Http2SecureServer) & { keepAliveTimeout: number };

function createSecure(tls: ServerTls): AnyServer {
  checkTls(tls);
  const server = http2.createSecureServer({
    allowHTTP1: true,
    ALPNCallback: () => "http/1.1",
    ...secureContext(tls),
    requestCert: tls.ca !== undefined,
    rejectUnauthorized: tls.requireCertificate === true,
  });
  // Handshakes that fail are the client's trouble, and it knows.
  server.on("tlsClientError", () => {});
  return server as AnyServer;
}

function secureContext({ cert, key, ca }: ServerTls): { cert: string; key: string; ca?: string } {
  return { cert, key, ...ca !== undefined && { ca } };
}

function createListener(
  { fetch }: ServeOptions,
): (incoming: http.IncomingMessage, outgoing: http.ServerResponse) => void {
  const answer = async (
    request: Request,
    env: { incoming: unknown; outgoing: unknown },
  ): Promise<Response> => {
    const incoming = env.incoming as http.IncomingMessage; // what the listener was called with
    let response: Response;
    try {
      response = await fetch(request, new NodePeer(incoming.socket));
    } catch {
      response = new Response("Internal Server Error", { status: 500 });
    }
    await respond(response, env.outgoing as http.ServerResponse);
    return RESPONSE_ALREADY_SENT;
  };
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  return (incoming, outgoing) => void listener(incoming, outgoing);
}

function listen(server: AnyServer, { hostname, port }: { hostname: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
