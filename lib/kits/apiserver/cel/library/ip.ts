/**
 * Kubernetes' functions of IP addresses and networks.
 *
 * Source: Kubernetes documentation, "Kubernetes IP address library" and "Kubernetes CIDR library".
 */

import type { Environment } from "../environment.ts";
import { Address, BITS, readAddress } from "../../formats/ip_address.ts";
import { Failure, type LibraryValue } from "../values.ts";

class Network implements LibraryValue {
  readonly typeName = "net.CIDR";
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

  equals(other: unknown): boolean {
    return other instanceof Network && String(other) === String(this);
  }

  masked(): Network {
    const shift = BigInt(BITS[this.address.family] - this.length);
    return new Network(new Address(this.address.family, (this.address.value >> shift) << shift), this.length);
  }

  toString(): string {
    return `${this.address}/${this.length}`;
  }
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
    throw new Failure(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: unable to parse IP`,
    );
  }
  return address;
}

function cidr(text: string): Network {
  const network = readNetwork(text);
  if (network === undefined) {
    throw new Failure("network address parse error during conversion from string: invalid CIDR address");
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
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.function(signature, call);
  const member = (signature: string, call: (...values: never[]) => unknown) =>
    environment.member(signature, call);
  add("ip(string): net.IP", ip);
  add("isIP(string): bool", (text: string) => readAddress(text) !== undefined);
  add("ip.isCanonical(string): bool", (text: string) => String(ip(text)) === text);
  add("cidr(string): net.CIDR", cidr);
  add("isCIDR(string): bool", (text: string) => readNetwork(text) !== undefined);
  add("string(net.IP): string", String);
  add("string(net.CIDR): string", String);
  member("net.IP.family(): int", ({ family }: Address) => BigInt(family));
  member("net.IP.isUnspecified(): bool", ({ value }: Address) => value === 0n);
  member("net.IP.isLoopback(): bool", isLoopback);
  member("net.IP.isLinkLocalUnicast(): bool", isLinkLocal);
  member("net.IP.isLinkLocalMulticast(): bool", isLinkLocalMulticast);
  member(
    "net.IP.isGlobalUnicast(): bool",
    (a: Address) =>
      a.value !== 0n && ![isLoopback, isMulticast, isLinkLocal, isBroadcast].some((is) => is(a)),
  );
  member(
    "net.CIDR.containsIP(net.IP): bool",
    (network: Network, address: Address) => network.contains(address),
  );
  member("net.CIDR.containsIP(string): bool", (network: Network, text: string) => network.contains(ip(text)));
  const containsNetwork = (network: Network, other: Network) =>
    other.length >= network.length && network.contains(other.address);
  member("net.CIDR.containsCIDR(net.CIDR): bool", containsNetwork);
  member(
    "net.CIDR.containsCIDR(string): bool",
    (network: Network, text: string) => containsNetwork(network, cidr(text)),
  );
  member("net.CIDR.ip(): net.IP", ({ address }: Network) => address);
  member("net.CIDR.prefixLength(): int", ({ length }: Network) => BigInt(length));
  member("net.CIDR.masked(): net.CIDR", (network: Network) => network.masked());
}
