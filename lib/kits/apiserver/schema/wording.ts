/**
 * Findings of a schema in Kubernetes' words.
 *
 * Source: k8s.io/kube-openapi, pkg/validation/{errors,validate}, and k8s.io/apiextensions-apiserver,
 * pkg/apiserver/validation/validation.go.
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
import { childPath } from "./structural.ts";

/** A place in a value: its path is only written into a fault. */
export interface Place {
  readonly above: Place | undefined;
  /** The name of a field, or an index in brackets. */
  readonly step: string;
}

/** A value that does not fit a keyword of its schema. */
export interface Finding {
  readonly keyword: string;
  readonly place: Place | undefined;
  readonly value: unknown;
  /** The keyword's own value. */
  readonly limit: unknown;
  /** Of a wrong type: the format that the schema wants. */
  readonly format?: string | undefined;
}

/** Returns the cause for a finding. @param field The field that the checked value is; "" for a whole object. */
export function wordsFor(finding: Finding, field: string): Cause {
  const path = printPlace(finding.place);
  const at = field === "" || path === "" ? field + path : childPath(field, path);
  // The validator knows no other keywords.
  return WORDS[finding.keyword]!({ path, at, finding });
}

/** Returns a place as `spec.ports[0].name`. */
function printPlace(place: Place | undefined): string {
  const steps: string[] = [];
  for (let at = place; at !== undefined; at = at.above) steps.push(at.step);
  return steps.reverse().reduce(
    (path, step) => /^\[\d+\]$/.test(step) ? path + step : childPath(path, step),
    "",
  );
}

interface Described {
  /** The path that messages name: relative to the checked value. */
  readonly path: string;
  /** The path that the cause's `field` holds. */
  readonly at: string;
  readonly finding: Finding;
}

const WORDS: Readonly<Record<string, (described: Described) => Cause>> = {
  required: ({ at }) => required(at),
  type: typeCause,
  format: formatCause,
  range: rangeCause,
  enum: ({ at, finding }) =>
    notSupported(at, { value: finding.value, supported: allowedTexts(finding.limit) }),
  maximum: (at) => said(at, `should be less than or equal to ${formatJson(at.finding.limit)}`),
  exclusiveMaximum: (at) => said(at, `should be less than ${formatJson(at.finding.limit)}`),
  minimum: (at) => said(at, `should be greater than or equal to ${formatJson(at.finding.limit)}`),
  exclusiveMinimum: (at) => said(at, `should be greater than ${formatJson(at.finding.limit)}`),
  multipleOf: (at) => said(at, `should be a multiple of ${formatJson(at.finding.limit)}`),
  maxLength: ({ at, finding }) => tooLong(at, Number(finding.limit)),
  minLength: (at) => said(at, `should be at least ${at.finding.limit} chars long`),
  pattern: (at) => said(at, `should match '${at.finding.limit}'`),
  maxItems: ({ at, finding }) =>
    tooMany(at, { actual: sizeOf(finding.value), maximum: Number(finding.limit) }),
  minItems: (at) => sized(at, `should have at least ${at.finding.limit} items`),
  maxProperties: ({ at, finding }) =>
    tooMany(at, { actual: sizeOf(finding.value), maximum: Number(finding.limit) }),
  minProperties: (at) => sized(at, `should have at least ${at.finding.limit} properties`),
  additionalProperties: ({ path, at, finding }) => {
    const key = String(finding.limit);
    return invalid(at, { value: key, detail: `${path}.${key} in body is a forbidden property` });
  },
  anyOf: (at) => combined(at, `must validate at least one schema (anyOf)`),
  oneOf: (at) => {
    const found = at.finding.limit === 0
      ? "Found none valid"
      : `Found ${at.finding.limit} valid alternatives`;
    return combined(at, `must validate one and only one schema (oneOf). ${found}`);
  },
  allOf: (at) =>
    combined(at, `must validate all the schemas (allOf)${at.finding.limit === 0 ? ". None validated" : ""}`),
  not: (at) => combined(at, `must not validate the schema (not)`),
};

function said({ path, at, finding }: Described, sentence: string): Cause {
  return invalid(at, { value: finding.value, detail: `${path} in body ${sentence}` });
}

function sized({ path, at, finding }: Described, sentence: string): Cause {
  return invalid(at, { value: sizeOf(finding.value), detail: `${path} in body ${sentence}` });
}

/** Kubernetes gives no field for these. */
function combined({ path }: Described, sentence: string): Cause {
  return invalid(NO_FIELD, { value: "", detail: `${formatValue(path)} ${sentence}` });
}

function allowedTexts(values: unknown): string[] {
  return Array.isArray(values)
    ? values.map((value) => (typeof value === "string" ? value : formatJson(value)))
    : [];
}

function typeCause({ path, at, finding }: Described): Cause {
  const { wanted, found } = typeWords(finding);
  return typeInvalid(at, {
    value: found,
    detail: `${path} in body must be of type ${wanted}: ${formatValue(found)}`,
  });
}

/** With a format, Kubernetes names formats in place of types, unless the value is a text or a list. */
function typeWords({ value, limit, format }: Finding): { wanted: string; found: string } {
  const types = Array.isArray(limit) ? limit.map(String) : [];
  if (format === undefined || value === null || typeof value === "string" || Array.isArray(value)) {
    return { wanted: types.join(","), found: typeName(value) };
  }
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const found = !isNumber ? "" : typeName(value) === "integer" ? "int64" : "float64";
  return { wanted: format, found };
}

/** Returns the JSON type of a value. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function formatCause({ path, at, finding: { value, limit } }: Described): Cause {
  return typeInvalid(at, {
    value,
    detail: `${path} in body must be of type ${limit}: ${formatValue(value)}`,
  });
}

/** A number that its type cannot hold: the value itself, or a limit of it. */
function rangeCause({ path, finding }: Described): Cause {
  const [type, named, word] = Array.isArray(finding.limit) ? finding.limit : [];
  const isNamed = type === "integer" ? named === "int32" || named === "int64" : named !== undefined;
  const format = isNamed ? `with format ${named}` : "(default format)";
  return invalid(NO_FIELD, {
    value: "",
    detail: `${word} value must be of type ${type} ${format} in ${path}`,
  });
}

function sizeOf(data: unknown): number {
  return Array.isArray(data) ? data.length : Object.keys(Object(data)).length;
}
