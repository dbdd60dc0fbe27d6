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

/** How much of the first text is looked at for a dictionary, in characters: with each text the dictionary is read anew. */
const LONGEST_DICTIONARY = 16 * 1024;

/** JSON strings of more than 16 characters. */
const LONG_STRING = /"(?:[^"\\]|\\.){17,}"/g;

/**
 * Keeps JSON texts in few bytes, for this process alone: by zstd where the runtime has it, else by DEFLATE at its fastest. Keys and short
 * strings of the first text are the dictionary of all, so that these are not kept again with each object of a kind. Long strings are
 * mostly an object's own, or secrets, which must not outlive it. Runtimes that know no dictionaries leave it out (Deno).
 */
export class TextPacker {
  #dictionary: Uint8Array | undefined;

  /** Returns the text as bytes that only this packer can read. */
  pack(text: string): Uint8Array {
    const { zstdCompressSync, deflateRawSync } = zlib();
    const bytes = Buffer.from(text);
    const dictionary = this.#dictionary ??= dictionaryOf(text);
    const packed = zstdCompressSync === undefined
      ? deflateRawSync(bytes, { level: 1, dictionary })
      : zstdCompressSync(bytes, { dictionary });
    // NB: on Deno and Node they are the beginning of a larger buffer.
    return new Uint8Array(packed);
  }

  /** Returns the text of bytes that {@linkcode pack} has made. */
  unpack(packed: Uint8Array): string {
    const { zstdDecompressSync, inflateRawSync } = zlib();
    const dictionary = this.#dictionary;
    const text = zstdDecompressSync === undefined
      ? inflateRawSync(packed, { dictionary })
      : zstdDecompressSync(packed, { dictionary });
    return text.toString();
  }
}

function dictionaryOf(text: string): Uint8Array {
  return new TextEncoder().encode(text.slice(0, LONGEST_DICTIONARY).replace(LONG_STRING, '""'));
}

/** NB: not imported: most operators never need it, and it costs start-up time. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
