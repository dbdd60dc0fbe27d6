/** Reaches a server through an HTTP proxy: a tunnel made with CONNECT, for plain and TLS connections alike. */

import { Buffer } from "node:buffer";
import http from "node:http";
import type { Agent, AgentOptions } from "node:https";
import type { Socket } from "node:net";
import { type Created, type DialTarget, secure } from "./node_dial.ts";

/** How to get there. */
export interface TunnelOptions {
  /** `http://[user:password@]host:port` */
  readonly proxy: string;
  /** The server behind the proxy. */
  readonly target: DialTarget;
  readonly tls: AgentOptions;
}

/** Makes an agent open its connections through a proxy. */
export function tunnel(agent: http.Agent | Agent, options: TunnelOptions): void {
  const proxy = new URL(options.proxy);
  if (proxy.protocol !== "http:") {
    throw new TypeError(`Cannot use the proxy "${proxy.origin}": only http: is known`);
  }
  Object.defineProperty(agent, "createConnection", {
    value: (_options: unknown, created: Created) => void openTunnel(proxy, options, created),
  });
}

function openTunnel(proxy: URL, { target, tls }: TunnelOptions, created: Created): void {
  const address = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const request = http.request({
    host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(proxy.port || 80),
    method: "CONNECT",
    path: address,
    headers: { host: address, ...authorization(proxy) },
    agent: false,
  });
  request.on("connect", (response: http.IncomingMessage, socket: Socket) => {
    if (response.statusCode !== 200) {
      socket.destroy();
      return created(
        new Error(`Cannot reach "${address}" through the proxy: it answered ${response.statusCode}`),
      );
    }
    if (!target.isSecure) return created(null, socket);
    secure(socket, { target, tls }, created);
  });
  request.on("response", (response: http.IncomingMessage) => {
    response.destroy();
    created(new Error(`Cannot reach "${address}" through the proxy: it answered ${response.statusCode}`));
  });
  request.on("error", (error) => created(error));
  request.end();
}

function authorization(proxy: URL): Record<string, string> {
  if (!proxy.username) return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
