/**
 * Refusals of Kubernetes for a schema: it must be structural, and use only the part of OpenAPI that Kubernetes supports.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/validation.go and
 * pkg/apis/apiextensions/validation/validation.go. Rules in expressions: `cel/rule_causes.ts`.
 */

import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { getOwn, isObject } from "../values.ts";
import { defaultCauses } from "./default_rules.ts";
import { compilePattern } from "./patterns.ts";
import { isSet, own, type Schema, schemaEntries, schemaList, subSchema } from "./structural.ts";

/** Where a version's schema stands in its definition. */
export interface SchemaRulesOptions {
  readonly path: string;
  /** The version has the status subresource. */
  readonly status: boolean;
}

type Level = "root" | "item" | "field";

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING = "x-kubernetes-int-or-string";
const EMBEDDED = "x-kubernetes-embedded-resource";
const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** Keywords that must not stand inside of allOf, anyOf, oneOf and not. */
const ONLY_STRUCTURE: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  [PRESERVE, "must be false to be structural"],
  [EMBEDDED, "must be false to be structural"],
  [INT_OR_STRING, "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
];

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ["id", "id is not supported"],
  ["additionalItems", "additionalItems is not supported"],
  ["patternProperties", "patternProperties is not supported"],
  ["definitions", "definitions is not supported"],
  ["dependencies", "dependencies is not supported"],
  ["$ref", "$ref is not supported"],
];

/** Returns what is wrong with a version's schema. */
export function schemaCauses(schema: Schema, { path, status }: SchemaRulesOptions): Cause[] {
  const type = getOwn(schema, "type");
  const causes: Cause[] = [];
  if (status && type !== "object") {
    const detail =
      `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`;
    causes.push(invalid(`${path}.type`, { value: type ?? "", detail }));
  }
  if (isSet(schema, "nullable")) {
    causes.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  }
  const structural = structuralCauses(schema, { path, level: "root" });
  const defaults = structural.length === 0 ? defaultCauses(schema, path) : [];
  return [...causes, ...structural, ...defaults, ...keywordCauses(schema, path)];
}

interface Place {
  readonly path: string;
  readonly level: Level;
}

