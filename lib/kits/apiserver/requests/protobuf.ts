/**
 * Reads protocol buffers into the JSON that they stand for, for built-in kinds.
 *
 * `kubectl create namespace` and its kin, and operators written in Go, send built-in kinds in no other form; all of them
 * take JSON as an answer. Source: Kubernetes API concepts, "Protobuf encoding"; protobuf.dev, "Encoding".
 */

import type { JsonObject } from "../../../model/object.ts";
import { isObject, setOwn } from "../values.ts";
import { MESSAGES } from "./protobuf_messages.ts";

/** The media type. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** "k8s" and a zero: what such a body begins with. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

interface Field {
  /** In JSON. */
  readonly name: string;
  readonly type: string;
}

type Message = ReadonlyMap<number, Field>;

/** Of the envelope, and of its type. Source: k8s.io/apimachinery, pkg/runtime/generated.proto, Unknown. */
const ENVELOPE: Message = fieldsOf(["1:type=TypeMeta", "2:raw=raw"]);
const TYPE: Message = fieldsOf(["1:apiVersion=s", "2:kind=s"]);

/**
 * Reads a body.
 *
 * @throws {RangeError} If it ends too early, or is none.
 * @throws {TypeError} If it is of a kind that is not known here.
 */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) {
    throw new RangeError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  let type: JsonObject = {};
  let raw = new Uint8Array();
  for (const { field, value } of fieldsIn(bytes.subarray(MAGIC.length), ENVELOPE)) {
    if (!(value instanceof Uint8Array)) continue;
    if (field.name === "raw") raw = Uint8Array.from(value);
    else type = decodeMessage(value, TYPE);
  }
  const message = messages().get(String(type.kind));
  if (message === undefined) throw new TypeError(`no message is known for kind "${type.kind}"`);
  return { ...type, ...decodeMessage(raw, message) };
}

let parsed: ReadonlyMap<string, Message> | undefined;

/** Parsed when the first one is needed: most programs never are sent any. */
function messages(): ReadonlyMap<string, Message> {
  parsed ??= new Map(
    MESSAGES.trim().split("\n").map((line) => {
      const [name = "", ...fields] = line.split(" ");
      return [name, fieldsOf(fields)];
    }),
  );
  return parsed;
}

function fieldsOf(texts: readonly string[]): Message {
  return new Map(texts.map((text) => {
    const [, number = "", name = "", type = ""] = /^(\d+):([^=]*)=(.*)$/.exec(text) ?? [];
    return [Number(number), { name, type }];
  }));
}

function decodeMessage(bytes: Uint8Array, message: Message): JsonObject {
  const object: JsonObject = {};
  for (const { field, value } of fieldsIn(bytes, message)) store(object, field, value);
  return object;
}

/** NB: Go leaves out nothing: empty texts, zero and false mean that there is nothing, but where a pointer is sent. */
function store(object: JsonObject, { name, type }: Field, value: Value): void {
  if (type.startsWith("^")) {
    Object.assign(object, decodeValue(type.slice(1), value));
  } else if (type.startsWith("*")) {
    const list = object[name];
    if (Array.isArray(list)) list.push(decodeValue(type.slice(1), value));
    else object[name] = [decodeValue(type.slice(1), value)];
  } else if (type.startsWith("%")) {
    const map = isObject(object[name]) ? object[name] : object[name] = {};
    const entry = decodeMessage(bytesOf(value), entryOf(type.slice(1)));
    setOwn(map, String(entry.key ?? ""), entry.value ?? (type === "%s" || type === "%b" ? "" : {}));
  } else {
    const decoded = decodeValue(type.replace("?", ""), value);
    const isNothing = decoded === "" || decoded === 0 || decoded === false || decoded === undefined;
    if (!isNothing || type.endsWith("?")) object[name] = decoded;
  }
}

/** Lists in maps are messages of one repeated field. */
function entryOf(type: string): Message {
  return fieldsOf(["1:key=s", `2:value=${type.startsWith("*") ? `list:${type}` : type}`]);
}

function decodeValue(type: string, value: Value): unknown {
  switch (type) {
    case "i":
      return Number(integerOf(value));
    case "t":
      return integerOf(value) !== 0n;
    case "s":
      return textOf(bytesOf(value));
    case "b":
      return btoa(Array.from(bytesOf(value), (byte) => String.fromCharCode(byte)).join(""));
    case "time":
    case "microtime":
      return timeOf(bytesOf(value), type === "time" ? 0 : 6);
    case "quantity":
      return decodeMessage(bytesOf(value), fieldsOf(["1:text=s"])).text ?? "0";
    case "intstr":
      return intOrTextOf(bytesOf(value));
    case "json":
      return jsonOf(bytesOf(value));
    default:
      return decodeNested(type, bytesOf(value));
  }
}

function decodeNested(type: string, bytes: Uint8Array): unknown {
  if (type.startsWith("list:")) {
    return decodeMessage(bytes, fieldsOf([`1:items=${type.slice(5)}`])).items ?? [];
  }
  return decodeMessage(bytes, messages().get(type) ?? new Map());
}

function timeOf(bytes: Uint8Array, digits: number): string | undefined {
  const { seconds, nanos } = decodeMessage(bytes, fieldsOf(["1:seconds=i?", "2:nanos=i?"]));
  if (seconds === undefined) return undefined;
  // NB: the clock stays out of it: this is a number of seconds since 1970 put into words.
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(nanos ?? 0).padStart(9, "0").slice(0, digits)}Z`;
}

function intOrTextOf(bytes: Uint8Array): unknown {
  const { kind, number, text } = decodeMessage(bytes, fieldsOf(["1:kind=i", "2:number=i", "3:text=s"]));
  return kind === 1 ? text ?? "" : number ?? 0;
}

function jsonOf(bytes: Uint8Array): unknown {
  const { text } = decodeMessage(bytes, fieldsOf(["1:text=s"]));
  return text === undefined ? undefined : JSON.parse(String(text));
}

type Value = bigint | Uint8Array;

/** The known fields of a message, in order. */
function* fieldsIn(
  bytes: Uint8Array,
  message: Message,
): Generator<{ field: Field; value: Value }, void, void> {
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const tag = Number(readVarint(cursor));
    const value = readField(cursor, tag & 7);
    const field = message.get(tag >>> 3);
    if (field !== undefined && value !== undefined) yield { field, value };
  }
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readField(cursor: Cursor, wire: number): Value | undefined {
  if (wire === 0) return readVarint(cursor);
  if (wire === 2) return readBytes(cursor, Number(readVarint(cursor)));
  if (wire !== 1 && wire !== 5) throw new RangeError(`proto: illegal wireType ${wire}`);
  readBytes(cursor, wire === 1 ? 8 : 4); // fixed numbers: no message has any
  return undefined;
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

function integerOf(value: Value): bigint {
  if (typeof value === "bigint") return value;
  throw new RangeError("proto: wrong wireType: a number was expected");
}

function bytesOf(value: Value): Uint8Array {
  if (typeof value !== "bigint") return value;
  throw new RangeError("proto: wrong wireType: bytes were expected");
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RangeError("proto: a text is not valid UTF-8");
  }
}
