/**
 * A faulty proxy with sockets: what passes through it meets a real network, and breaks as there.
 */

import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { currentHost } from "../../lib/runtime/current_host.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { type FaultyProxy, HalfClosed, type Upstream } from "./faulty_proxy.ts";

export interface ProxyServer extends AsyncDisposable {
  readonly url: string;
  /** Cuts all connections. */
  breakAll(): void;
}

/** Sends requests to a control plane as its administrator. */
export function upstreamOf(plane: ControlPlane): Upstream & Disposable {
  const connection = currentHost().network.connect({
    ...{ server: plane.server, ca: plane.caPem, cert: plane.admin.certificate, key: plane.admin.key },
  });
  async function fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const headers: Record<string, string> = {};
    for (const name of ["accept", "content-type"]) {
      const value = request.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    const body = request.method === "GET" ? undefined : await request.text();
    const { method, signal } = request;
    const response = await connection.request({ method, path: pathname + search, headers, body, signal });
    const chunks = response.body[Symbol.asyncIterator]();
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => response.cancel(),
    });
    return new Response(stream, {
      status: response.status,
      headers: { "content-type": response.headers["content-type"] ?? "application/json" },
    });
  }
  return Object.assign(fetch, { [Symbol.dispose]: () => connection[Symbol.dispose]() });
}

/** Serves a proxy on a free port of 127.0.0.1. */
export async function serveProxy(proxy: FaultyProxy): Promise<ProxyServer> {
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => void handle(proxy, request, response));
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    breakAll,
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        // NB: not every runtime calls back when connections were destroyed.
        setTimeout(resolve, 100);
      });
    },
  };
}

async function handle(
  proxy: FaultyProxy,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const answer = await proxy.fetch(await toRequest(request, gone.signal));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    const reader = answer.body?.getReader();
    gone.signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}));
    for (;;) {
      const { done = true, value } = await reader?.read() ?? {};
      if (done) break;
      response.write(value);
    }
    response.end();
  } catch (error) {
    // A half-closed connection: a FIN, and no last chunk.
    if (error instanceof HalfClosed) response.socket?.end();
    else response.socket?.destroy();
  }
}

async function toRequest(request: http.IncomingMessage, signal: AbortSignal): Promise<Request> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const { method = "GET", url = "/" } = request;
  const body = method === "GET" ? undefined : new Uint8Array(chunks.flatMap((chunk) => [...chunk]));
  return new Request(`http://proxy.test${url}`, { method, headers, body, signal });
}
