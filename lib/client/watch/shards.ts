/**
 * Which objects belong to a shard, worked out here: servers that do not know shard selectors ignore them without a word.
 *
 * The hash is the server's (FNV-1a over 64 bits), so that an operator drops no object that the server gives to it, and
 * no object is handled twice where servers of both sorts take turns. Source: Kubernetes, KEP-5866, "ShardedListAndWatch".
 */

import type { KubeObject } from "../../model/object.ts";

const RANGE =
  /^\s*shardRange\(\s*object\.metadata\.(uid|namespace)\s*,\s*(['"])(0x[0-9a-f]{1,17})\2\s*,\s*(['"])(0x[0-9a-f]{1,17})\4\s*\)\s*$/;

interface ShardRange {
  readonly field: "uid" | "namespace";
  /** The first hash that belongs to it. */
  readonly start: bigint;
  /** The first one after them. */
  readonly end: bigint;
}

export interface ShardFilterOptions {
  readonly shardSelector: string;
  /** Called at most once: the server does not apply the selector. */
  readonly onIgnored: (message: string) => void;
}

/** Drops the objects of other shards, where the server has not. */
export class ShardFilter {
  readonly #options: ShardFilterOptions;
  /** Whether an object belongs to our shard; undefined if that cannot be told here. */
  readonly #isOurs: ((object: KubeObject) => boolean) | undefined;
  #hasComplained = false;

  constructor(options: ShardFilterOptions) {
    this.#options = options;
    this.#isOurs = parseShards(options.shardSelector);
  }

  accepts(object: KubeObject): boolean {
    if (this.#isOurs?.(object) !== false) return true;
    this.#complain("The server ignores the shard selector: objects of other shards are dropped here");
    return false;
  }

  /**
   * Takes note of the shard that a list names.
   *
   * NB: the server may have applied the selector although it does not say so. Only an object of another shard proves that
   * the selector was ignored.
   */
  checkList(shard: string | undefined): void {
    if (shard !== undefined || this.#isOurs !== undefined) return;
    this.#complain(
      "The server seems to ignore the shard selector, which cannot be applied here either: objects may be handled several times",
    );
  }

  #complain(message: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#options.onIgnored(message);
  }
}

/**
 * Returns the function that tells whether an object belongs to any of the shards; undefined if the text says it in a way that is not
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
  // In two halves: a bigint for each byte takes longer than parsing the object.
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
