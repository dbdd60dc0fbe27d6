/**
 * The columns of the built-in kinds' tables, and how their cells read an object.
 */

import type { KubeObject } from "../../../model/object.ts";
import { humanAge } from "../formats/human_duration.ts";
import { getOwn, isObject } from "../values.ts";

/** A column of a table, as meta.k8s.io/v1 has it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority: number;
}

/** How a kind is shown. */
export interface KindTable {
  readonly columns: readonly Column[];
  /** Returns one cell per column. */
  cells(object: KubeObject, nowMs: number): unknown[];
  /** Returns the row's conditions: kubectl hides rows that are completed when asked to. */
  conditions?(object: KubeObject): unknown[] | undefined;
}

const NAME_SAYS =
  "Name must be unique within a namespace. Is required when creating resources, although some resources " +
  "may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for " +
  "creation idempotence and configuration definition. Cannot be updated. More info: " +
  "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const CREATED_SAYS =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is " +
  "not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is " +
  "represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: " +
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** The column that every table has. */
export const NAME: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: NAME_SAYS,
  priority: 0,
};

/** The age, for the kinds that print it themselves. */
export const AGE: Column = {
  name: "Age",
  type: "string",
  format: "",
  description: CREATED_SAYS,
  priority: 0,
};

/** The moment of creation: the column of kinds without a table of their own. */
export const CREATED_AT: Column = { ...AGE, name: "Created At", type: "date" };

/** Makes columns of texts like `Ready`, `Desired:integer`, `Node:string:wide`. */
export function columnsFrom(...names: readonly (string | Column)[]): Column[] {
  return names.map((name) => {
    if (typeof name !== "string") return name;
    const [title = "", type = "string", wide] = name.split(":");
    return { name: title, type, format: "", description: "", priority: wide === "wide" ? 1 : 0 };
  });
}

/** Returns what stands at a path; undefined where there is nothing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (isObject(found) ? getOwn(found, key) : undefined), value) ??
    undefined;
}

/** Returns the text at a path; "" where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string"
    ? found
    : typeof found === "number" || typeof found === "bigint"
    ? String(found)
    : "";
}

/** Returns the number at a path; 0 where there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === "number" ? found : 0;
}

/** Returns the list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Returns how many keys the object at a path has. */
export function sizeAt(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return isObject(found) ? Object.keys(found).length : 0;
}

/** Returns an object's age. */
export function ageOf(object: KubeObject, nowMs: number): string {
  return humanAge(object.metadata.creationTimestamp, nowMs);
}

/** Returns the condition of a type. */
export function conditionOf(object: unknown, type: string): unknown {
  return listAt(object, "status", "conditions").find((condition) => textAt(condition, "type") === type);
}

/** Returns labels as `a=1,b=2`; `<none>` without any. */
export function labelText(labels: unknown): string {
  const pairs = isObject(labels)
    ? Object.entries(labels).map(([key, value]) => `${key}=${value}`).sort()
    : [];
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}

/** Returns a label selector in one line, as kubectl would take it. */
export function selectorText(selector: unknown): string {
  const labels = at(selector, "matchLabels");
  const equal = isObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${value}`) : [];
  const expressions = listAt(selector, "matchExpressions").map((expression) => {
    const key = textAt(expression, "key");
    const values = listAt(expression, "values").map(String).sort().join(",");
    const operator = textAt(expression, "operator");
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} (${values})`;
  });
  const terms = [...equal, ...expressions].sort();
  return terms.length === 0 ? "<none>" : terms.join(",");
}

/** Returns the names and the images of containers. */
export function containersText(podSpec: unknown): [names: string, images: string] {
  const containers = listAt(podSpec, "containers");
  return [
    containers.map((container) => textAt(container, "name")).join(","),
    containers.map((container) => textAt(container, "image")).join(","),
  ];
}
