/**
 * The types of the built-in kinds as protocol buffers: which field has which number.
 *
 * Made from the tables in `types/`. Source: protobuf.dev, "Encoding"; k8s.io/apimachinery, pkg/runtime/generated.proto.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Field, fieldsOf, type Shape, typeOfKind } from "../types/mod.ts";

/** The fields of a message by their numbers; a message in place of a field stands for fields that JSON flattens. */
export type Message = ReadonlyMap<number, MessageField | Message>;

/** One field of a message. */
export interface MessageField {
  /** In JSON. */
  readonly name: string;
  readonly shape: Shape;
  /** Zero is a value, and not the lack of one. */
  readonly isPointer: boolean;
}

/** Tells a field from flattened fields. */
export function isField(entry: MessageField | Message): entry is MessageField {
  return "shape" in entry;
}

const PARTIAL = "meta.PartialObjectMetadata";
const METADATA: Shape = { kind: "type", name: "meta.ObjectMeta" };
const made = new Map<string, Message>();

/** Returns the message of a type; an empty one for types that have no fields. Each is made once. */
export function messageOf(type: string): Message {
  let message = made.get(type);
  if (message !== undefined) return message;
  message = type === PARTIAL ? smallMessage({ metadata: [1, METADATA] }) : makeMessage(fieldsOf(type) ?? []);
  made.set(type, message);
  return message;
}

/** Returns the message of an object's kind, or of a list; undefined if the kind is not known. */
export function messageOfKind({ apiVersion, kind }: JsonObject): Message | undefined {
  if (typeof kind !== "string") return undefined;
  const type = typeNamed(apiVersion, kind);
  if (type !== undefined) return messageOf(type);
  const item = kind.endsWith("List") ? typeNamed(apiVersion, kind.slice(0, -"List".length)) : undefined;
  if (item === undefined) return undefined;
  const items: Shape = { kind: "list", of: { kind: "type", name: item } };
  // NB: the list of metadata in the old version has its fields the other way round.
  const [first, second] = apiVersion === "meta.k8s.io/v1beta1" ? [2, 1] : [1, 2];
  return smallMessage({ metadata: [first, { kind: "type", name: "meta.ListMeta" }], items: [second, items] });
}

/** NB: the options of a deletion are of the deleted object's group; statuses are of the core group. */
function typeNamed(apiVersion: unknown, kind: string): string | undefined {
  const isMeta = apiVersion === "meta.k8s.io/v1" || apiVersion === "meta.k8s.io/v1beta1";
  if (isMeta && kind === "PartialObjectMetadata") return PARTIAL;
  return kind === "DeleteOptions" || kind === "Status" ? `meta.${kind}` : typeOfKind(apiVersion, kind);
}

type Draft = Map<number, MessageField | Draft>;

function makeMessage(fields: readonly Field[]): Message {
  const message: Draft = new Map();
  for (const { name, shape, isPointer, numbers } of fields) {
    const number = numbers.at(-1);
    if (number !== undefined) placeFor(message, numbers.slice(0, -1)).set(number, { name, shape, isPointer });
  }
  return message;
}

function placeFor(message: Draft, path: readonly number[]): Draft {
  let place = message;
  for (const number of path) {
    const found = place.get(number);
    const next: Draft = found instanceof Map ? found : new Map();
    if (next !== found) place.set(number, next);
    place = next;
  }
  return place;
}

/** Returns a message of a few fields that no table has. */
export function smallMessage(
  fields: Readonly<Record<string, readonly [number: number, shape: Shape]>>,
): Message {
  return new Map(
    Object.entries(fields).map(([name, [number, shape]]) => [number, { name, shape, isPointer: true }]),
  );
}

export const TEXT: Shape = { kind: "scalar", type: "string" };
export const BYTES: Shape = { kind: "scalar", type: "string", format: "byte" };
export const INTEGER: Shape = { kind: "scalar", type: "integer" };
