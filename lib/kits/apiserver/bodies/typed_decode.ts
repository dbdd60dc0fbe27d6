/**
 * Built-in kinds have types: values of other types are refused in Go's words, and unknown fields are dropped.
 *
 * Source: sigs.k8s.io/json; k8s.io/apimachinery, pkg/runtime/serializer/json. NB: Go's names for kinds of texts
 * (v1.ServiceType) are not known here; all are called string.
 */

import type { JsonObject } from "../../../model/object.ts";
import { tidyBase64 } from "../formats/base64.ts";
import { type Precision, readGoTime, TimeError } from "../formats/go_time.ts";
import { tidyQuantity } from "../formats/quantity.ts";
import { keepsEmpty } from "../types/completion.ts";
import { type Field, fieldsByName, isSingle, type Shape } from "../types/mod.ts";
import { isObject, setOwn } from "../values.ts";

/** The treatment of members that do not fit. */
export interface TypedDecoding {
  /** Refuses the object. */
  readonly fail: (fault: string) => never;
  /** Takes the paths of unknown fields. */
  readonly unknown: string[];
}

interface Place {
  /** Go's name for the place: the names of fields, without indices. */
  readonly path: string;
  /** The place with indices. */
  readonly exact: string;
  /** The struct that the field is of. */
  readonly owner: string;
}

/** Checks an object against its type and drops unknown fields and nulls, in place, but for `metadata`. */
export function decodeTyped(object: JsonObject, type: string, decoding: TypedDecoding): void {
  const names = ["apiVersion", "kind", "metadata"];
  decodeStruct(
    object,
    { type, skipped: names, place: { path: "", exact: "", owner: shortName(type) } },
    decoding,
  );
}

interface Struct {
  readonly type: string;
  readonly skipped: readonly string[];
  readonly place: Place;
}

function decodeStruct(object: JsonObject, { type, skipped, place }: Struct, decoding: TypedDecoding): void {
  const fields = fieldsByName(type);
  if (fields === undefined) return;
  const owner = shortName(type);
  for (const key of Object.keys(object)) {
    if (skipped.includes(key)) continue;
    const field: Field | undefined = fields.get(key);
    if (field !== undefined && isPlain(object[key], field.shape)) {
      // NB: the zero value of a field without a pointer is not kept, unless its type keeps it.
      if (!field.isPointer && isZero(object[key]) && !keepsZero(type, field)) delete object[key];
      continue;
    }
    const embedded = field === undefined ? undefined : embeddedIn(type, field);
    const path = join(embedded === undefined ? place.path : join(place.path, embedded), key);
    const at = { path, exact: join(place.exact, key), owner };
    if (field === undefined) {
      decoding.unknown.push(at.exact);
      delete object[key];
    } else if (object[key] === null) {
      delete object[key];
    } else {
      object[key] = decodeValue(object[key], { shape: field.shape, place: at }, decoding);
      // NB: Go does not tell an empty list or map that may be left out from none.
      if (isNothing(object[key], field.shape) && !keepsEmpty(type, field)) delete object[key];
    }
  }
}

/** Structs that stand in others without a name of their own in JSON. */
const EMBEDDED: Readonly<Record<string, string>> = {
  "admissionregistration.NamedRuleWithOperations": "RuleWithOperations",
  "admissionregistration.RuleWithOperations": "Rule",
  "core.EphemeralContainer": "EphemeralContainerCommon",
  "core.PersistentVolumeSpec": "PersistentVolumeSource",
  "core.Probe": "ProbeHandler",
  "core.Volume": "VolumeSource",
  "networking.IngressRule": "IngressRuleValue",
};

/** NB: Go's errors name them. */
function embeddedIn(type: string, { numbers }: Field): string | undefined {
  return numbers.length > 1 ? EMBEDDED[type] ?? "LocalObjectReference" : undefined;
}

