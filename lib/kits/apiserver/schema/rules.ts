/**
 * Refusals of Kubernetes for the keywords of a schema: it must use only the part of OpenAPI that Kubernetes supports.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation/validation.go. Whether it is structural:
 * `structural_rules.ts`; rules in expressions: `cel/rule_causes.ts`.
 */

import { type Cause, forbidden, invalid, notSupported } from "../causes.ts";
import { isObject } from "../values.ts";
import { defaultCauses } from "./default_rules.ts";
import { listTypeCauses, mapTypeCauses } from "./list_type_rules.ts";
import { PrintedSchema, strangeAtRoot } from "./printed.ts";
import {
  isSet,
  own,
  RESOURCE_FIELDS,
  type Schema,
  schemaEntries,
  schemaList,
  subSchema,
} from "./structural.ts";
import { isPresent, structureCauses } from "./structural_rules.ts";

/** Where a version's schema stands in its definition. */
export interface SchemaRulesOptions {
  readonly path: string;
  /** The version has the status subresource. */
  readonly status: boolean;
}

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";
const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ["id", "id is not supported"],
  ["additionalItems", "additionalItems is not supported"],
  ["patternProperties", "patternProperties is not supported"],
  ["definitions", "definitions is not supported"],
  ["dependencies", "dependencies is not supported"],
  ["$ref", "$ref is not supported"],
];

/** Returns the faults of a version's schema. */
export function schemaCauses(schema: Schema, { path, status }: SchemaRulesOptions): Cause[] {
  const causes: Cause[] = [];
  if (status) causes.push(...rootCauses(schema, path));
  if (isSet(schema, "nullable")) {
    causes.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  }
  const structural = structureCauses(schema, path);
  const defaults = structural.length === 0 ? defaultCauses(schema, path) : [];
  return [...causes, ...structural, ...defaults, ...keywordCauses(schema, { path, isRoot: true })];
}

/** The status is checked alone: no rule of the root must get lost by that. */
function rootCauses(schema: Schema, path: string): Cause[] {
  const type = own(schema, "type") ?? "";
  if (type !== "" && type !== "object") {
    const detail =
      `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`;
    return [invalid(`${path}.type`, { value: type, detail })];
  }
  const detail = strangeAtRoot(schema);
  return detail === undefined ? [] : [invalid(path, { value: new PrintedSchema(schema), detail })];
}

interface Place {
  readonly path: string;
  readonly isRoot?: boolean;
  /** It is a part of `apiVersion`, `kind` or `metadata` of a resource. */
  readonly isMetadata?: boolean;
  /** Why there must be no defaults here. */
  readonly noDefaults?: string;
}

function keywordCauses(schema: Schema, place: Place): Cause[] {
  const { path } = place;
  const type = own(schema, "type");
  const causes: Cause[] = [];
  if (typeof type === "string" && type !== "" && !TYPES.includes(type)) {
    causes.push(notSupported(`${path}.type`, { value: type, supported: TYPES }));
  }
  if (place.noDefaults !== undefined && (own(schema, "default") ?? undefined) !== undefined) {
    causes.push(forbidden(`${path}.default`, `must not be set ${place.noDefaults}`));
  }
  for (const [key, detail] of UNSUPPORTED) {
    if (isPresent(own(schema, key))) causes.push(forbidden(`${path}.${key}`, detail));
  }
  if (type === "null") {
    causes.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  const items = own(schema, "items");
  // NB: an empty list of schemas is none.
  if (Array.isArray(items) && items.length > 0) {
    causes.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (place.isMetadata === true && isSet(schema, EMBEDDED)) {
    causes.push(forbidden(`${path}.${EMBEDDED}`, "must not be used inside of resource meta"));
  }
  if (isSet(schema, "uniqueItems")) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    causes.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (Object.keys(subSchema(schema, "properties") ?? {}).length > 0) {
    const additional = own(schema, "additionalProperties");
    if (additional === false || isObject(additional)) {
      causes.push(
        forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
      );
    }
  }
  if (own(schema, PRESERVE) === false) {
    causes.push(invalid(`${path}.${PRESERVE}`, { value: false, detail: "must be true or undefined" }));
  }
  return [
    ...causes,
    ...mapTypeCauses(schema, path),
    ...listTypeCauses(schema, path),
    ...keywordCausesBelow(schema, place),
  ];
}

function keywordCausesBelow(schema: Schema, { path, isRoot, ...below }: Place): Cause[] {
  const isResource = isRoot === true || isSet(schema, EMBEDDED);
  const single = ["items", "additionalProperties", "not"].flatMap((key) => {
    const child = subSchema(schema, key);
    if (child === undefined) return [];
    const noDefaults = key === "additionalProperties" && below.isMetadata === true
      ? "inside additionalProperties applying to object metadata"
      : below.noDefaults;
    return keywordCauses(child, { ...below, noDefaults, path: `${path}.${key}` });
  });
  const named = schemaEntries(schema, "properties").flatMap(([key, child]) => {
    const inner = isResource && RESOURCE_FIELDS.has(key) ? { ...below, isMetadata: true } : below;
    const isOfRoot = isRoot === true && RESOURCE_FIELDS.has(key);
    const noDefaults = isOfRoot ? `in top-level ${key}` : inner.noDefaults;
    return keywordCauses(child, { ...inner, noDefaults, path: `${path}.properties[${key}]` });
  });
  const listed = ["allOf", "oneOf", "anyOf"].flatMap((key) =>
    schemaList(schema, key).flatMap((child, index) =>
      keywordCauses(child, { ...below, path: `${path}.${key}[${index}]` })
    )
  );
  return [...single, ...named, ...listed];
}
