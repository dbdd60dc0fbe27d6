/**
 * Schemas as types of expressions, and values as expressions see them.
 *
 * Fields that a schema does not name are not there: fields that are merely preserved cannot be used. Source: k8s.io/apiserver,
 * pkg/cel/common/{schemas,values}.go.
 */

import { isObject } from "../values.ts";
import { isSet, own, type Schema, schemaEntries, subSchema } from "../schema/structural.ts";
import type { Engine, Environment } from "./engine.ts";
import { sameFields } from "./equality.ts";
import { escapeField } from "./source.ts";

/** A type, and the way from a JSON value to one of it. */
export interface CelType {
  /** As declarations name it, such as `list<string>`. */
  readonly name: string;
  convert(value: unknown): unknown;
}

const DYN: CelType = { name: "dyn", convert: toDynamic };
const TEXT: CelType = { name: "string", convert: (value) => value };
const IDENTITY_FIELDS = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

export interface DeclareTypeOptions {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly isResource: boolean;
  /** The beginning of the names of types. Default: "object". */
  readonly prefix?: string;
}

/** Returns the type of a schema; undefined if expressions cannot use it. Adds what it is made of to the environment. */
export function declareType(
  schema: Schema,
  options: DeclareTypeOptions,
): CelType | undefined {
  return declare(schema, { ...options, prefix: options.prefix ?? "object", counter: { next: 0 } });
}

interface Declaring {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly isResource: boolean;
  readonly prefix: string;
  readonly counter: { next: number };
}

function declare(schema: Schema, declaring: Declaring): CelType | undefined {
  const type = declareBare(schema, declaring);
  // NB: what may be null cannot have a type of its own here.
  return type !== undefined && isSet(schema, "nullable") ? DYN : type;
}

function declareBare(schema: Schema, declaring: Declaring): CelType | undefined {
  if (isSet(schema, "x-kubernetes-int-or-string")) return DYN;
  switch (own(schema, "type")) {
    case "array":
      return declareList(schema, declaring);
    case "object":
      return declareObject(schema, declaring);
    case "string":
      return declareText(own(schema, "format"), declaring.engine);
    case "boolean":
      return { name: "bool", convert: (value) => value };
    case "number":
      return { name: "double", convert: (value) => typeof value === "bigint" ? Number(value) : value };
    case "integer":
      return {
        name: "int",
        convert: (value) => typeof value === "number" ? BigInt(Math.trunc(value)) : value,
      };
    default:
      return undefined;
  }
}

function below(schema: Schema, declaring: Declaring): CelType | undefined {
  return declare(schema, { ...declaring, isResource: isSet(schema, "x-kubernetes-embedded-resource") });
}

function declareList(schema: Schema, declaring: Declaring): CelType | undefined {
  const items = subSchema(schema, "items");
  const item = items === undefined ? undefined : below(items, declaring);
  if (item === undefined) return undefined;
  return {
    name: `list<${item.name}>`,
    convert: (value) => Array.isArray(value) ? value.map((entry) => item.convert(entry)) : value,
  };
}

function declareObject(schema: Schema, declaring: Declaring): CelType | undefined {
  const additional = subSchema(schema, "additionalProperties");
  if (additional !== undefined) {
    const value = below(additional, declaring);
    if (value === undefined) return undefined;
    return {
      name: `map<string, ${value.name}>`,
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
  const fields = new Map<string, { readonly key: string; readonly type: CelType }>();
  for (const [key, property] of properties) {
    const name = escapeField(key);
    const type = below(property, declaring);
    if (name !== undefined && type !== undefined) fields.set(name, { key, type });
  }
  return declareFields(fields, declaring);
}

/** Objects become maps of a class of their own, by which the evaluator knows their type. */
function declareFields(
  fields: ReadonlyMap<string, { readonly key: string; readonly type: CelType }>,
  { environment, prefix, counter }: Declaring,
): CelType {
  const name = `${prefix}${counter.next++}`;
  const ctor = class extends Map<string, unknown> {};
  const types: Record<string, string> = Object.create(null);
  for (const [field, { type }] of fields) types[field] = type.name;
  environment.registerType(name, { ctor, fields: types });
  environment.registerOperator(`${name} == ${name}`, sameFields);
  environment.registerOperator(`${name} == null`, () => false);
  return {
    name,
    convert(value) {
      if (!isObject(value)) return value;
      const converted = new ctor();
      for (const [field, { key, type }] of fields) {
        const found = own(value, key);
        if (found !== undefined) converted.set(field, type.convert(found));
      }
      return converted;
    },
  };
}

function declareText(format: unknown, engine: Engine): CelType {
  switch (format) {
    case "byte":
      return { name: "bytes", convert: decodeBytes };
    case "date":
    case "date-time":
      return { name: "google.protobuf.Timestamp", convert: (value) => new Date(String(value)) };
    case "duration":
      return { name: "google.protobuf.Duration", convert: (value) => engine.duration(String(value)) };
    default:
      return TEXT;
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
