/**
 * Reads protocol buffers into the JSON that they stand for, for built-in kinds.
 *
 * `kubectl create namespace` and its kin, and the typed clients of client-go, send built-in kinds in no other form.
 * Source: Kubernetes API concepts, "Protobuf encoding"; protobuf.dev, "Encoding".
 */

import type { JsonObject } from "../../../model/object.ts";
import { parseJson } from "../../../runtime/json.ts";
import type { Shape } from "../types/mod.ts";
import { isObject, setOwn } from "../values.ts";
import {
  BYTES,
  INTEGER,
  isField,
  type Message,
  type MessageField,
  messageOf,
  messageOfKind,
  smallMessage,
  TEXT,
} from "./messages.ts";
import { readFields, type WireValue } from "./wire.ts";

/** "k8s" and a zero: the first bytes of such a body. */
export const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Of the envelope, and of its type. Source: k8s.io/apimachinery, pkg/runtime/generated.proto, Unknown. */
const ENVELOPE = { type: 1, raw: 2 };
const TYPE = smallMessage({ apiVersion: [1, TEXT], kind: [2, TEXT] });

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
  let raw: Uint8Array = new Uint8Array();
  for (const { number, value } of readFields(bytes.subarray(MAGIC.length))) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === ENVELOPE.type) type = decodeMessage(value, TYPE);
    else if (number === ENVELOPE.raw) raw = value;
  }
  if (Object.keys(type).length === 0) throw new RangeError("the message does not say of which kind it is");
  const message = messageOfKind(type);
  if (message === undefined) throw new TypeError(`no message is known for kind "${type.kind}"`);
  return { ...type, ...decodeMessage(raw, message) };
}

function decodeMessage(bytes: Uint8Array, message: Message): JsonObject {
  const object: JsonObject = {};
  for (const { number, value } of readFields(bytes)) {
    const entry = message.get(number);
    if (entry === undefined) continue;
    if (isField(entry)) store(object, entry, value);
    else Object.assign(object, decodeMessage(bytesOf(value), entry));
  }
  return object;
}

/** NB: Go sends all fields: empty texts, zero and false mean that a field is absent, unless it is a pointer. */
function store(object: JsonObject, { name, shape, isPointer }: MessageField, value: WireValue): void {
  if (shape.kind === "list") {
    const list = object[name];
    if (Array.isArray(list)) list.push(decodeValue(shape.of, value));
    else object[name] = [decodeValue(shape.of, value)];
  } else if (shape.kind === "map") {
    const map = isObject(object[name]) ? object[name] : object[name] = {};
    const [key, item] = decodeEntry(bytesOf(value), shape.of);
    setOwn(map, key, item);
  } else {
    const decoded = decodeValue(shape, value);
    const isNothing = decoded === "" || decoded === 0 || decoded === false || decoded === undefined;
    if (!isNothing || isPointer) setOwn(object, name, decoded);
    if (decoded === undefined) delete object[name];
  }
}

/** An entry of a map is a message; lists in maps are messages of one repeated field. */
function decodeEntry(bytes: Uint8Array, shape: Shape): [key: string, value: unknown] {
  let key = "";
  let item: unknown = emptyOf(shape);
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) key = textOf(bytesOf(value));
    else if (number === 2) item = decodeValue(shape, value);
  }
  return [key, item];
}

function emptyOf(shape: Shape): unknown {
  if (shape.kind === "list") return [];
  return shape.kind === "scalar" && shape.type === "string" ? "" : {};
}

function decodeValue(shape: Shape, value: WireValue): unknown {
  switch (shape.kind) {
    case "scalar":
      return decodeScalar(shape, value);
    case "type":
      return decodeType(shape.name, bytesOf(value));
    case "list":
      return decodeMessage(bytesOf(value), smallMessage({ items: [1, shape] })).items ?? [];
    case "map":
      throw new RangeError("proto: no map stands in a list or in a map");
  }
}

