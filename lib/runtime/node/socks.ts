/**
 * Asks a SOCKS5 proxy for a connection to a server, on a connection to the proxy.
 *
 * Names of servers are resolved by the proxy, as in programs written in Go: those behind it are often known there only.
 * Source: RFC 1928 (SOCKS 5); RFC 1929 (name and password).
 */

import { Buffer } from "node:buffer";
import { isIPv4, isIPv6, type Socket } from "node:net";

const VERSION = 5;
const WITHOUT_LOGIN = 0;
const WITH_PASSWORD = 2;
const CONNECT = 1;
const [IPV4, NAME, IPV6] = [1, 3, 4] as const;

/** Why a proxy refuses, by its code. Source: RFC 1928, 6. */
const REASONS = [
  "",
  "it has failed",
  "its rules do not allow it",
  "the network is unreachable",
  "the host is unreachable",
  "the connection was refused",
  "the time to live has expired",
  "it knows no connections",
  "it does not know such addresses",
];

export interface SocksOptions {
  /** `socks5://[user:password@]host:port`. */
  readonly proxy: URL;
  readonly target: { readonly host: string; readonly port: number };
}

/** Talks to the proxy, and tells once: with an error, or when the connection leads to the server. */
export function askSocks(
  socket: Socket,
  { proxy, target }: SocksOptions,
  done: (error?: Error) => void,
): void {
  const title = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`;
  let step: "method" | "login" | "reply" = "method";
  let received = Buffer.alloc(0);
  const end = (error?: Error): void => {
    socket.off("data", take);
    done(error);
  };
  const fail = (reason: string): void =>
    end(new Error(`Cannot reach "${title}" through the SOCKS5 proxy: ${reason}`));
  const ask = (): void => {
    step = "reply";
    socket.write(requestFor(target));
  };
  /** Takes the next answer, if it is whole. */
  function take(chunk: Buffer): void {
    received = Buffer.concat([received, chunk]);
    if (step === "reply") return takeReply();
    if (received.length < 2) return;
    const [version, answer] = received;
    received = received.subarray(2);
    if (step === "login") return answer === 0 ? ask() : fail("it does not take the name and password");
    if (version !== VERSION) return fail("what answers there is no SOCKS5 proxy");
    if (answer === WITHOUT_LOGIN) return ask();
    if (answer !== WITH_PASSWORD || proxy.username === "") return fail("it wants another login");
    step = "login";
    socket.write(loginFor(proxy));
  }
  function takeReply(): void {
    const [version, code = 0, , type, first = 0] = received;
    if (received.length < 5) return;
    if (version !== VERSION) return fail("what answers there is no SOCKS5 proxy");
    if (code !== 0) return fail(REASONS[code] ?? `it answered ${code}`);
    const length = 6 + (type === IPV4 ? 4 : type === IPV6 ? 16 : 1 + first);
    if (received.length < length) return;
    const rest = received.subarray(length);
    end();
    if (rest.length > 0) socket.unshift(rest);
  }
  socket.on("data", take);
  const methods = proxy.username === "" ? [WITHOUT_LOGIN] : [WITHOUT_LOGIN, WITH_PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
}

function loginFor({ username, password }: URL): Buffer {
  const parts = [username, password].map((text) => Buffer.from(decodeURIComponent(text)).subarray(0, 255));
  return Buffer.concat([Buffer.from([1]), ...parts.flatMap((part) => [Buffer.from([part.length]), part])]);
}

function requestFor({ host, port }: SocksOptions["target"]): Buffer {
  const head = Buffer.from([VERSION, CONNECT, 0]);
  return Buffer.concat([head, addressOf(host), Buffer.from([port >> 8, port & 0xff])]);
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split(".").map(Number)]);
  if (isIPv6(host)) {
    return Buffer.from([IPV6, ...groupsOf(host).flatMap((group) => [group >> 8, group & 0xff])]);
  }
  const name = Buffer.from(host).subarray(0, 255);
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

/** Returns the eight groups of an IPv6 address, as URLs spell it. */
function groupsOf(address: string): number[] {
  const [head = "", tail = ""] = address.split("::");
  const [before, after] = [head, tail].map((part) => part === "" ? [] : part.split(":"));
  const zeros = Array<string>(8 - before!.length - after!.length).fill("0");
  return [...before!, ...zeros, ...after!].map((group) => Number.parseInt(group, 16));
}
