/**
 * Opens connections to a server: plain or with TLS, directly or through a proxy of HTTP or SOCKS5.
 */

import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions as TlsConnectionOptions, TLSSocket } from "node:tls";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { ownCertificates, presentsOneOf } from "./own_certificate.ts";
import { askSocks } from "./socks.ts";
import { askTunnel } from "./tunnel.ts";

/** The server at the other end. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** The TLS material, in Node's words. */
export type TlsOptions = Pick<
  TlsConnectionOptions,
  "ca" | "secureContext" | "servername" | "rejectUnauthorized" | "ALPNProtocols"
>;

/** Where a connection goes, and how. */
export interface DialOptions {
  readonly target: DialTarget;
  readonly tls: TlsOptions;
  /** The way there: `http://[user:password@]host:port`, or the same with `https://` or `socks5://`. Default: directly. */
  readonly proxy?: string;
  /** Whether TLS begins only when there is a TCP connection. Default: the runtime does both at once. */
  readonly inSteps?: boolean;
  /** An idle connection is probed after so many milliseconds. */
  readonly probeDelay: number;
}

/** Told once, when there is a connection, or there will be none. */
export type Opened = (error: unknown, socket?: Socket) => void;

/** A connection that is being opened. */
export interface Dialing {
  /** Ends the attempt. */
  destroy(): void;
}

/** Opens a connection; it is ready for a request when it is told. */
export function open(options: DialOptions, opened: Opened): Dialing {
  const { target, tls } = options;
  let dialing = openOnce(options, (error, socket) => {
    const trusted = typeof tls.ca === "string" ? ownCertificates(error, tls.ca) : [];
    if (trusted.length === 0) return opened(error, socket);
    // It is let in once more without being checked by the runtime, to be checked here before anything is sent.
    dialing = openOnce({ ...options, tls: { ...tls, rejectUnauthorized: false } }, (failure, unchecked) => {
      if (unchecked === undefined) return opened(failure);
      const isOwn = unchecked instanceof TLSSocket &&
        presentsOneOf(trusted, unchecked, nameOf(tls, target) ?? target.host);
      if (isOwn) return opened(null, unchecked);
      unchecked.destroy();
      opened(error);
    });
  });
  return { destroy: () => dialing.destroy() };
}

function openOnce(options: DialOptions, opened: Opened): Dialing {
  let isTold = false;
  let newest: { destroy(): unknown } | undefined;
  const tell: Opened = (error, socket) => {
    if (isTold) return;
    isTold = true;
    if (socket === undefined) newest?.destroy();
    opened(error, socket);
  };
  const follow = <S extends { destroy(): unknown }>(next: S): S => {
    newest = next;
    return next;
  };
  const proxy = options.proxy === undefined ? undefined : new URL(options.proxy);
  if (proxy === undefined) openDirectly({ options, follow, tell });
  else openThrough(proxy, { options, follow, tell });
  return { destroy: () => newest?.destroy() };
}

/** One opening: each step is followed by the next. */
interface Opening {
  readonly options: DialOptions;
  readonly follow: <S extends { destroy(): unknown }>(next: S) => S;
  readonly tell: Opened;
}

function openDirectly(opening: Opening): void {
  const { options: { target, tls, inSteps, probeDelay }, follow, tell } = opening;
  const { host, port, isSecure } = target;
  const settings = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: probeDelay };
  if (isSecure && !inSteps) {
    const socket = follow(connectTls({ ...settings, ...tls, servername: nameOf(tls, target) }));
    return whenReady(socket, "secureConnect", tell);
  }
  const socket = follow(connect(settings));
  if (!isSecure) return whenReady(socket, "connect", tell);
  socket.on("error", tell);
  socket.once("connect", () => secure(socket, opening));
}

/** Begins TLS on a connection. */
function secure(socket: Socket, { options: { target, tls }, follow, tell }: Opening): void {
  const stream = follow(connectTls({ ...tls, socket, host: target.host, servername: nameOf(tls, target) }));
  whenReady(stream, "secureConnect", tell);
}

/** NB: the listeners stay, as an error without a listener ends the process; a caller that was told is not told again. */
function whenReady(socket: Socket, event: string, tell: Opened): void {
  socket.on("error", tell);
  socket.on("close", () => {
    const error = new Error("The connection was closed while it was opened");
    tell(Object.assign(error, { code: "ECONNRESET" }));
  });
  socket.once(event, () => tell(null, socket));
}

/** The name that is asked for, and expected: addresses are none. */
function nameOf({ servername }: TlsOptions, { host }: Pick<DialTarget, "host">): string | undefined {
  return servername ?? (/^[\d.]+$|:/.test(host) ? undefined : host);
}

/** Reaches a server through a proxy: a connection to it comes first, which then leads to the server. */
function openThrough(proxy: URL, opening: Opening): void {
  const { options: { target, tls, probeDelay }, follow, tell } = opening;
  const isSecure = proxy.protocol === "https:";
  const isSocks = proxy.protocol.startsWith("socks");
  const host = proxy.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(proxy.port || (isSocks ? 1080 : isSecure ? 443 : 80));
  const settings = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: probeDelay };
  // The authority of the server is that of the proxy, too. Source: client-go, whose transport has one TLS configuration.
  const name = nameOf({}, { host });
  const socket = follow(isSecure ? connectTls({ ...settings, ...tls, servername: name }) : connect(settings));
  // NB: told as one that was closed while it was opened, whatever it waits for.
  whenReady(socket, isSecure ? "secureConnect" : "connect", (error) => {
    if (error) return tell(error);
    (isSocks ? askSocks : askTunnel)(socket, { proxy, target }, (refusal) => {
      if (refusal !== undefined) tell(refusal);
      else if (target.isSecure) secure(socket, opening);
      else tell(null, socket);
    });
  });
}

/** Kinds of proxies; with and without "h", names are resolved by the proxy. */
const PROXIES: readonly string[] = ["http:", "https:", "socks5:", "socks5h:"];

/** @throws {TypeError} If it is a proxy of another kind, or none. */
export function checkProxy(proxy: string): void {
  // NB: not as the engine says it, whose message holds the text, and so the password.
  if (!URL.canParse(proxy)) throw new TypeError("Cannot use the proxy: what names it is not a URL");
  const { protocol, host } = new URL(proxy);
  if (PROXIES.includes(protocol) && host !== "") return;
  throw new TypeError(
    `Cannot use the proxy "${protocol}//${host}": it must be http://, https:// or socks5://, with a host`,
  );
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
