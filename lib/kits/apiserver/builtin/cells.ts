/**
 * How cells of the built-in kinds' tables read an object. The columns themselves are recorded (`types/served.ts`).
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import { humanAge } from "../formats/human_duration.ts";
import { getOwn, isObject } from "../values.ts";

/** Reads one cell. */
export type Cell = (object: KubeObject, nowMs: number) => unknown;

/** Returns a row that begins with the name. */
export function row(...cells: readonly Cell[]): (object: KubeObject, nowMs: number) => unknown[] {
  return (object, nowMs) => [object.metadata.name, ...cells.map((cell) => cell(object, nowMs))];
}

/** Reads a text at a dotted path. */
export function textCell(path: string, otherwise = ""): Cell {
  return (object) => textAt(object, ...path.split(".")) || otherwise;
}

/** Reads a number at a dotted path; 0 without one. */
export function numberCell(path: string): Cell {
  return (object) => numberAt(object, ...path.split("."));
}

/** Reads any value at a dotted path. */
export function valueCell(path: string, otherwise: unknown): Cell {
  return (object) => at(object, ...path.split(".")) ?? otherwise;
}

/** Reads how many items the list at a dotted path has. */
export function countCell(path: string): Cell {
  return (object) => listAt(object, ...path.split(".")).length;
}

/** Reads the items of the list at a dotted path. */
export function itemsCell(path: string, otherwise = ""): Cell {
  return (object) => listAt(object, ...path.split(".")).join(",") || otherwise;
}

/** Reads the names, and the images, of the containers of a Pod's spec at a dotted path. */
export function containerCells(path: string): [Cell, Cell] {
  const list = (field: string): Cell => (object) =>
    listAt(object, ...path.split("."), "containers").map((one) => textAt(one, field)).join(",");
  return [list("name"), list("image")];
}

/** Reads a selector at a dotted path. */
export function selectorCell(path = "spec.selector"): Cell {
  return (object) => selectorText(at(object, ...path.split(".")));
}

/** Returns a row whose name says that the object is the default of its kind, if an annotation does. */
export function byDefault(annotation: string, ...cells: readonly Cell[]): ReturnType<typeof row> {
  const plain = row(...cells);
  return (object, nowMs) => {
    const [name, ...rest] = plain(object, nowMs);
    const isDefault = object.metadata.annotations?.[annotation] === "true";
    return [isDefault ? `${name} (default)` : name, ...rest];
  };
}

/** Returns the value at a path; undefined where there is none. */
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
