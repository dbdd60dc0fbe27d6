/**
 * IP addresses: as names of objects, and in expressions.
 */

/** How long addresses of each family are. */
export const BITS = { 4: 32, 6: 128 } as const;

/** An address of version 4 or 6. */
export class Address {
  /** Its type in expressions. */
  readonly typeName = "net.IP";
  readonly family: 4 | 6;
  readonly value: bigint;

  constructor(family: 4 | 6, value: bigint) {
    this.family = family;
    this.value = value;
  }

  equals(other: unknown): boolean {
    return other instanceof Address && other.family === this.family && other.value === this.value;
  }

  /** The number that the first `count` bits are. */
  first(count: number): bigint {
    return this.value >> BigInt(BITS[this.family] - count);
  }

  /** Returns the canonical form (RFC 5952). */
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

/** Reads an address, canonical or not; undefined if it is none. */
export function readAddress(text: string): Address | undefined {
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

const CANNOT_READ = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** Returns the faults of the name of an IPAddress. Source: k8s.io/apimachinery, pkg/util/validation/ip.go. */
export function ipErrors(text: string): string[] {
  const plain = text.replace(/^::ffff:(?=\d+\.)/i, "");
  const address = readAddress(plain.replace(/(^|\.)0+(?=\d)/g, "$1"));
  if (address === undefined) return [CANNOT_READ];
  if (plain !== text) return ["must not be an IPv4-mapped IPv6 address"];
  if (address.family === 4 && readAddress(text) === undefined) return ["must not have leading 0s"];
  const canonical = address.toString();
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}
