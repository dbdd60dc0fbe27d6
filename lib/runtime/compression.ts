/**
 * Texts made short: raw DEFLATE (RFC 1951) in base64, by `node:zlib`, which every runtime has.
 *
 * Synchronous, as notes on objects are: they are read while changes are looked for. The result for one text can differ
 * between runtimes; each reads the texts of all others.
 */

import { Buffer } from "node:buffer";
import process from "node:process";

/** Returns the text in compressed form: base64. */
export function compressText(text: string): string {
  return zlib().deflateRawSync(text, { level: 9 }).toString("base64");
}

/**
 * Returns the text that was compressed; undefined if it is none, is cut off, or is longer than `limit` bytes.
 *
 * Strangers can write it, and a few bytes can stand for gigabytes: no more than the limit is ever unpacked.
 */
export function decompressText(compressed: string, limit: number): string | undefined {
  try {
    return zlib().inflateRawSync(Buffer.from(compressed, "base64"), { maxOutputLength: limit }).toString();
  } catch {
    return undefined;
  }
}

/** NB: not imported: most operators never need it, and it costs start-up time. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
