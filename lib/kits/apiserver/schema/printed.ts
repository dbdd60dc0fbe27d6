/**
 * A schema as Kubernetes prints it in refusals: by the names of its Go fields, all of them.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/types_jsonschema.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { formatPlain, type Printed } from "../formats/go_format.ts";
import { getOwn, isObject, objectsIn, setOwn } from "../values.ts";
import type { Schema } from "./structural.ts";

/** Each field in Go's order, its key in JSON, and Go's value where the key is missing. */
const FIELDS: readonly (readonly [name: string, key: string, empty: unknown])[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", null],
  ["AllOf", "allOf", null],
  ["OneOf", "oneOf", null],
  ["AnyOf", "anyOf", null],
  ["Not", "not", null],
  ["Properties", "properties", null],
  ["AdditionalProperties", "additionalProperties", null],
  ["PatternProperties", "patternProperties", null],
  ["Dependencies", "dependencies", null],
  ["AdditionalItems", "additionalItems", null],
  ["Definitions", "definitions", null],
  ["ExternalDocs", "externalDocs", null],
  ["Example", "example", null],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", null],
];

/** Fields that the root of a schema may have if its status is a subresource. */
const OF_ROOT = new Set(
  ("Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems " +
    "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations")
    .split(" "),
);

/** Returns the faults of fields, in Go's words, that the root of a schema must not have; undefined if there is none. */
export function strangeAtRoot(schema: Schema): string | undefined {
  const strange = FIELDS.some(([name, key, empty]) => {
    const value = getOwn(schema, key) ?? empty;
    return value !== empty && !OF_ROOT.has(name);
  });
  return strange
    ? `only [${
      [...OF_ROOT].join(" ")
    }] fields are allowed at the root of the schema if the status subresource is enabled`
    : undefined;
}

/** A schema that prints itself. */
export class PrintedSchema implements Printed {
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  print(): string {
    return formatPlain(goSchema(this.#schema));
  }
}

/** Returns a schema by the names of Go. */
export function goSchema(schema: Schema): JsonObject {
  return Object.fromEntries(FIELDS.map(([name, key, empty]) => {
    const value = getOwn(schema, key) ?? empty;
    return [name, value === empty ? empty : goValue(key, value)];
  }));
}

function goValue(key: string, value: unknown): unknown {
  switch (key) {
    case "items":
      return {
        Schema: isObject(value) ? goSchema(value) : null,
        JSONSchemas: Array.isArray(value) ? objectsIn(value).map(goSchema) : null,
      };
    case "additionalProperties":
    case "additionalItems":
      return { Allows: value !== false, Schema: isObject(value) ? goSchema(value) : null };
    case "not":
      return isObject(value) ? goSchema(value) : null;
    case "allOf":
    case "oneOf":
    case "anyOf":
      return objectsIn(value).map(goSchema);
    case "properties":
    case "patternProperties":
    case "definitions":
      return goSchemas(value);
    case "externalDocs":
      return isObject(value) ? { Description: value.description ?? "", URL: value.url ?? "" } : null;
    case "x-kubernetes-validations":
      return objectsIn(value).map(goRule);
    default:
      return value;
  }
}

function goSchemas(schemas: unknown): JsonObject | null {
  if (!isObject(schemas)) return null;
  const named: JsonObject = {};
  for (const key of Object.keys(schemas).sort()) {
    const schema = schemas[key];
    if (isObject(schema)) setOwn(named, key, goSchema(schema));
  }
  return named;
}

/** Returns a rule by the names of Go. */
export function goRule(rule: JsonObject): JsonObject {
  return {
    Rule: rule.rule ?? "",
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}
