/**
 * HTTP proxies as the environment names them: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case.
 *
 * The rules are the ones of Go's programs, so that kubectl and an operator on one machine go the same way: an entry of NO_PROXY
 * is a host's name or a domain, an address, a range of addresses in CIDR notation, or "*"; this machine is never reached
 * through a proxy. Source: Go, golang.org/x/net/http/httpproxy.
 */

import type { Host } from "../../runtime/host.ts";

/** Returns the proxy for a server; undefined where there is none, or NO_PROXY names the server. */
export function proxyFromEnvironment(host: Host, server: string): string | undefined {
  const url = new URL(server);
  const proxy = variable(host, url.protocol === "https:" ? "https_proxy" : "http_proxy");
  if (proxy === undefined || isExempt(url, variable(host, "no_proxy") ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/**
 * Returns the URL for messages: a password in it is replaced, also in one that cannot be read or lacks its scheme. A text without
 * one is returned as it is.
 */
export function withoutPassword(text: string): string {
  return text.replace(/(?<=(?:^|:\/\/)[^/@:\s]{0,255}:)[^/\s]{1,1024}(?=@)/g, "***");
}

function isExempt(url: URL, exemptions: string): boolean {
  const name = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const address = parseAddress(name);
  if (name === "localhost" || (address !== undefined && isLoopback(address))) return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return exemptions.split(",").map((entry) => entry.trim().toLowerCase()).some((entry) => {
    if (entry === "" || entry === "*") return entry === "*";
    const range = parseRange(entry);
    if (range !== undefined) return address !== undefined && contains(range, address);
    const [, bracketed, bare, wantedPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
    if (wantedPort !== undefined && wantedPort !== port) return false;
    const wanted = bracketed ?? bare ?? "";
    const exact = parseAddress(wanted);
    if (exact !== undefined) {
      return address !== undefined && contains({ base: exact, bits: exact.length * 8 }, address);
    }
    const domain = wanted.replace(/^\*?\./, "");
    if (domain === "" || address !== undefined) return false;
    return name.endsWith(`.${domain}`) || (name === domain && !wanted.startsWith("."));
  });
}

/** Four or sixteen bytes. */
type Address = readonly number[];

interface Range {
  readonly base: Address;
  readonly bits: number;
}

/** Reads "10.0.0.0/8", "fd00::/8", or an IPv6 address without brackets, which stands for itself. */
function parseRange(text: string): Range | undefined {
  const [head = "", tail, ...more] = text.split("/");
  const base = parseAddress(head);
  if (base === undefined || more.length > 0) return undefined;
  if (tail === undefined) return base.length === 16 ? { base, bits: 128 } : undefined;
  const bits = /^\d{1,3}$/.test(tail) ? Number(tail) : NaN;
  return bits <= base.length * 8 ? { base, bits } : undefined;
}

function contains({ base, bits }: Range, address: Address): boolean {
  if (base.length !== address.length) return false;
  return base.every((byte, index) => {
    const counted = Math.min(8, Math.max(0, bits - index * 8));
    const mask = 0xff & (0xff << (8 - counted));
    return (byte & mask) === ((address[index] ?? 0) & mask);
  });
}

function isLoopback(address: Address): boolean {
  if (address.length === 4) return address[0] === 127;
  return address.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

function parseAddress(text: string): Address | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) {
    const bytes = text.split(".").map(Number);
    return bytes.every((byte) => byte <= 255) ? bytes : undefined;
  }
  if (!/^[\da-f:]{2,39}$/.test(text) || !text.includes(":")) return undefined;
  const [head = "", tail, ...more] = text.split("::");
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const missing = 8 - before.length - after.length;
  if (more.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return undefined;
  const all = [...before, ...Array<string>(missing).fill("0"), ...after];
  if (all.some((group) => !/^[\da-f]{1,4}$/.test(group))) return undefined;
  return all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}

function variable(host: Host, name: string): string | undefined {
  return host.process.env(name.toUpperCase()) || host.process.env(name) || undefined;
}
