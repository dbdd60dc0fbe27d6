/**
 * How large values of a schema can be: the costs of rules depend on that.
 *
 * Source: k8s.io/apiserver, pkg/cel/common/schemas.go and pkg/cel/limits.go.
 */

import { isSet, own, type Schema, schemaEntries, subSchema } from "../schema/structural.ts";
import { escapeField } from "./escaping.ts";

/** The largest body of a request. In bytes. */
export const LARGEST_REQUEST = 3 * 1024 * 1024;

/** A value, as far as its size is known. */
export interface Sized {
  readonly kind: "list" | "map" | "object" | "text" | "scalar" | "unknown";
  /** The most items, entries or characters that it can have. */
  readonly most: number;
  /** The fewest bytes of its JSON. */
  readonly least: number;
  /** Of items and entries. */
  readonly items?: Sized;
  readonly fields?: ReadonlyMap<string, Sized>;
}

/** A value of unknown size. No rule is refused for a size that only the real server knows. */
export const UNKNOWN: Sized = { kind: "unknown", most: 0, least: 0 };
/** A text whose length is nowhere limited. */
export const ANY_TEXT: Sized = { kind: "text", most: LARGEST_REQUEST - 2, least: 2 };

/** By the format of a text: the most characters, and the fewest bytes. */
const FORMATS: Readonly<Record<string, readonly [number, number]>> = Object.assign(Object.create(null), {
  "duration": [32, 3],
  "date": [12, 12],
  "date-time": [32, 21],
});

/** Returns the sizes of a schema's values; unknown where expressions cannot use them. */
export function sizedBy(schema: Schema | undefined, isResource = false): Sized {
  if (schema === undefined) return UNKNOWN;
  if (isSet(schema, "x-kubernetes-int-or-string")) {
    const length = own(schema, "maxLength");
    return { kind: "text", most: typeof length === "number" ? length * 4 : ANY_TEXT.most, least: 1 };
  }
  switch (own(schema, "type")) {
    case "array":
      return sizedList(schema);
    case "object":
      return sizedObject(schema, isResource);
    case "string":
      return sizedText(schema);
    case "boolean":
      return { kind: "scalar", most: 0, least: 4 };
    case "number":
    case "integer":
      return { kind: "scalar", most: 0, least: 1 };
    default:
      return UNKNOWN;
  }
}

function below(schema: Schema | undefined): Sized {
  return sizedBy(schema, schema !== undefined && isSet(schema, "x-kubernetes-embedded-resource"));
}

function sizedList(schema: Schema): Sized {
  const items = below(subSchema(schema, "items"));
  const most = own(schema, "maxItems");
  const fitting = Math.floor((LARGEST_REQUEST - 2) / (items.least + 1));
  return { kind: "list", most: typeof most === "number" ? Math.max(0, most) : fitting, least: 2, items };
}

function sizedObject(schema: Schema, isResource: boolean): Sized {
  const additional = subSchema(schema, "additionalProperties");
  if (additional !== undefined) {
    const items = below(additional);
    const most = own(schema, "maxProperties");
    const fitting = Math.floor((LARGEST_REQUEST - 2) / (items.least + 6));
    return { kind: "map", most: typeof most === "number" ? Math.max(0, most) : fitting, least: 2, items };
  }
  const required = own(schema, "required");
  const names = new Set(Array.isArray(required) ? required : []);
  const fields = new Map<string, Sized>();
  let least = 2;
  for (const [key, property] of schemaEntries(schema, "properties")) {
    const sized = below(property);
    fields.set(escapeField(key) ?? key, sized);
    if (names.has(key) && own(property, "default") === undefined) least += key.length + sized.least + 4;
  }
  if (isResource) { for (const [key, sized] of IDENTITY) fields.set(key, sized); }
  return { kind: "object", most: 0, least, fields };
}

const IDENTITY: ReadonlyMap<string, Sized> = new Map([
  ["apiVersion", ANY_TEXT],
  ["kind", ANY_TEXT],
  ["metadata", {
    kind: "object",
    most: 0,
    least: 2,
    fields: new Map([["name", ANY_TEXT], ["generateName", ANY_TEXT]]),
  }],
]);

function sizedText(schema: Schema): Sized {
  const format = FORMATS[String(own(schema, "format") ?? "")];
  if (format !== undefined) return { kind: "scalar", most: format[0], least: format[1] };
  const [length, choice] = [own(schema, "maxLength"), own(schema, "enum")];
  // NB: a character can take four bytes.
  if (typeof length === "number") return { ...ANY_TEXT, most: Math.max(0, length) * 4 };
  if (Array.isArray(choice) && choice.length > 0) {
    return { ...ANY_TEXT, most: Math.max(...choice.map((value) => String(value).length)) };
  }
  return ANY_TEXT;
}
