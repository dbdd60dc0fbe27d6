/**
 * Asks an HTTP proxy for a tunnel to a server, on a connection to the proxy, which may be one of TLS.
 *
 * By hand, and not by `node:http`: its start costs more than the rest of a start, and few have a proxy.
 * Source: RFC 9110, 9.3.6 (CONNECT).
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";

/** No proxy has to say more before the tunnel begins. In bytes. */
const MOST = 65_536;

export interface TunnelOptions {
  /** `http://[user:password@]host:port`, or the same with `https://`. */
  readonly proxy: URL;
  readonly target: { readonly host: string; readonly port: number };
}

/** Talks to the proxy, and tells once: with an error, or when the connection leads to the server. */
export function askTunnel(
  socket: Socket,
  { proxy, target }: TunnelOptions,
  done: (error?: Error) => void,
): void {
  const address = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  let received = Buffer.alloc(0);
  const end = (reason?: string): void => {
    socket.off("data", take);
    done(
      reason === undefined ? undefined : new Error(`Cannot reach "${address}" through the proxy: ${reason}`),
    );
  };
  function take(chunk: Buffer): void {
    received = Buffer.concat([received, chunk]);
    const length = received.indexOf("\r\n\r\n");
    if (length < 0) {
      if (received.length > MOST) end("its answer has no end");
      return;
    }
    const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(received.subarray(0, length).toString("latin1"))?.[1];
    if (status === undefined) return end("what answers there is no HTTP proxy");
    if (status !== "200") return end(`it answered ${status}`);
    const rest = received.subarray(length + 4);
    end();
    if (rest.length > 0) socket.unshift(rest);
  }
  socket.on("data", take);
  const login = proxy.username === "" ? "" : `proxy-authorization: Basic ${pairOf(proxy)}\r\n`;
  socket.write(`CONNECT ${address} HTTP/1.1\r\nhost: ${address}\r\n${login}\r\n`);
}

function pairOf({ username, password }: URL): string {
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
}
