/**
 * The OpenAPI document of version 2 as protocol buffers, in which alone kubectl asks for it.
 *
 * Source: github.com/google/gnostic-models, openapiv2/OpenAPIv2.proto. Parts that kubectl does not read are left out: parameters
 * of paths and bodies, responses.
 */

import type { JsonObject } from "../../../model/object.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { MessageWriter } from "./wire.ts";

/** The media types in which kubectl asks for version 2. NB: the first is none by the rules, and is never the answer's. */
export const OPENAPI_V2_ACCEPTED = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
];

/** The media type of the answer. */
export const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** Writes a document. */
export function encodeOpenapi(document: JsonObject): Uint8Array<ArrayBuffer> {
  const writer = new MessageWriter();
  writer.text(1, text(document.swagger));
  writer.bytes(
    2,
    write(objectAt(document, "info"), (info, into) => {
      into.text(1, text(info.title));
      into.text(2, text(info.version));
    }),
  );
  writer.bytes(8, named(objectAt(document, "paths"), { field: 2, write: writePath }));
  writer.bytes(9, named(objectAt(document, "definitions"), { field: 1, write: writeSchema }));
  return writer.finish();
}

type Write = (value: JsonObject, into: MessageWriter) => void;

function write(value: JsonObject | undefined, how: Write): Uint8Array {
  const writer = new MessageWriter();
  if (value !== undefined) how(value, writer);
  return writer.finish();
}

/** A map: its entries are repeated, with their names. */
function named(
  map: JsonObject | undefined,
  { field, write: how }: { field: number; write: Write },
): Uint8Array {
  const writer = new MessageWriter();
  for (const [name, value] of Object.entries(map ?? {})) {
    if (!isObject(value)) continue;
    const entry = new MessageWriter();
    entry.text(1, name);
    entry.bytes(2, write(value, how));
    writer.bytes(field, entry.finish());
  }
  return writer.finish();
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function writePath(item: JsonObject, into: MessageWriter): void {
  for (const [method, field] of Object.entries(METHODS)) {
    const operation = objectAt(item, method);
    if (operation !== undefined) into.bytes(field, write(operation, writeOperation));
  }
}

function writeOperation(operation: JsonObject, into: MessageWriter): void {
  for (const type of texts(operation.produces)) into.text(6, type);
  for (const type of texts(operation.consumes)) into.text(7, type);
  for (const parameter of objectsIn(operation.parameters)) {
    if (parameter.in !== "query") continue;
    // One inside of the other: ParametersItem, Parameter, NonBodyParameter, and the parameter itself.
    const content = write(parameter, writeParameter);
    into.bytes(8, [3, 2, 1].reduce((inner, field) => wrap(field, inner), content));
  }
  writeExtensions(operation, { into, field: 13 });
}

function wrap(field: number, content: Uint8Array): Uint8Array {
  const writer = new MessageWriter();
  writer.bytes(field, content);
  return writer.finish();
}

function writeParameter(parameter: JsonObject, into: MessageWriter): void {
  into.text(2, text(parameter.in));
  into.text(4, text(parameter.name));
  into.text(6, text(parameter.type));
}

function writeSchema(schema: JsonObject, into: MessageWriter): void {
  const reference = text(schema.$ref);
  if (reference !== "") into.text(1, reference);
  for (const [field, key] of [[2, "format"], [4, "description"]] as const) {
    if (text(schema[key]) !== "") into.text(field, text(schema[key]));
  }
  for (const name of texts(schema.required)) into.text(19, name);
  for (const value of Array.isArray(schema.enum) ? schema.enum : []) into.bytes(20, inYaml(value));
  const additional = schema.additionalProperties;
  if (isObject(additional)) into.bytes(21, wrap(1, write(additional, writeSchema)));
  else if (typeof additional === "boolean") {
    into.bytes(
      21,
      write({}, (_, item) => item.whole(2, additional ? 1 : 0)),
    );
  }
  if (text(schema.type) !== "") into.bytes(22, write(schema, (_, item) => item.text(1, text(schema.type))));
  if (isObject(schema.items)) into.bytes(23, wrap(1, write(schema.items, writeSchema)));
  for (const part of objectsIn(schema.allOf)) into.bytes(24, write(part, writeSchema));
  const properties = objectAt(schema, "properties");
  if (properties !== undefined) into.bytes(25, named(properties, { field: 1, write: writeSchema }));
  writeExtensions(schema, { into, field: 31 });
}

/** Any value is a text in YAML, of which JSON is a part. NB: there are readers that look for lines. */
function inYaml(value: unknown): Uint8Array {
  const any = new MessageWriter();
  const lines = Array.isArray(value) && value.every(isObject)
    ? value.map(itemInYaml)
    : [JSON.stringify(value)];
  any.text(2, `${lines.join("\n")}\n`);
  return any.finish();
}

function itemInYaml(item: JsonObject): string {
  // NB: with a dot in it, a text is no word with a meaning of its own in YAML.
  const isPlain = (value: unknown) => typeof value === "string" && /^[A-Za-z]\w*\.[\w.]*\w$/.test(value);
  const pairs = Object.entries(item).map(([key, value]) =>
    `${key}: ${isPlain(value) ? value : JSON.stringify(value)}`
  );
  return `- ${pairs.join("\n  ")}`;
}

function writeExtensions(value: JsonObject, { into, field }: { into: MessageWriter; field: number }): void {
  for (const [name, extension] of Object.entries(value)) {
    if (!name.startsWith("x-")) continue;
    const entry = new MessageWriter();
    entry.text(1, name);
    entry.bytes(2, inYaml(extension));
    into.bytes(field, entry.finish());
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
