/**
 * Kubernetes' functions of quantities such as `100Mi` and `1.5`.
 *
 * Source: Kubernetes documentation, "Kubernetes quantity library". A quantity is a whole number of billionths.
 */

import type { Environment } from "@marcbachmann/cel-js";
import { readQuantity, UNIT } from "../../formats/quantity.ts";

class Quantity {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

function quantity(text: string): Quantity {
  const found = readQuantity(text);
  if (found !== undefined) return new Quantity(found.value);
  throw new SyntaxError(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

/** Adds them. */
export function addQuantityLibrary(environment: Environment): void {
  const type = "kubernetes.Quantity";
  environment.registerType(type, { ctor: Quantity });
  const add = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler);
  add(`quantity(string): ${type}`, quantity);
  add("isQuantity(string): bool", (text: string) => readQuantity(text) !== undefined);
  add(`${type}.add(${type}): ${type}`, (a: Quantity, b: Quantity) => new Quantity(a.value + b.value));
  add(`${type}.add(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.value + b * UNIT));
  add(`${type}.sub(${type}): ${type}`, (a: Quantity, b: Quantity) => new Quantity(a.value - b.value));
  add(`${type}.sub(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.value - b * UNIT));
  add(`${type}.isGreaterThan(${type}): bool`, (a: Quantity, b: Quantity) => a.value > b.value);
  add(`${type}.isLessThan(${type}): bool`, (a: Quantity, b: Quantity) => a.value < b.value);
  add(`${type}.compareTo(${type}): int`, (a: Quantity, b: Quantity) => sign(a.value - b.value));
  add(`${type}.sign(): int`, ({ value }: Quantity) => sign(value));
  add(`${type}.isInteger(): bool`, ({ value }: Quantity) => value % UNIT === 0n);
  add(`${type}.asInteger(): int`, ({ value }: Quantity) => {
    if (value % UNIT === 0n) return value / UNIT;
    throw new RangeError("cannot convert value to integer");
  });
  add(`${type}.asApproximateFloat(): double`, ({ value }: Quantity) => Number(value) / Number(UNIT));
  environment.registerOperator(`${type} == ${type}`, (a: Quantity, b: Quantity) => a.value === b.value);
}

function sign(value: bigint): bigint {
  return value > 0n ? 1n : value < 0n ? -1n : 0n;
}
