/**
 * The schemas in the OpenAPI documents: of the built-in kinds from the tables in `types/`, of custom ones from their
 * definitions.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Resource } from "../../../model/resource.ts";
import type { ServedResource } from "../definitions/crd.ts";
import type { Describe, Description } from "./descriptions.ts";
import { definitionName, type Field, fieldsOf, isAtomic, type Shape, specialType } from "../types/mod.ts";
import { isObject, objectAt, setOwn } from "../values.ts";

const KIND_GROUPS: Readonly<Record<string, string>> = {
  rbac: "rbac.authorization.k8s.io",
  networking: "networking.k8s.io",
  coordination: "coordination.k8s.io",
  scheduling: "scheduling.k8s.io",
  events: "events.k8s.io",
  admissionregistration: "admissionregistration.k8s.io",
  apiextensions: "apiextensions.k8s.io",
  apiregistration: "apiregistration.k8s.io",
  authentication: "authentication.k8s.io",
  authorization: "authorization.k8s.io",
  autoscaling2: "autoscaling",
  certificates: "certificates.k8s.io",
  discovery: "discovery.k8s.io",
  flowcontrol: "flowcontrol.apiserver.k8s.io",
  node: "node.k8s.io",
  resource: "resource.k8s.io",
  storage: "storage.k8s.io",
};

/** By which fields a custom kind can be selected. */
const SELECTABLE = "x-kubernetes-selectable-fields";

/** How schemas are written. */
export interface SchemaStyle {
  /** The version of the document. */
  readonly version: 2 | 3;
  /** The beginning of references to other schemas. */
  readonly prefix: string;
  readonly describe: Describe;
}

/** Returns the schemas of types and of everything that they use, by their full names. */
export function schemasOf(types: readonly string[], style: SchemaStyle): JsonObject {
  const schemas: JsonObject = {};
  const open = [...types];
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    const name = definitionName(type);
    if (Object.hasOwn(schemas, name)) continue;
    const fields = fieldsOf(type);
    schemas[name] = {
      ...described(style.describe(type)),
      ...(fields === undefined ? singleSchema(type, style) : toSchema(type, fields, style)),
    };
    open.push(...(fields ?? []).flatMap(({ shape }) => typesIn(shape)));
  }
  return schemas;
}

/** Returns the schemas of custom resources. */
export function customSchemas(resources: readonly ServedResource[], style: SchemaStyle): JsonObject {
  const schemas: JsonObject = resources.length === 0 ? {} : schemasOf(["meta.ObjectMeta"], style);
  for (const resource of resources) schemas[definitionNameOf(resource)] = customSchema(resource, style);
  return schemas;
}

/** Returns the name of a custom resource's schema, such as "com.example.v1.Database". */
export function definitionNameOf(
  { group, version, kind }: Pick<Resource, "group" | "version" | "kind">,
): string {
  return [...group.split(".").reverse(), version, kind].filter((part) => part !== "").join(".");
}

/** Takes keywords out of schemas that OpenAPI 2 does not know, and that kubectl would otherwise check wrongly. */
export function toVersion2(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, rootVersion2(schema)]));
}

/** NB: a kind that keeps unknown fields is not described at all: else readers would take the rest for unknown. */
function rootVersion2(schema: unknown): unknown {
  if (!isObject(schema) || schema["x-kubernetes-preserve-unknown-fields"] !== true) {
    return withoutVersion3(schema);
  }
  const names = schema["x-kubernetes-group-version-kind"];
  if (names === undefined) return withoutVersion3(schema);
  const fields = schema[SELECTABLE];
  const selectable = fields === undefined ? {} : { [SELECTABLE]: fields };
  return { type: "object", "x-kubernetes-group-version-kind": names, ...selectable };
}

function withoutVersion3(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutVersion3);
  if (!isObject(schema)) return schema;
  const loose = schema.nullable === true || schema["x-kubernetes-int-or-string"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true;
  const dropped = new Set([
    "nullable",
    "anyOf",
    "oneOf",
    "not",
    ...(loose ? ["type", "properties", "items"] : []),
  ]);
  const kept = Object.entries(schema).filter(([key]) => !dropped.has(key));
  const plain = Object.fromEntries(kept.map(([key, value]) => [key, withoutVersion3(value)]));
  // NB: its readers know no allOf, but take the keywords beside a reference.
  const [only, ...others] = Array.isArray(plain.allOf) ? plain.allOf : [];
  if (!isObject(only) || only.$ref === undefined || others.length > 0) return plain;
  const { allOf: _allOf, ...rest } = plain;
  return { ...rest, ...only };
}

