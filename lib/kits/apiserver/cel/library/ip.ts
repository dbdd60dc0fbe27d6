/**
 * Kubernetes' functions of IP addresses and networks.
 *
 * Source: Kubernetes documentation, "Kubernetes IP address library" and "Kubernetes CIDR library".
 */

import type { Environment } from "@marcbachmann/cel-js";

const BITS = { 4: 32, 6: 128 } as const;

class Address {
  readonly family: 4 | 6;
  readonly value: bigint;

  constructor(family: 4 | 6, value: bigint) {
    this.family = family;
    this.value = value;
  }

  /** The number that the first `count` bits are. */
  first(count: number): bigint {
    return this.value >> BigInt(BITS[this.family] - count);
  }

  toString(): string {
    if (this.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (this.value >> shift) & 255n).join(".");
    const words = Array.from(
      { length: 8 },
      (_, index) => Number((this.value >> BigInt(112 - 16 * index)) & 0xffffn),
    );
    return compress(words.map((word) => word.toString(16)));
  }
}

/** The longest run of zeros, of two at least, becomes "::". */
function compress(words: readonly string[]): string {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < words.length; start++) {
    let length = 0;
    while (words[start + length] === "0") length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return words.join(":");
  return `${words.slice(0, best.start).join(":")}::${words.slice(best.start + best.length).join(":")}`;
}

class Network {
  readonly address: Address;
  readonly length: number;

  constructor(address: Address, length: number) {
    this.address = address;
    this.length = length;
  }

  contains(address: Address): boolean {
    return address.family === this.address.family &&
      address.first(this.length) === this.address.first(this.length);
  }

  masked(): Network {
    const shift = BigInt(BITS[this.address.family] - this.length);
    return new Network(new Address(this.address.family, (this.address.value >> shift) << shift), this.length);
  }

  toString(): string {
    return `${this.address}/${this.length}`;
  }
}

function readAddress(text: string): Address | undefined {
  const parts = text.split(".");
  if (parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return new Address(4, parts.reduce((value, part) => value * 256n + BigInt(part), 0n));
  }
  if (!text.includes(":") || !/^[0-9A-Fa-f:]+$/.test(text)) return undefined;
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = 8 - left.length - right.length;
  const isWhole = tail === undefined ? missing === 0 : missing > 0;
  const words = [...left, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...right];
  if (!isWhole || !words.every((word) => /^[0-9A-Fa-f]{1,4}$/.test(word))) return undefined;
  return new Address(6, words.reduce((value, word) => value * 65536n + BigInt(`0x${word}`), 0n));
}

function readNetwork(text: string): Network | undefined {
  const [, left = "", right = ""] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = readAddress(left);
  if (address === undefined || Number(right) > BITS[address.family]) return undefined;
  return new Network(address, Number(right));
}

function ip(text: string): Address {
  const address = readAddress(text);
  if (address === undefined) {
    throw new SyntaxError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: unable to parse IP`,
    );
  }
  return address;
}

function cidr(text: string): Network {
  const network = readNetwork(text);
  if (network === undefined) {
    throw new SyntaxError("network address parse error during conversion from string: invalid CIDR address");
  }
  return network;
}

const isLoopback = (a: Address) => a.family === 4 ? a.first(8) === 127n : a.value === 1n;
const isLinkLocal = (a: Address) => a.family === 4 ? a.first(16) === 0xa9fen : a.first(10) === 0x3fan;
const isLinkLocalMulticast = (a: Address) =>
  a.family === 4 ? a.first(24) === 0xe00000n : a.first(16) === 0xff02n;
const isMulticast = (a: Address) => a.family === 4 ? a.first(4) === 14n : a.first(8) === 255n;
const isBroadcast = (a: Address) => a.family === 4 && a.value === 0xffffffffn;

/** Adds them. */
export function addIpLibrary(environment: Environment): void {
  environment.registerType("net.IP", { ctor: Address });
  environment.registerType("net.CIDR", { ctor: Network });
  const add = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler);
  add("ip(string): net.IP", ip);
  add("isIP(string): bool", (text: string) => readAddress(text) !== undefined);
  add("cidr(string): net.CIDR", cidr);
  add("isCIDR(string): bool", (text: string) => readNetwork(text) !== undefined);
  add("string(net.IP): string", String);
  add("string(net.CIDR): string", String);
  add("net.IP.family(): int", ({ family }: Address) => BigInt(family));
  add("net.IP.isUnspecified(): bool", ({ value }: Address) => value === 0n);
  add("net.IP.isLoopback(): bool", isLoopback);
  add("net.IP.isLinkLocalUnicast(): bool", isLinkLocal);
  add("net.IP.isLinkLocalMulticast(): bool", isLinkLocalMulticast);
  add(
    "net.IP.isGlobalUnicast(): bool",
    (a: Address) =>
      a.value !== 0n && ![isLoopback, isMulticast, isLinkLocal, isBroadcast].some((is) => is(a)),
  );
  add("net.CIDR.containsIP(net.IP): bool", (network: Network, address: Address) => network.contains(address));
  add("net.CIDR.containsIP(string): bool", (network: Network, text: string) => network.contains(ip(text)));
  const containsNetwork = (network: Network, other: Network) =>
    other.length >= network.length && network.contains(other.address);
  add("net.CIDR.containsCIDR(net.CIDR): bool", containsNetwork);
  add(
    "net.CIDR.containsCIDR(string): bool",
    (network: Network, text: string) => containsNetwork(network, cidr(text)),
  );
  add("net.CIDR.ip(): net.IP", ({ address }: Network) => address);
  add("net.CIDR.prefixLength(): int", ({ length }: Network) => BigInt(length));
  add("net.CIDR.masked(): net.CIDR", (network: Network) => network.masked());
  environment.registerOperator("net.IP == net.IP", (a: Address, b: Address) => String(a) === String(b));
  environment.registerOperator("net.CIDR == net.CIDR", (a: Network, b: Network) => String(a) === String(b));
}
