/**
 * Writes built-in kinds, their lists and the events of watches as protocol buffers.
 *
 * A value that does not fit its type is left out: the real server would not have taken it. Source: Kubernetes API concepts,
 * "Protobuf encoding"; k8s.io/apimachinery, pkg/runtime/serializer/protobuf.
 */

import type { JsonObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";
import { type Shape, typeOfKind } from "../types/mod.ts";
import { getOwn, isObject } from "../values.ts";
import { MAGIC } from "./decode.ts";
import { isField, type Message, messageOf, messageOfKind } from "./messages.ts";
import { MessageWriter } from "./wire.ts";

/** The media type. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** Tells whether objects of a kind can be written. */
export function hasMessage(apiVersion: string, kind: string): boolean {
  return typeOfKind(apiVersion, kind) !== undefined;
}

/** Writes an object with its envelope; undefined if its kind is not known. */
export function encodeProtobuf(object: JsonObject): Uint8Array<ArrayBuffer> | undefined {
  const { apiVersion, kind } = object;
  const message = messageOfKind(object);
  if (message === undefined || typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const type = new MessageWriter();
  type.text(1, apiVersion);
  type.text(2, kind);
  const envelope = new MessageWriter();
  envelope.bytes(1, type.finish());
  envelope.bytes(2, encodeMessage(object, message));
  envelope.text(3, "");
  envelope.text(4, "");
  const content = envelope.finish();
  const bytes = new Uint8Array(MAGIC.length + content.length);
  bytes.set(MAGIC);
  bytes.set(content, MAGIC.length);
  return bytes;
}

/** Writes an event of a watch, with its length before it; undefined if the object's kind is not known. */
export function encodeEvent(type: string, object: JsonObject): Uint8Array<ArrayBuffer> | undefined {
  const raw = encodeProtobuf(object);
  if (raw === undefined) return undefined;
  const extension = new MessageWriter();
  extension.bytes(1, raw);
  const event = new MessageWriter();
  event.text(1, type);
  event.bytes(2, extension.finish());
  const content = event.finish();
  const frame = new Uint8Array(4 + content.length);
  new DataView(frame.buffer).setUint32(0, content.length);
  frame.set(content, 4);
  return frame;
}

function encodeMessage(object: JsonObject, message: Message): Uint8Array {
  const writer = new MessageWriter();
  for (const [number, entry] of message) {
    if (!isField(entry)) {
      const content = encodeMessage(object, entry);
      if (content.length > 0) writer.bytes(number, content);
      continue;
    }
    const value = getOwn(object, entry.name);
    if (value !== undefined && value !== null) writeField(writer, { number, shape: entry.shape, value });
  }
  return writer.finish();
}

interface FieldValue {
  readonly number: number;
  readonly shape: Shape;
  readonly value: unknown;
}

function writeField(writer: MessageWriter, { number, shape, value }: FieldValue): void {
  if (shape.kind === "list") {
    for (const item of Array.isArray(value) ? value : []) {
      writeValue(writer, { number, shape: shape.of, value: item });
    }
  } else if (shape.kind === "map") {
    for (const [key, item] of isObject(value) ? Object.entries(value) : []) {
      const entry = new MessageWriter();
      entry.text(1, key);
      writeValue(entry, { number: 2, shape: shape.of, value: item });
      writer.bytes(number, entry.finish());
    }
  } else writeValue(writer, { number, shape, value });
}

function writeValue(writer: MessageWriter, { number, shape, value }: FieldValue): void {
  if (shape.kind === "scalar") writeScalar(writer, { number, shape, value });
  else if (shape.kind === "list") {
    // A list in a map is a message of one repeated field.
    const list = new MessageWriter();
    writeField(list, { number: 1, shape, value });
    writer.bytes(number, list.finish());
  } else if (shape.kind === "type") {
    const content = encodeType(shape.name, value);
    if (content !== undefined) writer.bytes(number, content);
  }
}

function writeScalar(
  writer: MessageWriter,
  of: FieldValue & { readonly shape: { readonly kind: "scalar" } },
): void {
  const { number, shape, value } = of;
  if (shape.type === "integer" && isNumber(value)) writer.whole(number, value);
  else if (shape.type === "number" && isNumber(value)) writer.double(number, Number(value));
  else if (shape.type === "boolean" && typeof value === "boolean") writer.whole(number, value ? 1 : 0);
  else if (shape.type === "string" && typeof value === "string") {
    if (shape.format === "byte") writer.bytes(number, bytesOf(value));
    else writer.text(number, value);
  }
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

const SCHEMA = "apiextensions.JSONSchemaProps";

function encodeType(type: string, value: unknown): Uint8Array | undefined {
  const writer = new MessageWriter();
  switch (type) {
    case "meta.Time":
    case "meta.MicroTime":
      writeTime(writer, String(value));
      break;
    case "Quantity":
      writer.text(1, String(value));
      break;
    case "IntOrString":
      writer.whole(1, typeof value === "number" ? 0 : 1);
      writer.whole(2, typeof value === "number" ? value : 0);
      writer.text(3, typeof value === "number" ? "" : String(value));
      break;
    case "meta.FieldsV1":
    case "RawExtension":
    case "apiextensions.JSON":
      writer.text(1, formatJson(value));
      break;
    case "apiextensions.JSONSchemaPropsOrArray":
    case "apiextensions.JSONSchemaPropsOrStringArray":
      if (isObject(value)) writer.bytes(1, encodeMessage(value, messageOf(SCHEMA)));
      for (const item of Array.isArray(value) ? value : []) {
        if (typeof item === "string") writer.text(2, item);
        else if (isObject(item)) writer.bytes(2, encodeMessage(item, messageOf(SCHEMA)));
      }
      break;
    case "apiextensions.JSONSchemaPropsOrBool":
      writer.whole(1, value === false ? 0 : 1);
      if (isObject(value)) writer.bytes(2, encodeMessage(value, messageOf(SCHEMA)));
      break;
    default:
      return isObject(value) ? encodeMessage(value, messageOf(type)) : undefined;
  }
  return writer.finish();
}

function writeTime(writer: MessageWriter, text: string): void {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return;
  writer.whole(1, Math.floor(milliseconds / 1000));
  writer.whole(2, Number((/\.(\d{1,9})/.exec(text)?.[1] ?? "").padEnd(9, "0")));
}