/** Types that version 3 knows to be of several forms. */
const SEVERAL: Readonly<Record<string, JsonObject>> = {
  Quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
  IntOrString: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
};

function singleSchema(type: string, { version }: SchemaStyle): JsonObject {
  const several = version === 3 && Object.hasOwn(SEVERAL, type) ? SEVERAL[type] : undefined;
  return several ?? { ...specialType(type) };
}

function described({ description }: Description): JsonObject {
  return description === undefined ? {} : { description };
}

function toSchema(type: string, fields: readonly Field[], style: SchemaStyle): JsonObject {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, toProperty(type, field, style)])),
    ...(required.length === 0 ? {} : { required }),
    ...(isAtomic(type) ? { "x-kubernetes-map-type": "atomic" } : {}),
    ...groupVersionKind(type, fields),
  };
}

/** Only kinds have `apiVersion`, `kind` and `metadata`. */
function groupVersionKind(type: string, fields: readonly Field[]): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  if (!["apiVersion", "kind", "metadata"].every((name) => names.has(name))) return {};
  const [short = "", kind = ""] = type.split(".");
  const group = short === "core" ? "" : KIND_GROUPS[short] ?? short;
  const version = `v${/\d$/.exec(short)?.[0] ?? 1}`;
  return { "x-kubernetes-group-version-kind": [{ group, version, kind }] };
}

function toProperty(type: string, field: Field, { prefix, describe }: SchemaStyle): JsonObject {
  const { shape, mergeKey, merges, retainsKeys, replaces, listType, listKeys, atomicMap } = field;
  const strategy = [merges ? "merge" : "", retainsKeys ? "retainKeys" : "", replaces ? "replace" : ""].filter(
    Boolean,
  );
  const about = describe(type, field.name);
  const extensions = {
    ...described(about),
    ...(listKeys === undefined ? {} : { "x-kubernetes-list-map-keys": listKeys }),
    ...(listType === undefined ? {} : { "x-kubernetes-list-type": listType }),
    ...(atomicMap ? { "x-kubernetes-map-type": "atomic" } : {}),
    ...(mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": mergeKey }),
    ...(strategy.length === 0 ? {} : { "x-kubernetes-patch-strategy": strategy.join(",") }),
  };
  const schema = toShape(shape, prefix, about.values);
  // Keywords beside a $ref do not count; beside an allOf, they do.
  if (Object.keys(extensions).length > 0 && schema.$ref !== undefined) {
    return { allOf: [schema], ...extensions };
  }
  return { ...schema, ...extensions };
}

function toShape(shape: Shape, prefix: string, values?: readonly string[]): JsonObject {
  switch (shape.kind) {
    case "scalar":
      return {
        type: shape.type,
        ...(shape.format === undefined ? {} : { format: shape.format }),
        ...(values === undefined ? {} : { enum: [...values] }),
      };
    case "list":
      return { type: "array", items: toShape(shape.of, prefix, values) };
    case "map":
      return { type: "object", additionalProperties: toShape(shape.of, prefix, values) };
    case "type":
      return { $ref: prefix + definitionName(shape.name) };
  }
}

function typesIn(shape: Shape): string[] {
  if (shape.kind === "type") return [shape.name];
  return shape.kind === "scalar" ? [] : typesIn(shape.of);
}

function customSchema(resource: ServedResource, { prefix, describe }: SchemaStyle): JsonObject {
  const { schema = {}, group, version, kind, selectable } = resource;
  const properties: JsonObject = {};
  for (const [key, value] of Object.entries(objectAt(schema, "properties") ?? {})) {
    setOwn(properties, key, value);
  }
  // Kubernetes' descriptions of these are the same for all kinds.
  const about = (field: string) => described(describe("core.ConfigMap", field));
  properties.apiVersion = { ...about("apiVersion"), type: "string" };
  properties.kind = { ...about("kind"), type: "string" };
  const reference = `${prefix}${definitionName("meta.ObjectMeta")}`;
  properties.metadata = { ...about("metadata"), allOf: [{ $ref: reference }] };
  return {
    ...schema,
    type: "object",
    properties,
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...(selectable.length === 0 ? {} : { [SELECTABLE]: selectable.map((fieldPath) => ({ fieldPath })) }),
  };
}
