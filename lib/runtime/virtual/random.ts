/** Chance that can be repeated: the same seed gives the same numbers, everywhere and always. Not for secrets. */

import type { Random } from "../host.ts";

/** Makes a generator (mulberry32) from a seed, of which the lower 32 bits count. */
export function createVirtualRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(next() * 256));
  return { next, bytes, uuid: () => formatUuid(bytes(16)) };
}

function formatUuid(bytes: Uint8Array): string {
  const marked = bytes.map((byte, index) =>
    index === 6 ? byte & 0x0f | 0x40 : index === 8 ? byte & 0x3f | 0x80 : byte
  );
  const digits = Array.from(marked, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
