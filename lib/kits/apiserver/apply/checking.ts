/**
 * Whether an applied configuration fits its type, and Kubernetes' words if it does not.
 *
 * Source: sigs.k8s.io/structured-merge-diff, typed/validate.go.
 */

import { formatJson } from "../../../runtime/json.ts";
import { isObject } from "../values.ts";
import { elementText, fieldElement, itemElement } from "./elements.ts";
import type { ListType, MapType, MergeType } from "./merge_type.ts";

/** Returns all faults of a value in one text; undefined if it fits its type. */
export function typeFaults(value: unknown, type: MergeType): string | undefined {
  const faults = check(value, type);
  if (faults.length < 2) return faults[0];
  return ["errors:", ...faults.map((fault) => `  ${fault}`)].join("\n");
}

/** Faults begin with where they are. */
function check(value: unknown, type: MergeType): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value) && type.list !== undefined) return checkItems(value, type.list);
  if (isObject(value) && type.map !== undefined) return checkKeys(value, type.map);
  if (typeof value !== "object" && type.scalar !== undefined) return checkScalar(value, type.scalar);
  if (type.map !== undefined) return [`: expected map, got &{${shown(value)}}`];
  if (type.scalar !== undefined) return checkScalar(value, type.scalar);
  return [`: expected list, got &{${shown(value)}}`];
}

function checkKeys(value: Readonly<Record<string, unknown>>, type: MapType): string[] {
  for (const key of Object.keys(value)) {
    // NB: the real server stops at the first key that it does not know.
    if (!type.fields.has(key) && type.rest === undefined) return [`.${key}: field not declared in schema`];
  }
  return Object.keys(value).flatMap((key) => {
    const child = (type.fields.get(key) ?? type.rest)?.();
    return child === undefined ? [] : at(elementText(fieldElement(key)), check(value[key], child));
  });
}

function checkItems(items: readonly unknown[], type: ListType): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const [index, item] of items.entries()) {
    let name = `[${index}]`;
    if (type.relation !== "atomic") {
      try {
        const element = itemElement(item, type);
        name = elementText(element);
        if (seen.has(element)) faults.push(`: duplicate entries for key ${name}`);
        seen.add(element);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        return [...faults, `: element ${index}: ${error.message}`];
      }
    }
    faults.push(...at(name, check(item, type.items())));
  }
  return faults;
}

function at(place: string, faults: readonly string[]): string[] {
  return faults.map((fault) => place + fault);
}

function checkScalar(value: unknown, type: NonNullable<MergeType["scalar"]>): string[] {
  switch (type) {
    case "string":
      return typeof value === "string"
        ? []
        : [`: expected string, got &value.valueUnstructured{Value:${goValue(value)}}`];
    case "numeric":
      return typeof value === "number" || typeof value === "bigint"
        ? []
        : [`: expected numeric (int or float), got ${goType(value)}`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`: expected boolean, got &{${shown(value)}}`];
    case "untyped":
      return typeof value === "object" ? [`: expected any scalar, got &{${shown(value)}}`] : [];
  }
}

/** As Go's %v writes it. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(" ")}]`;
  if (isObject(value)) {
    return `map[${Object.keys(value).sort().map((key) => `${key}:${shown(value[key])}`).join(" ")}]`;
  }
  return value === null ? "<nil>" : String(value);
}

/** As Go's %#v writes it. */
function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goValue).join(", ")}}`;
  if (isObject(value)) {
    const pairs = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${goValue(value[key])}`);
    return `map[string]interface {}{${pairs.join(", ")}}`;
  }
  return value === null ? "interface {}(nil)" : formatJson(value);
}

/** Returns the type that a value of JSON has in Go, as messages name it. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (value === null) return "<nil>";
  return typeof value === "boolean" ? "bool" : typeof value;
}
