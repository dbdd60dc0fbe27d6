/**
 * Schemas as types of expressions, and values as expressions see them.
 *
 * Fields that a schema does not name are not there: fields that are merely preserved cannot be used. Objects are read when they
 * are asked for a field, so that a rule only costs the fields that it reads. Source: k8s.io/apiserver, pkg/cel/common/schemas.go
 * and valuesunstructured.go.
 */

import { isSet, own, type Schema, schemaEntries, subSchema } from "../schema/structural.ts";
import { isObject } from "../values.ts";
import type { Environment } from "./environment.ts";
import { escapeField, fieldNamed } from "./escaping.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  type Type,
} from "./type.ts";
import { type FieldValue, KeyedList, readDuration } from "./values.ts";

/** A type, and the way from a JSON value to one of it. */
export interface CelType {
  readonly type: Type;
  convert(value: unknown): unknown;
}

const ANY: CelType = { type: DYN, convert: toDynamic };
const IDENTITY_FIELDS = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

/** The name of the type of a whole value. */
const SELF = "selfType";

export interface DeclareTypeOptions {
  readonly environment: Environment;
  readonly isResource: boolean;
  /** The name of the type; types below it are called `<name>.<field>`. Default: "selfType". */
  readonly name?: string;
}

/** Returns the type of a schema; undefined if expressions cannot use it. Adds the types of its fields to the environment. */
export function declareType(schema: Schema, options: DeclareTypeOptions): CelType | undefined {
  return declare(schema, { ...options, name: options.name ?? SELF });
}

interface Declaring {
  readonly environment: Environment;
  readonly isResource: boolean;
  readonly name: string;
}

function declare(schema: Schema, declaring: Declaring): CelType | undefined {
  if (isSet(schema, "x-kubernetes-int-or-string")) return ANY;
  switch (own(schema, "type")) {
    case "array":
      return declareList(schema, declaring);
    case "object":
      return declareObject(schema, declaring);
    case "string":
      return declareText(own(schema, "format"));
    case "boolean":
      return { type: BOOL, convert: (value) => value };
    case "number":
      return { type: DOUBLE, convert: (value) => typeof value === "bigint" ? Number(value) : value };
    case "integer":
      return { type: INT, convert: (value) => typeof value === "number" ? BigInt(Math.trunc(value)) : value };
    default:
      return undefined;
  }
}

function below(schema: Schema, { environment, name }: Declaring, step: string): CelType | undefined {
  const isResource = isSet(schema, "x-kubernetes-embedded-resource");
  return declare(schema, { environment, name: `${name}.${step}`, isResource });
}

function declareList(schema: Schema, declaring: Declaring): CelType | undefined {
  const items = subSchema(schema, "items");
  const item = items === undefined ? undefined : below(items, declaring, "@idx");
  if (item === undefined) return undefined;
  const sort = own(schema, "x-kubernetes-list-type");
  const isKeyed = sort === "map" || sort === "set";
  const keys = own(schema, "x-kubernetes-list-map-keys");
  const names = Array.isArray(keys) ? keys.map((key) => escapeField(String(key)) ?? String(key)) : [];
  return {
    type: listOf(item.type),
    convert(value) {
      if (!Array.isArray(value)) return value;
      const converted: unknown[] = isKeyed ? new KeyedList() : [];
      if (converted instanceof KeyedList && sort === "map") {
        // Items of such a list are objects.
        converted.key = (entry) => names.map((name) => (entry as FieldValue).get(name) ?? null);
      }
      for (const entry of value) converted.push(item.convert(entry));
      return converted;
    },
  };
}

function declareObject(schema: Schema, declaring: Declaring): CelType | undefined {
  const additional = subSchema(schema, "additionalProperties");
  if (additional !== undefined) {
    const value = below(additional, declaring, "@elem");
    if (value === undefined) return undefined;
    return {
      type: mapOf(STRING, value.type),
      convert: (map) =>
        isObject(map) ? new Map(Object.entries(map).map(([key, entry]) => [key, value.convert(entry)])) : map,
    };
  }
  const properties = [
    ...schemaEntries(schema, "properties").filter(([key]) =>
      !declaring.isResource || !Object.hasOwn(IDENTITY_FIELDS, key)
    ),
    ...(declaring.isResource ? Object.entries(IDENTITY_FIELDS) : []),
  ];
  const fields = new Map<string, Field>();
  for (const [key, property] of properties) {
    const name = escapeField(key);
    const type = below(property, declaring, key);
    if (name !== undefined && type !== undefined) fields.set(name, { key, type });
  }
  return declareFields(fields, declaring);
}

interface Field {
  readonly key: string;
  readonly type: CelType;
}

function declareFields(fields: ReadonlyMap<string, Field>, { environment, name }: Declaring): CelType {
  const type = environment.object(name, new Map([...fields].map(([field, { type }]) => [field, type.type])));
  return {
    type,
    convert: (value) => isObject(value) ? new SchemaObject(type, fields, value) : value,
  };
}

/** An object as its schema shows it. NB: a field that is null is not there. */
class SchemaObject implements FieldValue {
  readonly fieldsOf: Type;
  readonly #types: ReadonlyMap<string, Field>;
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #read = new Map<string, unknown>();

  constructor(type: Type, types: ReadonlyMap<string, Field>, object: Readonly<Record<string, unknown>>) {
    this.fieldsOf = type;
    this.#types = types;
    this.#object = object;
  }

  get(field: string): unknown {
    const known = this.#read.get(field);
    if (known !== undefined) return known;
    const found = fieldNamed(this.#types, field);
    const value = found === undefined ? undefined : own(this.#object, found.key);
    if (found === undefined || value === undefined || value === null) return undefined;
    const converted = found.type.convert(value);
    this.#read.set(field, converted);
    return converted;
  }

  fields(): readonly string[] {
    return [...this.#types.keys()].filter((field) => this.get(field) !== undefined);
  }
}

function declareText(format: unknown): CelType {
  switch (format) {
    case "byte":
      return { type: BYTES, convert: decodeBytes };
    case "date":
    case "date-time":
      return { type: TIMESTAMP, convert: (value) => new Date(String(value)) };
    case "duration":
      return { type: DURATION, convert: (value) => readDuration(String(value)) ?? value };
    default:
      return { type: STRING, convert: (value) => value };
  }
}

function decodeBytes(value: unknown): unknown {
  try {
    return Uint8Array.from(atob(String(value)), (character) => character.charCodeAt(0));
  } catch {
    return value;
  }
}

/** Returns a JSON value without a schema as expressions see it: whole numbers are integers. */
export function toDynamic(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toDynamic);
  if (!isObject(value)) return value;
  return new Map(
    Object.entries(value).flatMap(([key, entry]) =>
      entry === undefined ? [] : [[key, toDynamic(entry)] as const]
    ),
  );
}