function decodeScalar({ type, format }: Shape & { kind: "scalar" }, value: WireValue): unknown {
  if (type === "integer") return wholeOf(integerOf(value));
  if (type === "boolean") return integerOf(value) !== 0n;
  if (type === "number") return Number(value);
  return format === "byte" ? base64Of(bytesOf(value)) : textOf(bytesOf(value));
}

const INT_OR_STRING = smallMessage({ kind: [1, INTEGER], number: [2, INTEGER], text: [3, TEXT] });
const TIMESTAMP = smallMessage({ seconds: [1, INTEGER], nanos: [2, INTEGER] });
const QUANTITY = smallMessage({ text: [1, TEXT] });
const SCHEMA: Shape = { kind: "type", name: "apiextensions.JSONSchemaProps" };
const SCHEMA_OR_LIST = smallMessage({ schema: [1, SCHEMA], list: [2, { kind: "list", of: SCHEMA }] });
const SCHEMA_OR_TRUTH = smallMessage({
  allows: [1, { kind: "scalar", type: "boolean" }],
  schema: [2, SCHEMA],
});
const SCHEMA_OR_NAMES = smallMessage({ schema: [1, SCHEMA], list: [2, { kind: "list", of: TEXT }] });
const RAW = smallMessage({ raw: [1, BYTES] });

function decodeType(type: string, bytes: Uint8Array): unknown {
  switch (type) {
    case "meta.Time":
    case "meta.MicroTime":
      return timeOf(bytes, type === "meta.Time" ? 0 : 6);
    case "Quantity":
      return decodeMessage(bytes, QUANTITY).text ?? "0";
    case "IntOrString": {
      const { kind, number, text } = decodeMessage(bytes, INT_OR_STRING);
      return kind === 1 ? text ?? "" : number ?? 0;
    }
    case "meta.FieldsV1":
    case "RawExtension":
    case "apiextensions.JSON":
      return rawOf(bytes);
    case "apiextensions.JSONSchemaPropsOrArray": {
      const { schema, list } = decodeMessage(bytes, SCHEMA_OR_LIST);
      return schema ?? list ?? {};
    }
    case "apiextensions.JSONSchemaPropsOrBool": {
      const { schema, allows } = decodeMessage(bytes, SCHEMA_OR_TRUTH);
      return schema ?? allows ?? false;
    }
    case "apiextensions.JSONSchemaPropsOrStringArray": {
      const { schema, list } = decodeMessage(bytes, SCHEMA_OR_NAMES);
      return schema ?? list ?? [];
    }
    default:
      return decodeMessage(bytes, messageOf(type));
  }
}

function rawOf(bytes: Uint8Array): unknown {
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) return parse(textOf(bytesOf(value)));
  }
  return decodeMessage(bytes, RAW).raw;
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return parseJson(text, 64);
  } catch (error) {
    throw new RangeError(error instanceof Error ? error.message : String(error));
  }
}

function timeOf(bytes: Uint8Array, digits: number): string | undefined {
  const { seconds, nanos } = decodeMessage(bytes, TIMESTAMP);
  if (seconds === undefined) return undefined;
  const moment = new Date(Number(seconds) * 1000);
  if (Number.isNaN(moment.getTime())) throw new RangeError("proto: a time is out of range");
  // NB: the clock stays out of it: this is a number of seconds since 1970 put into words.
  const whole = moment.toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(nanos ?? 0).padStart(9, "0").slice(0, digits)}Z`;
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function integerOf(value: WireValue): bigint {
  if (typeof value === "bigint") return value;
  throw new RangeError("proto: wrong wireType: a number was expected");
}

/** As in JSON: a bigint only where a number would round it. */
function wholeOf(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function bytesOf(value: WireValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new RangeError("proto: wrong wireType: bytes were expected");
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RangeError("proto: a text is not valid UTF-8");
  }
}
