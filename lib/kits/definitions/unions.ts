/**
 * Unions in structural schemas: one type outside that fits all branches, and branches that only validate.
 *
 * A field that only one branch has is said outside, once. A field that several have and say differently is said there as far
 * as they agree, and in each branch as far as they do not.
 */

import { isEmptyObject, isEqualJson, isObject, setKey } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Complain } from "./flatten.ts";

export interface MergeOptions {
  readonly junctor: "anyOf" | "oneOf";
  readonly path: string;
  readonly complain: Complain;
}

/** Makes one structural node of the nodes of a union's branches. */
export function mergeBranches(branches: readonly JsonObject[], options: MergeOptions): JsonObject {
  const { path, complain } = options;
  const [first = {}] = branches;
  if (branches.every((branch) => isEqualJson(branch, first))) return first;
  const isNullable = branches.some((branch) => branch.nullable === true);
  const nullable = isNullable ? { nullable: true } : {};
  if (branches.some(isAny)) return { "x-kubernetes-preserve-unknown-fields": true, ...nullable };
  const types = new Set(branches.map(typeOf));
  if (types.has("int-or-string") || (types.has("string") && (types.has("integer") || types.has("number")))) {
    return mergeIntOrString(branches, options);
  }
  if (types.size === 2 && types.has("integer") && types.has("number")) {
    return mergeSame(branches.map((branch) => ({ ...branch, type: "number" })), options);
  }
  if (types.size > 1) {
    const names = [...types].map((type) => NAMES[type] ?? type).join(" or ");
    complain(path, `it may be ${names}: a field has one type (take an object with a field for each)`);
    return { "x-kubernetes-preserve-unknown-fields": true };
  }
  return { ...mergeSame(branches, options), ...nullable };
}

const NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "a text",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
};

function typeOf(node: JsonObject): string {
  return node["x-kubernetes-int-or-string"] === true ? "int-or-string" : String(node.type);
}

function isAny(node: JsonObject): boolean {
  return node.type === undefined && node["x-kubernetes-preserve-unknown-fields"] === true;
}

/** Limits of numbers do not hold for texts, nor the other way round, so that all of them can stand side by side. */
function mergeIntOrString(branches: readonly JsonObject[], { path, complain }: MergeOptions): JsonObject {
  const merged: JsonObject = { "x-kubernetes-int-or-string": true };
  const others = branches.filter((branch) =>
    !["integer", "string", "int-or-string"].includes(typeOf(branch))
  );
  if (others.length > 0) {
    complain(path, "it may be a text or something else than an integer: only integers and texts go together");
  }
  for (const branch of branches) {
    for (const [key, value] of Object.entries(branch)) {
      if (key === "type" || key === "title" || key === "description") continue;
      if (key === "enum" || (Object.hasOwn(merged, key) && !isEqualJson(merged[key], value))) {
        complain(path, `an integer or a text cannot be limited by "${key}" in one branch`);
      } else merged[key] = value;
    }
  }
  return merged;
}

function mergeSame(branches: readonly JsonObject[], options: MergeOptions): JsonObject {
  const [first = {}] = branches;
  const outer: JsonObject = { type: first.type };
  if (branches.every((branch) => Array.isArray(branch.enum))) {
    outer.enum = [...new Set(branches.flatMap((branch) => branch.enum as unknown[]))]; // All are lists, as asked above.
    if (branches.every((branch) => hasOnly(branch, ["type", "enum", "title", "description"]))) return outer;
  }
  if (first.type === "object") mergeObjects(branches, { outer, ...options });
  if (first.type === "array") mergeItems(branches, { outer, ...options });
  const conditions = branches.map((branch) => conditionOf(branch, outer));
  // A branch without conditions is met by everything that has the type.
  if (!conditions.some(isEmptyObject)) outer[options.junctor] = conditions;
  return outer;
}

interface MergeInto extends MergeOptions {
  readonly outer: JsonObject;
}

