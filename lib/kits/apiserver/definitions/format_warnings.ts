/**
 * The warnings of a definition: formats that are not checked.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/registry/customresourcedefinition/strategy.go.
 */

import type { KubeObject } from "../../../model/object.ts";
import { formatCheck } from "../schema/formats.ts";
import { own, type Schema, schemaEntries, schemaList, subSchema } from "../schema/structural.ts";
import { equal, objectsIn } from "../values.ts";

/** Returns the warnings of a definition; in an update, only of formats that it did not have before. */
export function formatWarnings(definition: KubeObject, old?: KubeObject): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  return unknownFormats(definition).filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

/** NB: a schema that all versions have in common is looked at once. */
function unknownFormats({ spec }: KubeObject): string[] {
  const schemas = objectsIn(spec?.versions)
    .map((version) => subSchema(subSchema(version, "schema"), "openAPIV3Schema"))
    .filter((schema) => schema !== undefined);
  const isShared = schemas.every((schema) => equal(schema, schemas[0]));
  return (isShared ? schemas.slice(0, 1) : schemas).flatMap((schema) => [...unknownIn(schema)]);
}

/** The keywords that hold one schema, a list of schemas, and a map of schemas. */
const ONE = ["items", "not", "additionalProperties", "additionalItems"];
const LISTS = ["allOf", "anyOf", "oneOf"];
const MAPS = ["properties", "patternProperties", "definitions"];

function* unknownIn(schema: Schema): Generator<string> {
  const { format } = schema;
  if (typeof format === "string" && format !== "" && !isKnown(own(schema, "type"), format)) yield format;
  for (const key of ONE) {
    const below = subSchema(schema, key);
    if (below !== undefined) yield* unknownIn(below);
  }
  for (const below of LISTS.flatMap((key) => schemaList(schema, key))) yield* unknownIn(below);
  for (const [, below] of MAPS.flatMap((key) => schemaEntries(schema, key))) yield* unknownIn(below);
}

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

function isKnown(type: unknown, format: string): boolean {
  if (type === undefined || type === "" || type === "string") return formatCheck(format) !== undefined;
  return Object.hasOwn(NUMBERS, String(type)) && NUMBERS[String(type)]!.includes(format);
}
