/**
 * The types of kinds in expressions: which fields `object` and `params` have.
 *
 * They are for checks of types alone: expressions about requests are evaluated without them. Source: k8s.io/apiserver,
 * pkg/cel/common/schemas.go and pkg/cel/openapi/resolver.
 */

import type { Kind } from "../kinds.ts";
import { schemaEntries } from "../schema/structural.ts";
import { type Field, fieldsOf, type Shape, typeOfKind } from "../types/mod.ts";
import type { Environment } from "./environment.ts";
import { escapeField } from "./escaping.ts";
import { declareType } from "./schema_types.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  STRING,
  TIMESTAMP,
  type Type,
} from "./type.ts";

const METADATA = "meta.ObjectMeta";

const SCALARS: Readonly<Record<string, Type>> = {
  "string": STRING,
  "string/byte": BYTES,
  "integer/int32": INT,
  "integer/int64": INT,
  "boolean": BOOL,
  "number/double": DOUBLE,
};

/** Types without fields of their own; others are anything. */
const SINGLE: Readonly<Record<string, Type>> = { "meta.Time": TIMESTAMP, "meta.MicroTime": TIMESTAMP };

/** Declares types of kinds in one environment. */
export class KindTypes {
  readonly #environment: Environment;
  readonly #declared = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Declares the type of a kind. */
  declare(kind: Kind): Type {
    const type = typeOfKind(kind.apiVersion, kind.kind);
    if (type === undefined) return this.#declareCustom(kind);
    this.#declareBuiltin(type);
    return objectType(type);
  }

  /** NB: types may hold themselves, and stand in many others: each is declared once, under its name. */
  #declareBuiltin(root: string): void {
    const open = [root];
    for (let type = open.pop(); type !== undefined; type = open.pop()) {
      if (this.#declared.has(type)) continue;
      this.#declared.add(type);
      const fields = fieldsOf(type) ?? [];
      this.#environment.object(type, typesOf(fields));
      open.push(...fields.flatMap(({ shape }) => typesIn(shape)));
    }
  }

  #declareCustom({ apiVersion, kind, schema }: Kind): Type {
    const name = `${apiVersion.replaceAll(/\W/g, "_")}.${kind}`;
    if (this.#declared.has(name)) return objectType(name);
    this.#declared.add(name);
    this.#declareBuiltin(METADATA);
    const fields = new Map<string, Type>();
    for (const [key, property] of schemaEntries(schema, "properties")) {
      const field = escapeField(key);
      const options = { environment: this.#environment, isResource: false, name: `${name}.${key}` };
      const declared = declareType(property, options);
      if (field !== undefined && declared !== undefined) fields.set(field, declared.type);
    }
    fields.set("apiVersion", STRING).set("kind", STRING).set("metadata", objectType(METADATA));
    return this.#environment.object(name, fields);
  }
}

function typesOf(fields: readonly Field[]): Map<string, Type> {
  const types = new Map<string, Type>();
  for (const { name, shape } of fields) {
    const escaped = escapeField(name);
    if (escaped !== undefined) types.set(escaped, typeOfShape(shape));
  }
  return types;
}

function typeOfShape(shape: Shape): Type {
  switch (shape.kind) {
    case "scalar":
      return SCALARS[shape.format === undefined ? shape.type : `${shape.type}/${shape.format}`] ?? DYN;
    case "list":
      return listOf(typeOfShape(shape.of));
    case "map":
      return mapOf(STRING, typeOfShape(shape.of));
    case "type":
      return fieldsOf(shape.name) === undefined ? SINGLE[shape.name] ?? DYN : objectType(shape.name);
  }
}

function typesIn(shape: Shape): string[] {
  if (shape.kind === "type") return fieldsOf(shape.name) === undefined ? [] : [shape.name];
  return shape.kind === "scalar" ? [] : typesIn(shape.of);
}
