/**
 * Refusals of Kubernetes for a schema that is not structural: each value has a type, and allOf, anyOf, oneOf and
 * not are about values that the schema knows.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/{validation,complete,convert}.go.
 */

import { type Cause, forbidden, invalid, required } from "../causes.ts";
import { equal } from "../values.ts";
import { compilePattern } from "./patterns.ts";
import { isSet, own, type Schema, schemaEntries, schemaList, subSchema } from "./structural.ts";

type Level = "root" | "item" | "field";

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING = "x-kubernetes-int-or-string";
const EMBEDDED = "x-kubernetes-embedded-resource";

/** Keywords that must not stand inside of allOf, anyOf, oneOf and not. */
const ONLY_STRUCTURE: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  [PRESERVE, "must be false to be structural"],
  [EMBEDDED, "must be false to be structural"],
  [INT_OR_STRING, "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

/** The keywords with which there can be no structure at all; each is a fault by itself. */
const UNSTRUCTURED = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
];

/** Returns the faults of the structure of a version's schema; none where other faults hide them. */
export function structureCauses(schema: Schema, path: string): Cause[] {
  if (hasNoStructure(schema)) return [];
  const causes = [
    ...structuralCauses(schema, { path, level: "root" }),
    ...missingCauses(schema, { path, from: path }),
  ];
  // NB: the real server sorts these, and no others.
  const textOf = ({ field, message }: Cause): string => `${field}: ${message}`;
  return causes.sort((a, b) => textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0);
}

function hasNoStructure(schema: Schema): boolean {
  if (UNSTRUCTURED.some((key) => isPresent(own(schema, key)))) return true;
  const items = own(schema, "items");
  if (Array.isArray(items) && items.length > 0 || own(schema, PRESERVE) === false) return true;
  const children = ["items", "additionalProperties", "not"].map((key) => subSchema(schema, key));
  const listed = ["allOf", "anyOf", "oneOf"].flatMap((key) => schemaList(schema, key));
  const named = schemaEntries(schema, "properties").map(([, child]) => child);
  return [...children, ...listed, ...named].some((child) => child !== undefined && hasNoStructure(child));
}

/** Tells whether a keyword is set; Go does not keep empty ones. */
export function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== "";
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
    ...(isAdding(schema) && level === "root"
      ? [forbidden(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(additional === undefined
      ? []
      : structuralCauses(additional, { path: `${path}.additionalProperties`, level: "field" })),
    ...extensionCauses(schema, path),
    ...junctorCauses(schema, { path, isNested: false, skipsAnyOf: tellsIntFromString(schema) }),
    ...typeCauses(schema, { path, level }),
    ...resourceCauses(schema, { path, level }),
  ];
}

function isAdding(schema: Schema): boolean {
  return (own(schema, "additionalProperties") ?? undefined) !== undefined;
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
  const atRoot = level === "root" && type !== "" && type !== "object"
    ? [invalid(at, { value: type, detail: "must be object at the root" })]
    : [];
  if (isSet(schema, EMBEDDED) && type !== "object") {
    const detail = `must be object if ${EMBEDDED} is true`;
    return [type === "" ? required(at, detail) : invalid(at, { value: type, detail }), ...atRoot];
  }
  if (type === "" && !isSet(schema, INT_OR_STRING) && !isSet(schema, PRESERVE)) {
    const where = {
      root: "at the root",
      item: "for specified array items",
      field: "for specified object fields",
    };
    return [required(at, `must not be empty ${where[level]}`)];
  }
  return atRoot;
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
  if (isSet(schema, EMBEDDED) && isAdding(schema)) {
    const detail = `must not be used if ${EMBEDDED} is set`;
    causes.push(forbidden(`${path}.additionalProperties`, detail));
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

/** The one form in which types may stand in a junctor: as anyOf, alone or in allOf[0]. */
const INT_OR_STRING_BRANCHES = [{ type: "integer" }, { type: "string" }];

function tellsIntFromString(schema: Schema): boolean {
  return equal(own(schema, "anyOf"), INT_OR_STRING_BRANCHES);
}

interface Junctor {
  readonly path: string;
  /** It stands in a junctor itself. */
  readonly isNested: boolean;
  readonly skipsAnyOf: boolean;
}

function junctorCauses(schema: Schema, { path, isNested, skipsAnyOf }: Junctor): Cause[] {
  const listed = ["anyOf", "allOf", "oneOf"].flatMap((key) =>
    schemaList(schema, key).flatMap((branch, index) => {
      if (key === "anyOf" && skipsAnyOf) return [];
      const skips = !isNested && key === "allOf" && index === 0 && tellsIntFromString(branch);
      return nestedCauses(branch, `${path}.${key}[${index}]`, skips);
    })
  );
  const not = subSchema(schema, "not");
  return [
    ...listed,
    ...(not === undefined ? [] : nestedCauses(not, `${path}.not`)),
    ...patternCauses(schema, path),
  ];
}

function nestedCauses(schema: Schema, path: string, skipsAnyOf = false): Cause[] {
  const items = subSchema(schema, "items");
  const banned = ONLY_STRUCTURE
    .filter(([key]) => key === "additionalProperties" ? isAdding(schema) : isPresent(own(schema, key)))
    .map(([key, detail]) => forbidden(`${path}.${key}`, detail));
  const byDefault = (own(schema, "default") ?? undefined) === undefined
    ? []
    : [forbidden(`${path}.default`, "must be undefined to be structural")];
  const metadata = subSchema(subSchema(schema, "properties"), "metadata") === undefined
    ? []
    : [forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")];
  return [
    ...junctorCauses(schema, { path, isNested: true, skipsAnyOf }),
    ...(items === undefined ? [] : nestedCauses(items, `${path}.items`)),
    ...schemaEntries(schema, "properties").flatMap(([key, child]) =>
      nestedCauses(child, `${path}.properties[${key}]`)
    ),
    ...banned,
    ...byDefault,
    ...metadata,
  ];
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

interface Counterpart {
  /** Where the value should be known. */
  readonly path: string;
  /** Where allOf, anyOf, oneOf or not speak of it. */
  readonly from: string;
}

/** The values that allOf, anyOf, oneOf and not speak of, but which the structure does not have. */
function missingCauses(
  schema: Schema,
  { path, from, node = schema }: Counterpart & { readonly node?: Schema },
): Cause[] {
  const not = subSchema(schema, "not");
  const listed = ["allOf", "anyOf", "oneOf"].flatMap((key) =>
    schemaList(schema, key).flatMap((branch, index) =>
      missingBelow(branch, { path, from: `${from}.${key}[${index}]`, node })
    )
  );
  return not === undefined ? listed : [...missingBelow(not, { path, from: `${from}.not`, node }), ...listed];
}

function missingBelow(
  branch: Schema,
  { path, from, node }: Counterpart & { readonly node: Schema | undefined },
): Cause[] {
  if (node === undefined) return [required(path, `because it is defined in ${from}`)];
  const items = subSchema(branch, "items");
  const inItems = items === undefined ? [] : missingBelow(items, {
    path: `${path}.items`,
    from: `${from}.items`,
    node: subSchema(node, "items"),
  });
  const inFields = schemaEntries(branch, "properties").flatMap(([key, child]) => {
    const step = `.properties[${key}]`;
    return missingBelow(child, {
      path: `${path}${step}`,
      from: `${from}${step}`,
      node: subSchema(subSchema(node, "properties"), key),
    });
  });
  return [...missingCauses(branch, { path, from, node }), ...inItems, ...inFields];
}
