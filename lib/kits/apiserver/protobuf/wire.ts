/**
 * Protocol buffers as bytes: tags, numbers and pieces. Source: protobuf.dev, "Encoding".
 */

/** The content of one field: a number, or bytes. */
export type WireValue = bigint | number | Uint8Array;

/** One field as it comes. Numbers are `bigint` where they are whole, `number` where they are fractions. */
export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

/**
 * Reads the fields of a message in their order.
 *
 * @throws {RangeError} If it ends too early, or is none.
 */
export function* readFields(bytes: Uint8Array): Generator<WireField, void, void> {
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const tag = Number(readVarint(cursor));
    yield { number: tag >>> 3, value: readValue(cursor, tag & 7) };
  }
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readValue(cursor: Cursor, wire: number): WireValue {
  if (wire === 0) return readVarint(cursor);
  if (wire === 2) return readBytes(cursor, Number(readVarint(cursor)));
  if (wire !== 1 && wire !== 5) throw new RangeError(`proto: illegal wireType ${wire}`);
  const piece = readBytes(cursor, wire === 1 ? 8 : 4);
  const view = new DataView(piece.buffer, piece.byteOffset, piece.length);
  return wire === 1 ? view.getFloat64(0, true) : view.getFloat32(0, true);
}

function readVarint(cursor: Cursor): bigint {
  let result = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new RangeError("unexpected EOF");
    result |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, result);
  }
  throw new RangeError("proto: integer overflow");
}

function readBytes(cursor: Cursor, length: number): Uint8Array {
  const end = cursor.at + length;
  if (length < 0 || end > cursor.bytes.length) throw new RangeError("unexpected EOF");
  const bytes = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return bytes;
}

const ENCODER = new TextEncoder();

/** A message that is being written. */
export class MessageWriter {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** Writes a whole number. */
  whole(field: number, value: number | bigint): void {
    this.#push(varint(field * 8));
    this.#push(varint(value));
  }

  /** Writes a fraction of 64 bits. */
  double(field: number, value: number): void {
    this.#push(varint(field * 8 + 1));
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#push(bytes);
  }

  text(field: number, value: string): void {
    this.bytes(field, ENCODER.encode(value));
  }

  /** Writes bytes, or a message that was written before. */
  bytes(field: number, value: Uint8Array): void {
    this.#push(varint(field * 8 + 2));
    this.#push(varint(value.length));
    this.#push(value);
  }

  /** Returns the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    const joined = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, offset);
      offset += piece.length;
    }
    return joined;
  }

  #push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }
}

/** NB: negative numbers take ten bytes. */
function varint(value: number | bigint): Uint8Array {
  if (value >= 0 && value < 128) return Uint8Array.of(Number(value));
  const bytes: number[] = [];
  for (
    let rest = BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(Math.trunc(value)));;
    rest >>= 7n
  ) {
    const byte = Number(rest & 0x7fn);
    if (rest < 128n) {
      bytes.push(byte);
      return Uint8Array.from(bytes);
    }
    bytes.push(byte | 0x80);
  }
}