function mergeObjects(branches: readonly JsonObject[], { outer, junctor, path, complain }: MergeInto): void {
  const variants = new Map<string, JsonObject[]>();
  for (const branch of branches) {
    for (const [key, node] of Object.entries(isObject(branch.properties) ? branch.properties : {})) {
      if (isObject(node)) variants.set(key, [...variants.get(key) ?? [], node]);
    }
  }
  const properties: JsonObject = {};
  for (const [key, nodes] of variants) {
    const at = `${path}.${key}`;
    const merged = mergeBranches(nodes, { junctor: "anyOf", path: at, complain });
    if (nodes.length < branches.length && nodes.some((node) => Object.hasOwn(node, "default"))) {
      complain(at, "its default would be filled in whichever branch of the union is meant");
    }
    setKey(properties, key, merged);
  }
  if (variants.size > 0) outer.properties = properties;
  const maps = branches.map((branch) => branch.additionalProperties).filter(isObject);
  if (maps.length > 0 && (maps.length < branches.length || variants.size > 0)) {
    complain(path, "it may be a map or an object with named fields: only one of them is possible");
  } else if (maps.length > 0) {
    outer.additionalProperties = mergeBranches(maps, { junctor, path: `${path}[*]`, complain });
  }
  if (branches.some((branch) => branch["x-kubernetes-preserve-unknown-fields"] === true)) {
    outer["x-kubernetes-preserve-unknown-fields"] = true;
  }
  const [first = [], ...others] = branches.map(requiredOf);
  const required = first.filter((key) => others.every((other) => other.includes(key)));
  if (required.length > 0) outer.required = required;
}

function mergeItems(branches: readonly JsonObject[], { outer, junctor, path, complain }: MergeInto): void {
  const items = branches.map((branch) => isObject(branch.items) ? branch.items : {});
  // NB: a list of either, where the union said either list; the branches say the rest.
  outer.items = mergeBranches(items, {
    junctor: junctor === "oneOf" ? "anyOf" : junctor,
    path: `${path}[]`,
    complain,
  });
}

/** Returns the conditions of a branch: its type is said outside. */
function conditionOf(branch: JsonObject, outer: JsonObject): JsonObject {
  const condition: JsonObject = {};
  for (const [key, value] of Object.entries(branch)) {
    if (NO_CONDITIONS.has(key) || key.startsWith("x-kubernetes-")) continue;
    if (key === "required") {
      const required = requiredOf(branch).filter((name) => !requiredOf(outer).includes(name));
      if (required.length > 0) condition.required = required;
    } else if (key === "properties") {
      const properties = conditionsOf(branch, outer);
      if (!isEmptyObject(properties)) condition.properties = properties;
    } else if (key === "items") {
      const items = isObject(value) ? conditionOf(value, isObject(outer.items) ? outer.items : {}) : {};
      if (!isEmptyObject(items)) condition.items = items;
    } else if (!isEqualJson(value, outer[key])) condition[key] = value;
  }
  return condition;
}

function conditionsOf(branch: JsonObject, outer: JsonObject): JsonObject {
  const conditions: JsonObject = {};
  const around = isObject(outer.properties) ? outer.properties : {};
  for (const [key, node] of Object.entries(isObject(branch.properties) ? branch.properties : {})) {
    const outside = around[key];
    if (!isObject(node) || isEqualJson(node, outside)) continue;
    const condition = conditionOf(node, isObject(outside) ? outside : {});
    if (!isEmptyObject(condition)) setKey(conditions, key, condition);
  }
  return conditions;
}

const NO_CONDITIONS = new Set([
  "type",
  "title",
  "description",
  "default",
  "nullable",
  "additionalProperties",
]);

function requiredOf(node: JsonObject): readonly unknown[] {
  return Array.isArray(node.required) ? node.required : [];
}

function hasOnly(node: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(node).every((key) => keys.includes(key));
}
