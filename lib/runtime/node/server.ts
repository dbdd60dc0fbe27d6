/**
 * HTTP(S) servers on `node:` built-ins, the same on Deno, Bun and Node.
 *
 * `http2.createSecureServer()`, although only HTTP/1.1 is spoken: of all servers it alone can change its certificate on all
 * three runtimes. NB: HTTP/2 is not offered, because closing its sessions can crash Deno 2.9 (an assertion in its nghttp2,
 * in one of some hundred closings on a busy machine). `@hono/node-server` makes the `Request`; the `Response` is written by
 * `node_responder.ts`, because a stream that breaks must break the connection, and must not print anything.
 */

import http from "node:http";
import http2 from "node:http2";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Peer, Seconds, ServeOptions, Server, ServerTls } from "../host.ts";
import { ServerConnections } from "./server_connections.ts";
import { checkTls } from "./dial.ts";
import type { ServerResponse } from "node:http";
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";

/** Longer than our own limit for idle connections, which counts on all runtimes. In milliseconds. */
const KEEP_ALIVE = 600_000;

/** As Go's servers take: a selector may name thousands of values. In bytes. */
const MOST_HEADERS = 1 << 20;

/** Starts a server, and resolves when it listens. */
export async function serveNode(options: ServeOptions): Promise<Server> {
  const { hostname = "127.0.0.1", port = 0, tls } = options;
  const server: AnyServer = tls ? createSecure(tls) : http.createServer() as AnyServer;
  server.keepAliveTimeout = KEEP_ALIVE;
  server.maxHeaderSize = MOST_HEADERS;
  const connections = new ServerConnections(server, options.limits);
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
    accepts: (within) => accepts(server.address() as AddressInfo | null, within), // a TCP server has no other
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** A server of either kind; the fields that both have, but of which the types do not know. */
type AnyServer = (http.Server | http2.Http2SecureServer) & {
  keepAliveTimeout: number;
  maxHeaderSize: number;
};

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
    const incoming = env.incoming as http.IncomingMessage; // the listener was called with it
    let response: Response;
    try {
      response = await fetch(request, new NodePeer(incoming.socket));
    } catch (error) {
      if (isReset(error)) {
        incoming.socket.destroy();
        return RESPONSE_ALREADY_SENT;
      }
      response = new Response("Internal Server Error", { status: 500 });
    }
    await respond(response, env.outgoing as http.ServerResponse);
    return RESPONSE_ALREADY_SENT;
  };
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  return (incoming, outgoing) => void listener(incoming, outgoing);
}

/** Whether the answering function wants the connection to break. */
function isReset(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNRESET";
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

/** Addresses that stand for all of a machine's, and where it reaches itself by them. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * NB: the kernel completes connections that no program accepts, so bytes must come back; on Bun a plain server sees a
 * connection only when bytes were sent. The bytes are no HTTP and no TLS: all servers refuse them, and no handler sees them.
 */
function accepts(address: AddressInfo | null, within: Seconds): Promise<boolean> {
  if (address === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host: EVERYWHERE[address.address] ?? address.address, port: address.port });
    let isConnected = false;
    const finish = (isAnswered: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isAnswered);
    };
    const timer = setTimeout(() => finish(false), within * 1000);
    socket.on("connect", () => {
      isConnected = true;
      socket.write("PING\r\n\r\n");
    });
    socket.on("data", () => finish(true));
    socket.on("error", () => finish(isConnected));
    socket.on("close", () => finish(isConnected));
  });
}

// Writes a `Response` to a `node:http` response: short ones in one piece, streams chunk by chunk as they come.
// Bytes that the client does not read are not pulled from the stream; when the client goes away the stream is cancelled, and
// when the stream breaks the connection is cut at once, so that half an answer is not taken for a whole one.

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Chunk = ReadableStreamReadResult<Uint8Array>;

/** Writes the response, and resolves when it has been written or the client has gone. Does not throw. */
export async function respond(response: Response, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return await response.body?.cancel().catch(() => {});
  const headers = toHeaders(response.headers);
  if (!response.body) {
    outgoing.writeHead(response.status, headers);
    outgoing.end();
    return;
  }
  const reader: Reader = response.body.getReader();
  const onClose = () => void reader.cancel("The client has gone").catch(() => {});
  outgoing.on("close", onClose);
  // A stream may break while the client does not read, so that it is not pulled.
  reader.closed.catch(() => outgoing.destroy());
  try {
    await write(reader, outgoing, { status: response.status, headers });
  } catch {
    outgoing.destroy();
  } finally {
    outgoing.off("close", onClose);
  }
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
}

async function write(reader: Reader, outgoing: ServerResponse, { status, headers }: Head): Promise<void> {
  // Most bodies are one chunk that is there at once: they go out with their length, and in one piece.
  let next = reader.read();
  const first = await soon(next);
  if (first && !first.done) next = reader.read();
  const second = first && !first.done ? await soon(next) : undefined;
  if (first?.done || second?.done) {
    const whole = first?.value ?? new Uint8Array();
    outgoing.writeHead(status, { ...headers, "content-length": String(whole.length) });
    outgoing.end(whole);
    return;
  }
  outgoing.writeHead(status, headers);
  if (first) outgoing.write(first.value);
  else outgoing.flushHeaders();
  await pump(reader, outgoing, next);
}

async function pump(reader: Reader, outgoing: ServerResponse, first: Promise<Chunk>): Promise<void> {
  for (let next = await first; !next.done; next = await reader.read()) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(next.value)) await drained(outgoing);
  }
  outgoing.end();
}

/** Resolves when more can be written, or the client has gone. */
function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      outgoing.off("drain", finish);
      outgoing.off("close", finish);
      resolve();
    };
    outgoing.on("drain", finish);
    outgoing.on("close", finish);
  });
}

/** The chunk, if it comes within this turn of the event loop. */
function soon(chunk: Promise<Chunk>): Promise<Chunk | undefined> {
  return Promise.race([
    chunk,
    new Promise<undefined>((resolve) => void setImmediate(() => resolve(undefined))),
  ]);
}

function toHeaders(headers: Headers): Record<string, string | string[]> {
  const plain: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) plain["set-cookie"] = cookies;
  return plain;
}

// The other end of a server's connection, looked up only when it is asked for.

/** The peer behind a socket. */
export class NodePeer implements Peer {
  readonly #socket: Socket | undefined;

  constructor(socket: Socket | undefined) {
    this.#socket = socket;
  }

  get address(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  get certificate(): string | undefined {
    const socket = this.#socket as TLSSocket | undefined; // a plain socket has none of the methods
    if (!socket?.authorized) return undefined;
    const { raw } = socket.getPeerCertificate?.() ?? {};
    return raw ? new X509Certificate(raw).toString() : undefined;
  }
}
