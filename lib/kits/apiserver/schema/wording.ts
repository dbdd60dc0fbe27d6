/**
 * ajv's findings in Kubernetes' words.
 *
 * Source: k8s.io/kube-openapi, pkg/validation/{errors,validate}, and k8s.io/apiextensions-apiserver,
 * pkg/apiserver/validation/validation.go. Where Kubernetes reports the best-matching branch of `anyOf` or `oneOf`, the
 * branch with the fewest faults is taken, which is the same branch in all but contrived schemas.
 */

import {
  type Cause,
  invalid,
  NO_FIELD,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../causes.ts";
import { formatJson, formatValue } from "../formats/go_format.ts";
import { shownFaults } from "./branches.ts";
import { childPath, own, type Schema } from "./structural.ts";
import { DEFAULT_INTEGER } from "./translation.ts";
import type { Fault } from "./validation.ts";

/** Where the checked value stands. */
export interface WordingOptions {
  /** The checked value itself. */
  readonly value: unknown;
  /** The schema that it was checked against. */
  readonly schema: Schema;
  /** The field that it is; "" for a whole object. */
  readonly field: string;
}

/** Returns Kubernetes' causes for what ajv found. */
export function toCauses(faults: readonly Fault[], options: WordingOptions): Cause[] {
  return shownFaults(faults, options.schema).flatMap((fault) => toCause(fault, options));
}

function toCause(fault: Fault, { value, field }: WordingOptions): Cause[] {
  const path = toPath(fault.instancePath, value);
  const at = field === "" || path === "" ? field + path : childPath(field, path);
  const word = Object.hasOwn(WORDS, fault.keyword) ? WORDS[fault.keyword] : undefined;
  const cause = word?.({ path, at, fault });
  return cause === undefined ? [] : [cause];
}

interface Place {
  /** The path that messages name: relative to the checked value. */
  readonly path: string;
  /** The path that the cause's `field` holds. */
  readonly at: string;
  readonly fault: Fault;
}

/** One sentence per keyword. A keyword that is missing here says nothing of its own (`if`, `properties`). */
const WORDS: Readonly<Record<string, (place: Place) => Cause>> = {
  required: ({ at, fault }) => required(childPath(at, String(fault.params.missingProperty))),
  type: typeCause,
  format: formatCause,
  enum: ({ at, fault }) => notSupported(at, { value: fault.data, supported: allowedTexts(fault.schema) }),
  maximum: (place) => said(place, `should be less than or equal to ${formatJson(place.fault.schema)}`),
  exclusiveMaximum: (place) => said(place, `should be less than ${formatJson(place.fault.schema)}`),
  minimum: (place) => said(place, `should be greater than or equal to ${formatJson(place.fault.schema)}`),
  exclusiveMinimum: (place) => said(place, `should be greater than ${formatJson(place.fault.schema)}`),
  multipleOf: (place) => said(place, `should be a multiple of ${formatJson(place.fault.schema)}`),
  maxLength: ({ at, fault }) => tooLong(at, Number(fault.schema)),
  minLength: (place) => said(place, `should be at least ${place.fault.schema} chars long`),
  pattern: (place) => said(place, `should match '${place.fault.schema}'`),
  maxItems: ({ at, fault }) => tooMany(at, { actual: sizeOf(fault.data), maximum: Number(fault.schema) }),
  minItems: (place) => sized(place, `should have at least ${place.fault.schema} items`),
  maxProperties: ({ at, fault }) =>
    tooMany(at, { actual: sizeOf(fault.data), maximum: Number(fault.schema) }),
  minProperties: (place) => sized(place, `should have at least ${place.fault.schema} properties`),
  uniqueItems: ({ path, at }) =>
    invalid(at, { value: "", detail: `${path} in body shouldn't contain duplicates` }),
  additionalProperties: ({ path, at, fault }) => {
    const key = String(fault.params.additionalProperty);
    return invalid(at, { value: key, detail: `${path}.${key} in body is a forbidden property` });
  },
  anyOf: (place) => combined(place, `must validate at least one schema (anyOf)`),
  oneOf: (place) =>
    combined(place, `must validate one and only one schema (oneOf). ${countValid(place.fault)}`),
  allOf: (place) =>
    combined(
      place,
      `must validate all the schemas (allOf)${place.fault.params.none ? ". None validated" : ""}`,
    ),
  not: (place) => combined(place, `must not validate the schema (not)`),
};

function said({ path, at, fault }: Place, sentence: string): Cause {
  return invalid(at, { value: fault.data, detail: `${path} in body ${sentence}` });
}

function sized({ path, at, fault }: Place, sentence: string): Cause {
  return invalid(at, { value: sizeOf(fault.data), detail: `${path} in body ${sentence}` });
}

/** Kubernetes gives no field for these. */
function combined({ path }: Place, sentence: string): Cause {
  return invalid(NO_FIELD, { value: "", detail: `${formatValue(path)} ${sentence}` });
}

function countValid(fault: Fault): string {
  const passing = fault.params.passingSchemas;
  return Array.isArray(passing) ? `Found ${passing.length} valid alternatives` : "Found none valid";
}

function allowedTexts(values: unknown): string[] {
  return Array.isArray(values)
    ? values.map((value) => (typeof value === "string" ? value : formatJson(value)))
    : [];
}

function typeCause({ path, at, fault }: Place): Cause {
  const { wanted, found } = typeWords(fault.parentSchema, fault.data);
  return typeInvalid(at, {
    value: found,
    detail: `${path} in body must be of type ${wanted}: ${formatValue(found)}`,
  });
}

/** With a format, Kubernetes names formats in place of types, unless the value is a text or a list. */
function typeWords(schema: Schema, data: unknown): { wanted: string; found: string } {
  const types = [schema.type].flat().filter((type): type is string =>
    typeof type === "string" && type !== "null"
  );
  const format = own(schema, "format");
  const named = typeof format === "string" && format !== DEFAULT_INTEGER;
  if (!named || data === null || typeof data === "string" || Array.isArray(data)) {
    return { wanted: types.join(","), found: typeName(data) };
  }
  const found = typeof data !== "number" ? "" : Number.isInteger(data) ? "int64" : "float64";
  return { wanted: format, found };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function formatCause({ path, at, fault }: Place): Cause {
  if (typeof fault.data === "string") {
    return typeInvalid(at, {
      value: fault.data,
      detail: `${path} in body must be of type ${fault.schema}: ${formatValue(fault.data)}`,
    });
  }
  const [type] = [fault.parentSchema.type].flat();
  const format = fault.schema === DEFAULT_INTEGER ? "(default format)" : `with format ${fault.schema}`;
  return invalid(NO_FIELD, {
    value: "",
    detail: `Checked value must be of type ${type} ${format} in ${path}`,
  });
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : Object.keys(Object(value)).length;
}

/** Returns a JSON pointer as `spec.ports[0].name`; only the value itself tells an index from a key. */
function toPath(pointer: string, value: unknown): string {
  let path = "";
  let current = value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    path = Array.isArray(current) ? `${path}[${key}]` : childPath(path, key);
    current = Array.isArray(current) ? current[Number(key)] : own(current, key);
  }
  return path;
}
