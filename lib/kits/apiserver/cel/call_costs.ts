/**
 * The costs of calls: one unit is a simple step, and whatever walks through a list or a text costs by its size.
 *
 * Source: cel-go, interpreter/runtimecost.go; k8s.io/apiserver, pkg/cel/library/cost.go.
 */

import type { Type } from "./type.ts";

/** The largest number there: sums and products that exceed it stay at it. */
export const MAX = 2 ** 64 - 1;
export const TEXT = 0.1;
const PATTERN = 0.25;
export const LIST = 10;
export const MAP = 30;
export const STRUCT = 40;
/** The longest pattern of a named format. */
const FORMAT = 128;

export function capped(number: number): number {
  return number >= MAX || Number.isNaN(number) ? MAX : number;
}

/** The cost of walking through a text. */
export function walk(size: number, factor = TEXT): number {
  return capped(Math.ceil(size * factor));
}

/** The cost of a function that depends only on the sizes of its arguments. */
export function simpleCost(
  name: string,
  [a, b]: readonly [number, number],
  [kind, other]: readonly (Type["kind"] | undefined)[],
): { readonly cost: number; readonly size?: number } {
  switch (name) {
    case "check":
      return { cost: 350_000 };
    case "fieldSelector":
    case "labelSelector":
      return { cost: capped(LIST + walk(b) + walk(walk(b, 0.5), LIST + STRUCT)) };
    case "startsWith":
    case "endsWith":
      return { cost: walk(b) };
    case "contains":
      return kind === "string" ? { cost: capped(walk(a) * walk(b)) } : { cost: 1 };
    case "matches":
    case "find":
    case "findAll": {
      const cost = capped(walk(a + 1) * walk(b, PATTERN));
      return name === "matches" ? { cost } : { cost, size: a };
    }
    case "validate":
      return { cost: walk(walk(b), FORMAT * PATTERN) };
    case "@in":
      return { cost: other === "map" ? 1 : b };
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "url":
    case "jsonpatch.escapeKey":
      return { cost: walk(a), size: a };
    case "ip":
    case "isIP":
    case "cidr":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
    case "format":
      return { cost: kind === "string" ? walk(a) : 1 };
    case "ip.isCanonical":
      return { cost: walk(a, 2 * TEXT) };
    case "bytes":
      return kind === "string" ? { cost: walk(a), size: capped(a * 4) } : { cost: 1 };
    case "string":
      return kind === "bytes" ? { cost: walk(a), size: a } : { cost: 1 };
    case "strings.quote":
      return { cost: walk(a), size: capped(a * 2 + 2) };
    case "containsIP":
      return { cost: 4 + (other === "string" ? walk(b) : 0) };
    case "containsCIDR":
      return { cost: 7 + (other === "string" ? walk(b) : 0) };
    case "reverse":
      return { cost: capped(a + 1 + LIST), size: a };
    case "distinct":
      return { cost: capped(capped(2 * a * a) + 1 + LIST), size: capped(a * a) };
    case "sets.contains":
    case "sets.intersects":
      return { cost: capped(a * b + 1) };
    case "sets.equivalent":
      return { cost: capped(2 * a * b + 1) };
    default:
      return { cost: 1 };
  }
}

/** The size of a value, as costs count it. */
function sizeOfValue(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return value instanceof Map ? value.size : 1;
}

function kindOfValue(value: unknown): Type["kind"] | undefined {
  if (typeof value === "string") return "string";
  if (value instanceof Uint8Array) return "bytes";
  return Array.isArray(value) ? "list" : value instanceof Map ? "map" : "dyn";
}

/** Returns the function that gives the cost of one call, by its arguments and its result. */
export function actualCost(name: string): (values: readonly unknown[], result: unknown) => number {
  switch (name) {
    case "_[_]":
    case "size":
    case "_-_":
    case "!_":
      return () => 1;
    case "_==_":
    case "_!=_":
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return ([a, b]) =>
        typeof a === "object" || typeof a === "string" ? walk(Math.min(sizeOfValue(a), sizeOfValue(b))) : 1;
    case "_+_":
      return ([a], result) =>
        typeof a === "string" || a instanceof Uint8Array ? walk(sizeOfValue(result)) : 1;
    case "@in":
      return ([, list]) => Array.isArray(list) ? list.length : 1;
    case "join":
      return (_values, result) => walk(sizeOfValue(result), 2 * TEXT);
    case "split":
    case "replace":
      return ([text]) => walk(sizeOfValue(text), 2 * TEXT);
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return ([list]) => traversal(list);
    case "slice":
    case "lists.range":
      return (_values, result) => sizeOfValue(result) + 1 + LIST;
    case "flatten":
      return ([list, depth]) =>
        sizeOfValue(list) * (typeof depth === "bigint" ? Number(depth) : 1) + 1 + LIST;
    case "sort":
    case "@sortByAssociatedKeys":
      return (values) => {
        const keys = values.at(-1);
        const isText = Array.isArray(keys) && typeof keys[0] === "string";
        return Math.trunc(sizeOfValue(keys) ** 2 * (isText ? 2 + TEXT : 2)) + 1 + LIST;
      };
    default:
      return (values) => {
        const [a, b] = [sizeOfValue(values[0]), sizeOfValue(values[1])];
        return simpleCost(name, [a, b], values.map(kindOfValue)).cost;
      };
  }
}

function traversal(value: unknown): number {
  if (typeof value === "string" || value instanceof Uint8Array) return Math.floor(value.length * TEXT);
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + traversal(item), 0);
  if (value instanceof Map) {
    let sum = 0;
    for (const [key, item] of value) sum += traversal(key) + traversal(item);
    return sum;
  }
  return 1;
}
