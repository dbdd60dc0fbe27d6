/**
 * The types of kinds in expressions: which fields `object` and `params` have.
 *
 * They are for checks of types alone: expressions about requests are evaluated without them. Source: k8s.io/apiserver,
 * pkg/cel/common/schemas.go and pkg/cel/openapi/resolver.
 */

import type { Kind } from "../kinds.ts";
import { schemaEntries } from "../schema/structural.ts";
import { type Field, fieldsOf, type Shape, typeOfKind } from "../types/mod.ts";
import type { Engine, Environment } from "./engine.ts";
import { sameFields } from "./equality.ts";
import { escapeField } from "./source.ts";
import { declareType } from "./types.ts";

const METADATA = "meta.ObjectMeta";

const SCALARS: Readonly<Record<string, string>> = {
  "string": "string",
  "string/byte": "bytes",
  "integer/int32": "int",
  "integer/int64": "int",
  "boolean": "bool",
  "number/double": "double",
};

/** Types without fields of their own; others are anything. */
const SINGLE: Readonly<Record<string, string>> = {
  "meta.Time": "google.protobuf.Timestamp",
  "meta.MicroTime": "google.protobuf.Timestamp",
};

/** Declares a type with fields; its values can be compared with each other, and with null. */
export function declareFields(
  environment: Environment,
  name: string,
  fields: Readonly<Record<string, string>>,
): void {
  // NB: no values ever come. Without a class of its own, a type could not name those that are declared after it.
  environment.registerType(name, { ctor: class extends Map<string, unknown> {}, fields: { ...fields } });
  environment.registerOperator(`${name} == ${name}`, sameFields);
  environment.registerOperator(`${name} == null`, () => false);
}

/** Declares types of kinds in one environment. */
export class KindTypes {
  readonly #engine: Engine;
  readonly #environment: Environment;
  readonly #declared = new Set<string>();

  constructor(engine: Engine, environment: Environment) {
    this.#engine = engine;
    this.#environment = environment;
  }

  /** Declares the type of a kind, and returns its name. */
  declare(kind: Kind): string {
    const type = typeOfKind(kind.apiVersion, kind.kind);
    if (type === undefined) return this.#declareCustom(kind);
    this.#declareBuiltin(type);
    return type;
  }

  /** NB: types may hold themselves, and stand in many others: each is declared once, under its name. */
  #declareBuiltin(root: string): void {
    const open = [root];
    for (let type = open.pop(); type !== undefined; type = open.pop()) {
      if (this.#declared.has(type)) continue;
      this.#declared.add(type);
      const fields = fieldsOf(type) ?? [];
      declareFields(this.#environment, type, namesOf(fields));
      open.push(...fields.flatMap(({ shape }) => typesIn(shape)));
    }
  }

  #declareCustom({ apiVersion, kind, schema }: Kind): string {
    const type = `${apiVersion.replaceAll(/\W/g, "_")}.${kind}`;
    if (this.#declared.has(type)) return type;
    this.#declared.add(type);
    this.#declareBuiltin(METADATA);
    const fields: Record<string, string> = Object.create(null);
    for (const [index, [key, property]] of schemaEntries(schema, "properties").entries()) {
      const name = escapeField(key);
      const declared = declareType(property, {
        engine: this.#engine,
        environment: this.#environment,
        isResource: false,
        prefix: `${type}.${index}_`,
      });
      if (name !== undefined && declared !== undefined) fields[name] = declared.name;
    }
    declareFields(this.#environment, type, {
      ...fields,
      apiVersion: "string",
      kind: "string",
      metadata: METADATA,
    });
    return type;
  }
}

function namesOf(fields: readonly Field[]): Record<string, string> {
  const names: Record<string, string> = Object.create(null);
  for (const { name, shape } of fields) {
    const escaped = escapeField(name);
    if (escaped !== undefined) names[escaped] = nameOf(shape);
  }
  return names;
}

function nameOf(shape: Shape): string {
  switch (shape.kind) {
    case "scalar":
      return SCALARS[shape.format === undefined ? shape.type : `${shape.type}/${shape.format}`] ?? "dyn";
    case "list":
      return `list<${nameOf(shape.of)}>`;
    case "map":
      return `map<string, ${nameOf(shape.of)}>`;
    case "type":
      return fieldsOf(shape.name) === undefined ? SINGLE[shape.name] ?? "dyn" : shape.name;
  }
}

function typesIn(shape: Shape): string[] {
  if (shape.kind === "type") return fieldsOf(shape.name) === undefined ? [] : [shape.name];
  return shape.kind === "scalar" ? [] : typesIn(shape.of);
}