/** NB: tables of empty values are of lists and maps where fields may be left out. */
function keepsZero(type: string, field: Field): boolean {
  return field.required && keepsEmpty(type, field);
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

function isNothing(value: unknown, shape: Shape): boolean {
  const { kind } = shape;
  if (isBytes(shape)) return value === "";
  if (kind === "list") return Array.isArray(value) && value.length === 0;
  return kind === "map" && isObject(value) && Object.keys(value).length === 0;
}

/** Checks a value in place; returns it as Go writes it again: texts of bytes, times and quantities have one form. */
function decodeValue(
  value: unknown,
  { shape, place }: { shape: Shape; place: Place },
  decoding: TypedDecoding,
): unknown {
  if (value === null || value === undefined) return value;
  switch (shape.kind) {
    case "scalar":
      // A number with a point holds whole numbers beyond 2^53, too, though not exactly.
      if (shape.type === "number" && typeof value === "bigint") return Number(value);
      if (!fits(value, shape.type)) refuse(value, { shape, place }, decoding);
      return isBytes(shape) ? tidied(value, decoding) : value;
    case "list":
      if (!Array.isArray(value)) return refuse(value, { shape, place }, decoding);
      for (const [index, item] of value.entries()) {
        const at = { ...place, exact: `${place.exact}[${index}]` };
        value[index] = item === null
          ? zeroOf(shape.of)
          : decodeValue(item, { shape: shape.of, place: at }, decoding);
      }
      return value;
    case "map":
      if (!isObject(value)) return refuse(value, { shape, place }, decoding);
      for (const key of Object.keys(value)) {
        const item = value[key];
        // Most maps hold texts, and all of them fit.
        if (isPlain(item, shape.of)) continue;
        const at = { ...place, exact: join(place.exact, key) };
        const decoded = item === null
          ? zeroOf(shape.of)
          : decodeValue(item, { shape: shape.of, place: at }, decoding);
        setOwn(value, key, decoded);
      }
      return value;
    case "type":
      return decodeType(value, { shape, place }, decoding);
  }
}

/** Returns the value that Go has in place of null. NB: of lists and maps, that is null. */
function zeroOf(shape: Shape): unknown {
  if (shape.kind === "scalar") {
    return shape.type === "string" ? "" : shape.type === "boolean" ? false : 0;
  }
  if (shape.kind !== "type") return null;
  if (shape.name === "Quantity") return "0";
  return isSingle(shape.name) ? null : {};
}

/** Whether a value is a scalar that fits as it is. */
function isPlain(value: unknown, shape: Shape): boolean {
  return shape.kind === "scalar" && shape.format !== "byte" && fits(value, shape.type);
}

function isBytes(shape: Shape): boolean {
  return shape.kind === "scalar" && shape.format === "byte";
}

function tidied(value: unknown, decoding: TypedDecoding): string {
  const tidy = tidyBase64(String(value));
  return typeof tidy === "string" ? tidy : decoding.fail(`illegal base64 data at input byte ${tidy}`);
}

/** A struct without fields. */
const EMPTY = "apiextensions.CustomResourceSubresourceStatus";
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const QUANTITY_SAYS =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function decodeType(
  value: unknown,
  { shape, place }: { shape: Shape & { kind: "type" }; place: Place },
  decoding: TypedDecoding,
): unknown {
  const { name } = shape;
  const precision = precisionOf(shape);
  if (name === "Quantity") {
    if (!QUANTITY.test(String(value)) || typeof value === "object") decoding.fail(QUANTITY_SAYS);
    return tidyQuantity(String(value));
  } else if (name === "IntOrString") {
    // NB: a value that is no text is read as a number.
    if (typeof value !== "string" && !Number.isInteger(value)) {
      refuse(value, { shape: { kind: "scalar", type: "integer", format: "int32" }, place }, decoding);
    }
  } else if (precision !== undefined) {
    if (typeof value !== "string") return refuse(value, { shape, place }, decoding);
    return readTime(value, precision, decoding);
  } else if (name === EMPTY) {
    if (!isObject(value)) return refuse(value, { shape, place }, decoding);
    for (const key of Object.keys(value)) {
      decoding.unknown.push(join(place.exact, key));
      delete value[key];
    }
  } else if (UNIONS.includes(name)) {
    const isSchemaOrBoolean = typeof value === "boolean" || isObject(value);
    if (name === OR_BOOLEAN && !isSchemaOrBoolean) decoding.fail("boolean or JSON schema expected");
    decodeUnion(value, place, decoding);
  } else if (!isSingle(name)) {
    if (!isObject(value)) return refuse(value, { shape, place }, decoding);
    decodeStruct(value, { type: name, skipped: [], place }, decoding);
  }
  return value;
}

const SCHEMA = { kind: "type", name: "apiextensions.JSONSchemaProps" } as const;

/** Types that are a schema, or a boolean or a list. */
const OR_BOOLEAN = "apiextensions.JSONSchemaPropsOrBool";
const UNIONS = ["apiextensions.JSONSchemaPropsOrArray", OR_BOOLEAN];

function decodeUnion(value: unknown, place: Place, decoding: TypedDecoding): void {
  if (isObject(value)) decodeType(value, { shape: SCHEMA, place }, decoding);
  if (!Array.isArray(value)) return;
  for (const [index, item] of value.entries()) {
    const at = { ...place, exact: `${place.exact}[${index}]` };
    if (isObject(item)) decodeType(item, { shape: SCHEMA, place: at }, decoding);
  }
}

/** How exact the times of a type are; undefined for other types. */
function precisionOf(shape: Shape): Precision | undefined {
  if (shape.kind !== "type") return undefined;
  if (shape.name === "meta.Time") return "seconds";
  return shape.name === "meta.MicroTime" ? "microseconds" : undefined;
}

function readTime(value: string, precision: Precision, decoding: TypedDecoding): string {
  try {
    return readGoTime(value, precision);
  } catch (error) {
    if (error instanceof TimeError) return decoding.fail(error.message);
    throw error;
  }
}

function fits(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value) || typeof value === "bigint";
  const found: string = typeof value;
  return found === type;
}

