/**
 * The losses that a new schema would bring to stored objects: the fields that it would drop, and the values that it would refuse.
 *
 * The API server drops fields that a schema does not know as soon as an object is written again, without a word. What
 * only validates is another matter: such objects stay as they are, and can be mended.
 */

import { getKey, isEqualJson, isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";

/** The differences between two schemas. */
export interface SchemaChanges {
  /** Sentences about data that would go. */
  readonly losses: readonly string[];
  /** Sentences about values that are refused from now on. */
  readonly refusals: readonly string[];
}

/** Compares the structural schemas of whole objects; undefined: anything goes. */
export function compareSchemas(before: JsonObject | undefined, after: JsonObject | undefined): SchemaChanges {
  const changes = { losses: [] as string[], refusals: [] as string[] };
  compare(before ?? {}, after ?? {}, { path: "", ...changes });
  return changes;
}

interface Comparison {
  readonly path: string;
  readonly losses: string[];
  readonly refusals: string[];
}

function compare(before: JsonObject, after: JsonObject, context: Comparison): void {
  const { path, losses } = context;
  const [old, now] = [typeOf(before), typeOf(after)];
  if (!isWider(old, now)) {
    losses.push(`${path}: ${describe(old)} becomes ${describe(now)}`);
    return;
  }
  if (now === "anything") return;
  if (before.nullable === true && after.nullable !== true) losses.push(`${path}: null is no longer kept`);
  compareChecks(before, after, context);
  if (now === "object") compareObjects(before, after, context);
  if (now === "array" && isObject(before.items) && isObject(after.items)) {
    compare(before.items, after.items, { ...context, path: `${path}[]` });
  }
}

function compareObjects(before: JsonObject, after: JsonObject, context: Comparison): void {
  const { path, losses } = context;
  if (keepsOthers(before) && !keepsOthers(after)) {
    losses.push(`${path || "the object"}: fields that are not named are no longer kept`);
  }
  const [old, now] = [before, after].map((node) => isObject(node.properties) ? node.properties : {});
  for (const [key, property] of Object.entries(old ?? {})) {
    if (path === "" && COMMON.includes(key)) continue;
    const at = path === "" ? key : `${path}.${key}`;
    const next = getKey(now ?? {}, key) ?? after.additionalProperties;
    if (isObject(next)) compare(isObject(property) ? property : {}, next, { ...context, path: at });
    else if (!keepsOthers(after)) losses.push(`${at}: the field has gone`);
  }
  const [values, nextValues] = [before.additionalProperties, after.additionalProperties];
  if (isObject(values) && isObject(nextValues)) {
    compare(values, nextValues, { ...context, path: `${path}[*]` });
  } else if (isObject(values) && !keepsOthers(after)) {
    losses.push(`${path}: a map becomes an object with named fields`);
  }
}

/** Kubernetes' own. */
const COMMON = ["apiVersion", "kind", "metadata"];

function keepsOthers(node: JsonObject): boolean {
  return node["x-kubernetes-preserve-unknown-fields"] === true || node.additionalProperties === true;
}

function typeOf(node: JsonObject): string {
  if (node["x-kubernetes-int-or-string"] === true) return "int-or-string";
  return typeof node.type === "string" ? node.type : "anything";
}

/** Whether all values of the old type are values of the new one. */
function isWider(old: string, now: string): boolean {
  if (old === now || now === "anything") return true;
  if (now === "int-or-string") return old === "integer" || old === "string";
  return old === "integer" && now === "number";
}

function describe(type: string): string {
  return type === "int-or-string" ? "integer or string" : type;
}

function compareChecks(before: JsonObject, after: JsonObject, { path, refusals }: Comparison): void {
  const at = path || "the object";
  const [old, now] = [before.enum, after.enum];
  if (Array.isArray(now) && !isEqualJson(old, now)) {
    const missing = Array.isArray(old)
      ? old.filter((value) => !now.some((each) => isEqualJson(each, value)))
      : undefined;
    if (missing === undefined) refusals.push(`${at}: only some values are allowed`);
    else if (missing.length > 0) {
      refusals.push(`${at}: ${missing.map((value) => formatJson(value)).join(", ")} go`);
    }
  }
  const [had, has] = [before.required, after.required].map((list) =>
    Array.isArray(list) ? list.map(String) : []
  );
  const properties = isObject(after.properties) ? after.properties : {};
  for (const key of has ?? []) {
    const field = getKey(properties, key);
    if (had?.includes(key) || (isObject(field) && Object.hasOwn(field, "default"))) continue;
    refusals.push(`${path === "" ? key : `${path}.${key}`}: it is required now`);
  }
  for (const [key, isTighter] of LIMITS) {
    const [was, is] = [before[key], after[key]];
    if (is !== undefined && !isEqualJson(is, was) && isTighter(was, is)) {
      refusals.push(`${at}: ${key} is ${formatJson(is)} now`);
    }
  }
}

const isNumber = (value: unknown): boolean => typeof value === "number" || typeof value === "bigint";
const isHigher = (was: unknown, is: unknown): boolean => !isNumber(was) || Number(is) > Number(was);
const isLower = (was: unknown, is: unknown): boolean => !isNumber(was) || Number(is) < Number(was);
const isOther = (): boolean => true;

const LIMITS: readonly (readonly [key: string, isTighter: (was: unknown, is: unknown) => boolean])[] = [
  ...["minimum", "minLength", "minItems", "minProperties"].map((key) => [key, isHigher] as const),
  ...["maximum", "maxLength", "maxItems", "maxProperties"].map((key) => [key, isLower] as const),
  ...["pattern", "format", "multipleOf"].map((key) => [key, isOther] as const),
];
