/**
 * Which objects belong to a shard, worked out here: servers that do not know shard selectors ignore them without a word.
 *
 * The hash is the server's (FNV-1a over 64 bits), so that nothing is dropped by an operator that the server gives to it, and
 * nothing is handled twice where servers of both sorts take turns. Source: Kubernetes, KEP-5866, "ShardedListAndWatch".
 */

import type { KubeObject } from "../../model/object.ts";

const RANGE =
  /^\s*shardRange\(\s*object\.metadata\.(uid|namespace)\s*,\s*(['"])(0x[0-9a-f]{1,17})\2\s*,\s*(['"])(0x[0-9a-f]{1,17})\4\s*\)\s*$/;

interface ShardRange {
  readonly field: "uid" | "namespace";
  /** The first hash that belongs to it. */
  readonly start: bigint;
  /** The first one after those. */
  readonly end: bigint;
}

/**
 * Gives what tells whether an object belongs to any of the shards; undefined if the text says it in a way that is not
 * known here.
 *
 * Known is `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`, the same for the namespace, and
 * several of them with `||` in between.
 */
export function parseShards(text: string): ((object: KubeObject) => boolean) | undefined {
  const ranges: ShardRange[] = [];
  for (const part of text.split("||")) {
    const [, field, , start, , end] = RANGE.exec(part) ?? [];
    if (start === undefined || end === undefined) return undefined;
    ranges.push({ field: field === "uid" ? "uid" : "namespace", start: BigInt(start), end: BigInt(end) });
  }
  return ({ metadata }) =>
    ranges.some(({ field, start, end }) => {
      const hash = shardHash(metadata[field] ?? "");
      return start <= hash && hash < end;
    });
}

/** The hash of a field's text, between 0 and 2^64. */
export function shardHash(text: string): bigint {
  // NB: in two halves: a bigint for each byte takes longer than parsing the object.
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // The prime is 2^40 + 435.
    const product = low * 435;
    high = (high * 435 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
