/**
 * The facts about a type that server-side apply must know: which values merge, and which are atomic.
 *
 * It comes from the tables of the built-in kinds or from the schema of a definition. Types refer to themselves
 * (JSONSchemaProps), so that the types below are made when they are asked for, and kept.
 * Source: Kubernetes documentation, "Server-Side Apply", "Merge strategy"; k8s.io/kube-openapi, pkg/schemaconv.
 */

import { isSet, own, type Schema, schemaEntries, subSchema } from "../schema/structural.ts";
import { type Field, fieldOf, fieldsOf, isAtomic, type Shape } from "../types/mod.ts";
import { isObject } from "../values.ts";

/** The forms that a value may have. Free-form values may have all three. */
export interface MergeType {
  readonly scalar?: "string" | "numeric" | "boolean" | "untyped";
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  /** An atomic list is one value; of the others, each item is. */
  readonly relation: "atomic" | "set" | "map";
  readonly keys: readonly ListKey[];
  items(): MergeType;
}

/** A field that identifies the items of a list of type map. */
export interface ListKey {
  readonly name: string;
  /** The value where an item leaves it out. */
  readonly fallback?: unknown;
}

export interface MapType {
  readonly atomic: boolean;
  /** The declared fields. */
  readonly fields: ReadonlyMap<string, () => MergeType>;
  /** Of all other keys; absent if there must not be any. */
  readonly rest?: () => MergeType;
}

/** One value, whatever it is. */
const UNTYPED: MergeType = {
  scalar: "untyped",
  list: { relation: "atomic", keys: [], items: () => UNTYPED },
  map: { atomic: true, fields: new Map(), rest: () => UNTYPED },
};

/** A value of an unknown type: maps merge, lists do not. */
export const DEDUCED: MergeType = {
  scalar: "untyped",
  list: { relation: "atomic", keys: [], items: () => UNTYPED },
  map: { atomic: false, fields: new Map(), rest: () => DEDUCED },
};

const SCALAR: MergeType = { scalar: "untyped" };

/** Types without fields of their own that are single values. */
const SINGLE = ["Quantity", "IntOrString", "meta.Time", "meta.MicroTime"];

/** Types of the built-in kinds, each made once. */
export class BuiltinTypes {
  readonly #made = new Map<string, MergeType>();

  /** Returns the type of that name, such as "core.Pod". */
  named(name: string): MergeType {
    let type = this.#made.get(name);
    if (type === undefined) this.#made.set(name, type = this.#make(name));
    return type;
  }

  #make(name: string): MergeType {
    if (name === "RawExtension") return { map: { atomic: true, fields: new Map(), rest: () => DEDUCED } };
    if (SINGLE.includes(name)) return SCALAR;
    const fields = fieldsOf(name);
    if (fields === undefined) return DEDUCED;
    return {
      map: {
        atomic: isAtomic(name),
        fields: new Map(fields.map((field) => [field.name, once(() => this.#ofMember(name, field))])),
      },
    };
  }

  /** NB: one field's type is a single value everywhere else. Source: k8s.io/api, core/v1/types.go, `+structType=granular`. */
  #ofMember(name: string, field: Field): MergeType {
    const type = this.#ofField(field);
    const isGranular = name === "core.PersistentVolumeSpec" && field.name === "claimRef";
    return isGranular && type.map !== undefined ? { map: { ...type.map, atomic: false } } : type;
  }

  #ofField({ shape, atomicMap, listType = "atomic", listKeys = [] }: Field): MergeType {
    const type = this.#ofShape(shape);
    if (type.list !== undefined && shape.kind === "list") {
      const items = shape.of.kind === "type" ? shape.of.name : undefined;
      const keys = listKeys.map((name) => builtinKey(name, items));
      return { list: { ...type.list, relation: listType, keys } };
    }
    return atomicMap && type.map !== undefined ? { map: { ...type.map, atomic: true } } : type;
  }

  #ofShape(shape: Shape): MergeType {
    switch (shape.kind) {
      case "scalar":
        return { scalar: scalarOf(shape.type) };
      case "list":
        return { list: { relation: "atomic", keys: [], items: once(() => this.#ofShape(shape.of)) } };
      case "map":
        return { map: { atomic: false, fields: new Map(), rest: once(() => this.#ofShape(shape.of)) } };
      case "type":
        return this.named(shape.name);
    }
  }
}

/** NB: the real server's schemas give required fields their zero value as a default, and the names of references, too. */
function builtinKey(name: string, type: string | undefined): ListKey {
  if (name === "protocol") return { name, fallback: "TCP" };
  const field = type === undefined ? undefined : fieldOf(type, name);
  const isFilled = field?.required === true || type === "core.LocalObjectReference";
  if (!isFilled || field?.shape.kind !== "scalar") return { name };
  return { name, fallback: field.shape.type === "string" ? "" : 0 };
}

/** Returns the type of a custom kind's objects. */
export function customType(schema: Schema | undefined, builtin: BuiltinTypes): MergeType {
  const type = schema === undefined ? DEDUCED : schemaType(schema, false);
  const fields = new Map(type.map?.fields ?? []);
  fields.set("apiVersion", () => ({ scalar: "string" })).set("kind", () => ({ scalar: "string" }));
  fields.set("metadata", () => builtin.named("meta.ObjectMeta"));
  return { map: { ...type.map, atomic: false, fields } };
}

function schemaType(schema: Schema, preserves: boolean): MergeType {
  const keeps = preserves || isSet(schema, "x-kubernetes-preserve-unknown-fields");
  const type = own(schema, "type");
  switch (type) {
    case "object":
      return { map: mapType(schema, keeps) };
    case "array":
      return { list: listType(schema, keeps) };
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return { scalar: scalarOf(type) };
    default:
      return { scalar: "untyped", list: listType(schema, keeps), map: mapType(schema, keeps) };
  }
}

function mapType(schema: Schema, keeps: boolean): MapType {
  const fields = new Map<string, () => MergeType>();
  if (isSet(schema, "x-kubernetes-embedded-resource")) {
    for (const name of ["apiVersion", "kind"]) fields.set(name, () => SCALAR);
    fields.set("metadata", () => DEDUCED);
  }
  for (const [name, child] of schemaEntries(schema, "properties")) {
    fields.set(name, once(() => schemaType(child, keeps)));
  }
  const atomic = own(schema, "x-kubernetes-map-type") === "atomic";
  const additional = own(schema, "additionalProperties");
  if (isObject(additional)) return { atomic, fields, rest: once(() => schemaType(additional, keeps)) };
  const isFree = additional === true || (additional === undefined && (keeps || fields.size === 0));
  return { atomic, fields, ...(isFree ? { rest: () => DEDUCED } : {}) };
}

function listType(schema: Schema, keeps: boolean): ListType {
  const items = subSchema(schema, "items");
  const type = own(schema, "x-kubernetes-list-type");
  const names = own(schema, "x-kubernetes-list-map-keys");
  return {
    relation: type === "set" || type === "map" ? type : "atomic",
    keys: (Array.isArray(names) ? names : []).map((name) => keyOf(String(name), items)),
    items: once(() => items === undefined ? UNTYPED : schemaType(items, keeps)),
  };
}

function keyOf(name: string, items: Schema | undefined): ListKey {
  const fallback = own(subSchema(subSchema(items, "properties"), name), "default");
  return fallback === undefined ? { name } : { name, fallback };
}

function scalarOf(type: string): MergeType["scalar"] {
  if (type === "string" || type === "boolean") return type;
  return "numeric";
}

/** Makes a value when it is asked for, and then keeps it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
