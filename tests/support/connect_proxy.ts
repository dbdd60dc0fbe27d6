/** An HTTP proxy with sockets that tunnels (CONNECT), as companies have them. */

import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface ConnectProxyOptions {
  /** Who may, as "name:password". Default: everybody. */
  readonly user?: string;
  /** Addresses of names that only the proxy knows. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Clients reach it by TLS. PEM. Default: without. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface ConnectProxy extends Disposable {
  readonly port: number;
  /** What was asked for: "host:port by name:password". */
  readonly asked: readonly string[];
  /** Cuts all tunnels. */
  breakAll(): void;
}

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { user = "", hosts = {}, tls } = options;
  const asked: string[] = [];
  const open = new Set<{ destroy(): void }>();
  const proxy = createServer((_request, response) => void response.writeHead(400).end());
  proxy.on("connect", (request, client) => {
    open.add(client);
    client.on("error", () => {});
    const sent = Buffer.from(request.headers["proxy-authorization"]?.split(" ")[1] ?? "", "base64")
      .toString();
    asked.push(`${request.url} by ${sent}`);
    if (sent !== user) {
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    }
    const [host = "", port] = (request.url ?? "").split(":");
    const upstream = connect(Number(port), hosts[host] ?? host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client);
      client.pipe(upstream);
    });
    open.add(upstream);
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => {
      open.delete(upstream);
      client.destroy();
    });
    client.on("close", () => {
      open.delete(client);
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const door = tls && createTlsServer(tls, (client) => {
    const inner: Socket = connect(port, "127.0.0.1");
    for (const [one, other] of [[client, inner], [inner, client]] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  if (door !== undefined) await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const breakAll = (): void => {
    for (const socket of [...open]) socket.destroy();
  };
  return {
    port: door === undefined ? port : (door.address() as AddressInfo).port,
    asked,
    breakAll,
    [Symbol.dispose]() {
      proxy.close();
      door?.close();
      breakAll();
    },
  };
}
