/**
 * Cuts a stream of bytes into lines, and parses each as JSON.
 *
 * Lines are cut at byte 0x0A before anything is decoded, because chunks end anywhere, also in the middle of a character.
 * All lines of a chunk are decoded at once, and the rest of an unfinished one is kept in pieces: a line of several MB costs
 * one copy. See bench/README.md.
 */

import { parserFor } from "../../runtime/json.ts";

/** The longest line that is kept, in bytes: far above the limit of etcd, far below the memory of a process. */
const LINE_LIMIT = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** The outcome of reading some bytes: the values before the first line that is not JSON, and the fault of that line. */
export interface DecodedLines {
  readonly values: unknown[];
  readonly error?: Error;
}

/** Decodes one stream. After an error, it is of no more use. */
export class JsonLines {
  readonly #limit: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number = LINE_LIMIT) {
    this.#limit = limit;
  }

  /** Takes the next bytes, and returns the values of the lines that they complete. Wrong bytes become U+FFFD. */
  push(chunk: Uint8Array): DecodedLines {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) return this.#keep(chunk, []);
    const lines = chunk.subarray(0, end);
    const decoded = this.#parse(this.#pieces.length === 0 ? lines : this.#complete(lines));
    if (decoded.error !== undefined || end + 1 === chunk.length) return decoded;
    // NB: slice, not subarray: the rest must not hold on to the whole chunk.
    return this.#keep(chunk.slice(end + 1), decoded.values);
  }

  /** Says that no more bytes come. A last line without its end is taken if it is whole. */
  end(): DecodedLines {
    return this.#parse(this.#complete(new Uint8Array()));
  }

  #parse(bytes: Uint8Array): DecodedLines {
    const text = this.#decoder.decode(bytes);
    const parse = parserFor(bytes);
    const values: unknown[] = [];
    for (let start = 0; start < text.length;) {
      const found = text.indexOf("\n", start);
      const end = found < 0 ? text.length : found;
      const line = start === 0 && end === text.length ? text : text.slice(start, end);
      start = end + 1;
      if (line.trim() === "") continue;
      try {
        values.push(parse(line));
      } catch (cause) {
        return {
          values,
          error: new SyntaxError("Cannot read a line of a stream: it is not JSON", { cause }),
        };
      }
    }
    return { values };
  }

  #keep(piece: Uint8Array, values: unknown[]): DecodedLines {
    this.#length += piece.length;
    if (this.#length > this.#limit) {
      const error = new RangeError(`Cannot read a stream: a line is longer than ${this.#limit} bytes`);
      return { values, error };
    }
    this.#pieces.push(piece);
    return { values };
  }

  /** Puts the kept bytes before the new ones. */
  #complete(bytes: Uint8Array): Uint8Array {
    if (this.#pieces.length === 0) return bytes;
    const whole = new Uint8Array(this.#length + bytes.length);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    whole.set(bytes, at);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }
}
