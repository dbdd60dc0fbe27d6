/**
 * Lists of resources: amounts by their names. Source: k8s.io/apiserver, pkg/quota/v1/resources.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import {
  addQuantities,
  formatQuantity,
  type Quantity,
  readQuantity,
  UNIT,
  ZERO,
} from "../formats/quantity.ts";
import { isObject, setOwn } from "../values.ts";

/** Quantities by the names of their resources, such as "requests.cpu". */
export type Amounts = ReadonlyMap<string, Quantity>;

export const NOTHING: Amounts = new Map();
export const ONE: Quantity = { value: UNIT, format: "decimal" };

/** Reads a list of resources; values that are no quantities are left out. */
export function readAmounts(value: unknown): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of isObject(value) ? Object.entries(value) : []) {
    const quantity = readQuantity(String(text));
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** Returns the list as JSON. */
export function writeAmounts(amounts: Amounts): JsonObject {
  const written: JsonObject = {};
  for (const [name, quantity] of amounts) setOwn(written, name, formatQuantity(quantity));
  return written;
}

/** Returns the list as messages show it: sorted, such as "cpu=1,memory=2Gi". */
export function showAmounts(amounts: Amounts): string {
  return [...amounts].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, quantity]) => `${name}=${formatQuantity(quantity)}`).join(",");
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, quantity] of b) {
    const former = sum.get(name);
    sum.set(name, former === undefined ? quantity : addQuantities(former, quantity));
  }
  return sum;
}

/** Returns the larger of each. */
export function largerAmounts(a: Amounts, b: Amounts): Amounts {
  const larger = new Map(a);
  for (const [name, quantity] of b) {
    const other = larger.get(name);
    if (other === undefined || quantity.value > other.value) larger.set(name, quantity);
  }
  return larger;
}

/** Returns by how much the first are larger than the second; 0 where they are not. */
export function moreThan(a: Amounts, b: Amounts): Amounts {
  const more = new Map<string, Quantity>();
  for (const [name, quantity] of a) {
    const value = quantity.value - (b.get(name)?.value ?? 0n);
    more.set(name, value > 0n ? { ...quantity, value } : ZERO);
  }
  return more;
}

/** Returns the amounts that a test lets through. */
export function pickAmounts(
  amounts: Amounts,
  isMeant: (name: string, quantity: Quantity) => boolean,
): Amounts {
  return new Map([...amounts].filter(([name, quantity]) => isMeant(name, quantity)));
}

export function equalAmounts(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([name, { value }]) => b.get(name)?.value === value);
}
