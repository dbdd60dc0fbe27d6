/**
 * TLS on connections that are there already: for tunnels, and for a runtime that should not open them itself.
 */

import http from "node:http";
import type { Agent, AgentOptions } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { Buffer } from "node:buffer";
import { createPrivateKey, X509Certificate } from "node:crypto";

/** The server at the other end. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** The callback of agents. */
export type Created = (error: Error | null, socket?: Duplex) => void;

export interface DialOptions {
  readonly target: DialTarget;
  readonly tls: AgentOptions & { readonly noDelay?: boolean };
  /** How long connecting may take, in milliseconds. Default: as long as the system tries. */
  readonly timeout?: number;
}

/** Whoever has asked gives up by itself, and leaves the connection to us: it is closed so much later. In milliseconds. */
const GRACE = 1000;

/** Makes an agent open its TLS connections in two steps: TCP first, and TLS when that is there. */
export function dialInSteps(agent: http.Agent | Agent, options: DialOptions): void {
  Object.defineProperty(agent, "createConnection", {
    value: (_options: unknown, created: Created) => void dial(options, created),
  });
}

function dial(options: DialOptions, created: Created): void {
  const { target: { host, port }, tls: { keepAlive, keepAliveMsecs, noDelay }, timeout } = options;
  const socket = connect({ host, port, noDelay, keepAlive, keepAliveInitialDelay: keepAliveMsecs });
  let newest: Duplex = socket;
  const timer = timeout === undefined ? undefined : setTimeout(
    () => newest.destroy(new Error("Nobody waits for the connection any more")),
    timeout + GRACE,
  );
  const finish: Created = (error, stream) => {
    clearTimeout(timer);
    created(error, stream);
  };
  socket.once("error", finish);
  socket.once("connect", () => {
    socket.off("error", finish);
    newest = secure(socket, options, finish);
  });
}

/** Begins TLS on a connection, and gives what will be secure. */
export function secure(socket: Socket, { target, tls }: DialOptions, created: Created): Duplex {
  const isAddress = /^[\d.]+$|:/.test(target.host);
  const stream = connectTls({
    ...tls,
    socket,
    host: target.host,
    servername: tls.servername ?? (isAddress ? undefined : target.host),
  });
  let isTold = false;
  const tell: Created = (error, secured) => {
    if (!isTold) created(error, secured);
    isTold = true;
  };
  stream.once("secureConnect", () => tell(null, stream));
  stream.once("error", (error) => tell(error));
  return stream;
}

// Reaches a server through an HTTP proxy: a tunnel made with CONNECT, for plain and TLS connections alike.

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

// Looks at TLS material before it is used, so that a broken file is named when it is read, not at the first request.

/** PEM texts that belong to one side of a connection. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** @throws {Error} If a text cannot be parsed, or one of certificate and key is there without the other; the message says which. */
export function checkTls({ ca, cert, key }: TlsMaterial): void {
  if (ca !== undefined) checkCertificates(ca, "certificate authority");
  if (cert !== undefined) checkCertificates(cert, "certificate");
  if (key !== undefined) checkKey(key);
  if (cert !== undefined && key === undefined) {
    throw new Error("Cannot use the certificate: its key is missing");
  }
  if (key !== undefined && cert === undefined) {
    throw new Error("Cannot use the key: its certificate is missing");
  }
  if (
    cert !== undefined && key !== undefined &&
    !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  ) {
    throw new Error("Cannot use the key: it does not belong to the certificate");
  }
}

function checkCertificates(text: string, what: string): void {
  const blocks = text.match(/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----[^]*?-----END [A-Z0-9 ]*CERTIFICATE-----/g);
  if (!blocks) throw new Error(`Cannot use the ${what}: it holds no PEM block "CERTIFICATE"`);
  for (const block of blocks) attempt(what, () => new X509Certificate(block));
}

function checkKey(text: string): void {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(text)) {
    throw new Error("Cannot use the key: it is encrypted, and nobody is there to ask for a password");
  }
  attempt("key", () => createPrivateKey(text));
}

function attempt(what: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new Error(`Cannot use the ${what}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