function structuralCauses(schema: Schema, { path, level }: Place): Cause[] {
  const items = subSchema(schema, "items");
  const additional = subSchema(schema, "additionalProperties");
  return [
    ...(own(schema, "type") === "array" && items === undefined
      ? [required(`${path}.items`, "must be specified")]
      : []),
    ...(items === undefined ? [] : structuralCauses(items, { path: `${path}.items`, level: "item" })),
    ...schemaEntries(schema, "properties").flatMap(([key, child]) =>
      structuralCauses(child, { path: `${path}.properties[${key}]`, level: "field" })
    ),
    ...(own(schema, "additionalProperties") !== undefined && level === "root"
      ? [forbidden(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(additional === undefined
      ? []
      : structuralCauses(additional, { path: `${path}.additionalProperties`, level: "field" })),
    ...extensionCauses(schema, path),
    ...junctorCauses(schema, path),
    ...typeCauses(schema, { path, level }),
    ...resourceCauses(schema, { path, level }),
  ];
}

function extensionCauses(schema: Schema, path: string): Cause[] {
  if (!isSet(schema, INT_OR_STRING)) return [];
  return [PRESERVE, EMBEDDED].filter((key) => isSet(schema, key)).map((key) =>
    invalid(`${path}.${key}`, { value: true, detail: `must be false if ${INT_OR_STRING} is true` })
  );
}

function typeCauses(schema: Schema, { path, level }: Place): Cause[] {
  const type = own(schema, "type") ?? "";
  const at = `${path}.type`;
  if (isSet(schema, EMBEDDED) && type !== "object") {
    const detail = `must be object if ${EMBEDDED} is true`;
    return [type === "" ? required(at, detail) : invalid(at, { value: type, detail })];
  }
  if (type === "" && !isSet(schema, INT_OR_STRING) && !isSet(schema, PRESERVE)) {
    const where = {
      root: "at the root",
      item: "for specified array items",
      field: "for specified object fields",
    };
    return [required(at, `must not be empty ${where[level]}`)];
  }
  const wrong = level === "root" && type !== "" && type !== "object";
  return wrong ? [invalid(at, { value: type, detail: "must be object at the root" })] : [];
}

/** The root, and embedded resources: of metadata, only the names may be restricted. */
function resourceCauses(schema: Schema, { path, level }: Place): Cause[] {
  if (level !== "root" && !isSet(schema, EMBEDDED)) return [];
  const properties = subSchema(schema, "properties");
  const causes: Cause[] = [];
  for (
    const [key, wanted] of [["kind", "string"], ["apiVersion", "string"], ["metadata", "object"]] as const
  ) {
    const property = subSchema(properties, key);
    if (property === undefined || property.type === wanted) continue;
    const at = `${path}.properties[${key}].type`;
    causes.push(invalid(at, { value: property.type ?? "", detail: `must be ${wanted}` }));
  }
  const metadata = subSchema(properties, "metadata");
  if (level === "root" && metadata !== undefined && restrictsMore(metadata)) {
    const detail =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    causes.push(forbidden(`${path}.properties[metadata]`, detail));
  }
  const empty = isSet(schema, EMBEDDED) && !isSet(schema, PRESERVE) &&
    Object.keys(properties ?? {}).length === 0;
  if (empty) {
    const detail = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
    causes.push(required(`${path}.properties`, detail));
  }
  return causes;
}

function restrictsMore(metadata: Schema): boolean {
  const named = Object.keys(subSchema(metadata, "properties") ?? {}).every((key) =>
    key === "name" || key === "generateName"
  );
  const allowed = new Set(["type", "properties", "default"]);
  return !named || Object.keys(metadata).some((key) => !allowed.has(key));
}

function junctorCauses(schema: Schema, path: string): Cause[] {
  const causes = ["anyOf", "allOf", "oneOf"].flatMap((key) =>
    schemaList(schema, key).flatMap((branch, index) => {
      if (isSet(schema, INT_OR_STRING) && isIntOrString(branch, key, index)) return [];
      return nestedCauses(branch, `${path}.${key}[${index}]`);
    })
  );
  const not = subSchema(schema, "not");
  return [
    ...causes,
    ...(not === undefined ? [] : nestedCauses(not, `${path}.not`)),
    ...patternCauses(schema, path),
  ];
}

/** The one form in which types may stand in a junctor: `anyOf: [{type: integer}, {type: string}]`, alone or in allOf[0]. */
function isIntOrString(branch: Schema, key: string, index: number): boolean {
  if (key === "anyOf") {
    return branch.type === (index === 0 ? "integer" : "string") && Object.keys(branch).length === 1;
  }
  const inner = key === "allOf" && index === 0 ? schemaList(branch, "anyOf") : [];
  return inner.length === 2 && inner.every((schema, at) => isIntOrString(schema, "anyOf", at));
}

function nestedCauses(schema: Schema, path: string): Cause[] {
  const items = subSchema(schema, "items");
  const banned = ONLY_STRUCTURE
    .filter(([key]) => isPresent(own(schema, key)))
    .map(([key, detail]) => forbidden(`${path}.${key}`, detail));
  const metadata = subSchema(subSchema(schema, "properties"), "metadata") === undefined
    ? []
    : [forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")];
  return [
    ...junctorCauses(schema, path),
    ...(items === undefined ? [] : nestedCauses(items, `${path}.items`)),
    ...schemaEntries(schema, "properties").flatMap(([key, child]) =>
      nestedCauses(child, `${path}.properties[${key}]`)
    ),
    ...banned,
    ...metadata,
  ];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== "";
}

function patternCauses(schema: Schema, path: string): Cause[] {
  const value = own(schema, "pattern");
  if (typeof value !== "string" || value === "") return [];
  try {
    compilePattern(value);
    return [];
  } catch (error) {
    const detail = `must be a valid regular expression, but isn't: ${
      error instanceof Error ? error.message : error
    }`;
    return [invalid(`${path}.pattern`, { value, detail })];
  }
}

function keywordCauses(schema: Schema, path: string): Cause[] {
  const type = own(schema, "type");
  const causes: Cause[] = [];
  if (typeof type === "string" && type !== "" && !TYPES.includes(type)) {
    causes.push(notSupported(`${path}.type`, { value: type, supported: TYPES }));
  }
  for (const [key, detail] of UNSUPPORTED) {
    if (isPresent(own(schema, key))) causes.push(forbidden(`${path}.${key}`, detail));
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
  return [...causes, ...listTypeCauses(schema, path), ...keywordCausesBelow(schema, path)];
}

function keywordCausesBelow(schema: Schema, path: string): Cause[] {
  const single = ["items", "additionalProperties", "not"].flatMap((key) => {
    const child = subSchema(schema, key);
    return child === undefined ? [] : keywordCauses(child, `${path}.${key}`);
  });
  const named = schemaEntries(schema, "properties").flatMap(([key, child]) =>
    keywordCauses(child, `${path}.properties[${key}]`)
  );
  const listed = ["allOf", "oneOf", "anyOf"].flatMap((key) =>
    schemaList(schema, key).flatMap((child, index) => keywordCauses(child, `${path}.${key}[${index}]`))
  );
  return [...single, ...named, ...listed];
}

function listTypeCauses(schema: Schema, path: string): Cause[] {
  const listType = own(schema, "x-kubernetes-list-type");
  const keys = own(schema, "x-kubernetes-list-map-keys");
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  const at = `${path}.x-kubernetes-list-type`;
  const causes: Cause[] = [];
  if (hasKeys && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    causes.push(listType === undefined ? required(at, detail) : invalid(at, { value: listType, detail }));
  }
  if (listType === undefined) return causes;
  const supported = ["atomic", "set", "map"];
  if (!supported.includes(String(listType))) causes.push(notSupported(at, { value: listType, supported }));
  if (own(schema, "type") !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    causes.push(invalid(`${path}.type`, { value: own(schema, "type") ?? "", detail }));
  }
  if (listType !== "map") return causes;
  if (!hasKeys) {
    causes.push(
      required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"),
    );
  }
  return [
    ...causes,
    ...mapItemCauses(subSchema(schema, "items"), { path, keys: Array.isArray(keys) ? keys : [] }),
  ];
}

function mapItemCauses(
  items: Schema | undefined,
  { path, keys }: { path: string; keys: readonly unknown[] },
): Cause[] {
  if (items === undefined) {
    return [required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [invalid(`${path}.items.type`, { value: items.type ?? "", detail })];
  }
  const requiredKeys = own(items, "required");
  return keys.map(String).flatMap((key) => {
    const property = subSchema(subSchema(items, "properties"), key);
    if (property === undefined) {
      const detail = "entries must all be names of item properties";
      return [invalid(`${path}.x-kubernetes-list-map-keys`, { value: keys, detail })];
    }
    const isRequired = Array.isArray(requiredKeys) && requiredKeys.includes(key);
    if (isRequired || isPresent(own(property, "default"))) return [];
    const detail =
      "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
    return [required(`${path}.items.properties[${key}].default`, detail)];
  });
}
