/**
 * Refusals of Kubernetes for `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` in a schema.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation/validation.go.
 */

import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { isSet, own, propertySchema, type Schema, subSchema } from "./structural.ts";

const LIST_TYPE = "x-kubernetes-list-type";
const MAP_KEYS = "x-kubernetes-list-map-keys";
const MAP_TYPE = "x-kubernetes-map-type";

/** Returns the faults of the type of a map. */
export function mapTypeCauses(schema: Schema, path: string): Cause[] {
  const mapType = own(schema, MAP_TYPE) ?? undefined;
  if (mapType === undefined) return [];
  const supported = ["atomic", "granular"];
  return [
    ...wantedType(schema, { path, wanted: "object", because: MAP_TYPE }),
    ...(supported.includes(String(mapType))
      ? []
      : [notSupported(`${path}.${MAP_TYPE}`, { value: mapType, supported })]),
  ];
}

/** Returns the faults of the type of a list. */
export function listTypeCauses(schema: Schema, path: string): Cause[] {
  const listType = own(schema, LIST_TYPE) ?? undefined;
  const given = own(schema, MAP_KEYS);
  const keys = Array.isArray(given) ? given.map(String) : [];
  const at = `${path}.${LIST_TYPE}`;
  const causes: Cause[] = [];
  if (keys.length > 0 && listType !== "map") {
    const detail = `must be map if ${MAP_KEYS} is non-empty`;
    causes.push(listType === undefined ? required(at, detail) : invalid(at, { value: listType, detail }));
  }
  if (listType === undefined) return causes;
  const wrongType = wantedType(schema, { path, wanted: "array", because: LIST_TYPE });
  causes.push(...wrongType);
  const supported = ["atomic", "set", "map"];
  if (!supported.includes(String(listType))) causes.push(notSupported(at, { value: listType, supported }));
  const items = subSchema(schema, "items");
  if (listType === "set" && wrongType.length === 0) causes.push(...setItemCauses(items, path));
  if (listType === "map") causes.push(...mapCauses(schema, { path, keys }));
  if ((listType === "set" || listType === "map") && isSet(items, "nullable")) {
    causes.push(forbidden(`${path}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is ${listType}`));
  }
  return causes;
}

interface WantedType {
  readonly path: string;
  readonly wanted: string;
  readonly because: string;
}

function wantedType(schema: Schema, { path, wanted, because }: WantedType): Cause[] {
  const type = own(schema, "type") ?? "";
  const detail = `must be ${wanted} if ${because} is specified`;
  if (type === wanted) return [];
  return type === ""
    ? [required(`${path}.type`, detail)]
    : [invalid(`${path}.type`, { value: type, detail })];
}

/** Items of sets are compared as a whole. */
function setItemCauses(items: Schema | undefined, path: string): Cause[] {
  const listType = own(items, LIST_TYPE) ?? undefined;
  const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  if (own(items, "type") === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(`${path}.items.${LIST_TYPE}`, { value: listType, detail })];
  }
  if (own(items, "type") !== "object" || own(items, MAP_TYPE) === "atomic") return [];
  // NB: the real server shows the type of the list here.
  return [invalid(`${path}.items.${MAP_TYPE}`, { value: listType ?? null, detail })];
}

interface Keyed {
  readonly path: string;
  readonly keys: readonly string[];
}

function mapCauses(schema: Schema, { path, keys }: Keyed): Cause[] {
  const items = subSchema(schema, "items");
  const none = keys.length > 0
    ? []
    : [required(`${path}.${MAP_KEYS}`, `must not be empty if ${LIST_TYPE} is map`)];
  if (items === undefined) {
    return [...none, required(`${path}.items`, `must have a schema if ${LIST_TYPE} is map`)];
  }
  const byKey = keys.flatMap((key) => requiredKeyCauses(items, { path, key }));
  if (items.type !== "object") {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    return [...none, invalid(`${path}.items.type`, { value: items.type ?? "", detail }), ...byKey];
  }
  return [...none, ...keys.flatMap((key, index) => keyCauses(items, { path, keys, key, index })), ...byKey];
}

function keyCauses(
  items: Schema,
  { path, keys, key, index }: Keyed & { readonly key: string; readonly index: number },
): Cause[] {
  const property = propertySchema(items, key);
  const type = own(property, "type");
  const refuse = (detail: string) => invalid(`${path}.${MAP_KEYS}`, { value: keys, detail });
  const causes: Cause[] = [];
  if (property === undefined) causes.push(refuse("entries must all be names of item properties"));
  if (type === "array" || type === "object") {
    // NB: the real server shows the type of the item here.
    const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
    causes.push(invalid(`${path}.items.properties[${key}].type`, { value: items.type, detail }));
  }
  if (keys.indexOf(key) < index) causes.push(refuse("must not contain duplicate entries"));
  return causes;
}

function requiredKeyCauses(items: Schema, { path, key }: { path: string; key: string }): Cause[] {
  const property = propertySchema(items, key);
  if (property === undefined) return [];
  const at = `${path}.items.properties[${key}]`;
  const because = `this property is in ${MAP_KEYS}, so it`;
  const requiredKeys = own(items, "required");
  const isRequired = Array.isArray(requiredKeys) && requiredKeys.includes(key);
  const hasDefault = (own(property, "default") ?? undefined) !== undefined;
  return [
    ...(isRequired || hasDefault
      ? []
      : [required(`${at}.default`, `${because} must have a default or be a required property`)]),
    ...(isSet(property, "nullable") ? [forbidden(`${at}.nullable`, `${because} cannot be nullable`)] : []),
  ];
}