function refuse(
  value: unknown,
  { shape, place }: { shape: Shape; place: Place },
  decoding: TypedDecoding,
): never {
  const isFraction = typeof value === "number" && shape.kind === "scalar" && shape.type === "integer";
  const word = isFraction ? `number ${value}` : wordFor(value);
  const field = `${place.owner}.${place.path}`;
  const own = `${place.owner}.${place.path.slice(place.path.lastIndexOf(".") + 1)}`;
  const item = Object.hasOwn(NAMED_TEXTS, own) && shape.kind === "list" ? NAMED_TEXTS[own] : undefined;
  const type = item === undefined ? goType(shape) : `[]${item}`;
  return decoding.fail(`json: cannot unmarshal ${word} into Go struct field ${field} of type ${type}`);
}

/** Lists of texts that have a type with a name, where authors get them wrong. */
const NAMED_TEXTS: Readonly<Record<string, string>> = {
  "Capabilities.add": "v1.Capability",
  "Capabilities.drop": "v1.Capability",
  "NamedRuleWithOperations.operations": "v1.OperationType",
  "PersistentVolumeClaimSpec.accessModes": "v1.PersistentVolumeAccessMode",
  "PersistentVolumeSpec.accessModes": "v1.PersistentVolumeAccessMode",
  "RuleWithOperations.operations": "v1.OperationType",
  "ValidatingAdmissionPolicyBindingSpec.validationActions": "v1.ValidationAction",
};

/** Go's words for JSON types. */
function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

const GO_SCALARS: Readonly<Record<string, string>> = {
  "string": "string",
  "string/byte": "[]uint8",
  "integer/int32": "int32",
  "integer/int64": "int64",
  "boolean": "bool",
  "number/double": "float64",
};

function goType(shape: Shape): string {
  switch (shape.kind) {
    case "scalar":
      return GO_SCALARS[shape.format === undefined ? shape.type : `${shape.type}/${shape.format}`] ??
        shape.type;
    case "list": {
      const item = goType(shape.of);
      // NB: this list alone is a type with a name.
      return item === "v1.ValidationRule" ? "v1.ValidationRules" : `[]${item}`;
    }
    case "map":
      return shape.of.kind === "type" && shape.of.name === "Quantity"
        ? "v1.ResourceList"
        : `map[string]${goType(shape.of)}`;
    case "type": {
      if (shape.name === "Quantity") return "resource.Quantity";
      if (precisionOf(shape) !== undefined) return "string";
      if (shape.name === "IntOrString") return "intstr.IntOrString";
      return `v${/(\d)\./.exec(shape.name)?.[1] ?? 1}.${shortName(shape.name)}`;
    }
  }
}

function shortName(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
