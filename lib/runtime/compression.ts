/**
 * Texts made short by `node:zlib`, which every runtime has: for notes on objects as raw DEFLATE (RFC 1951) in base64, for objects in
 * memory as bytes.
 *
 * Synchronous: both are read while changes are looked for. The result for one text of a note can differ between runtimes; each
 * reads the texts of all others.
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

/** Returns the text in a few bytes, for this process alone: zstd where the runtime has it, else DEFLATE at its fastest. */
export function packText(text: string): Uint8Array {
  const { zstdCompressSync, deflateRawSync } = zlib();
  const packed = zstdCompressSync === undefined ? deflateRawSync(text, { level: 1 }) : zstdCompressSync(text);
  // NB: on Deno and Node they are the beginning of a larger buffer.
  return new Uint8Array(packed);
}

/** Returns the text of bytes that {@linkcode packText} has made. */
export function unpackText(packed: Uint8Array): string {
  const { zstdDecompressSync, inflateRawSync } = zlib();
  return (zstdDecompressSync === undefined ? inflateRawSync(packed) : zstdDecompressSync(packed)).toString();
}

/** NB: not imported: most operators never need it, and it costs start-up time. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
