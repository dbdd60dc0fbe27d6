/**
 * Kubernetes' functions of quantities such as `100Mi` and `1.5`.
 *
 * Source: Kubernetes documentation, "Kubernetes quantity library". A quantity is a whole number of billionths.
 */

import type { Environment } from "../environment.ts";
import { readQuantity, UNIT } from "../../formats/quantity.ts";
import { Failure, type LibraryValue } from "../values.ts";

class Quantity implements LibraryValue {
  static readonly TYPE = "kubernetes.Quantity";
  readonly typeName = Quantity.TYPE;
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }

  equals(other: unknown): boolean {
    return other instanceof Quantity && other.value === this.value;
  }
}

function quantity(text: string): Quantity {
  const found = readQuantity(text);
  if (found !== undefined) return new Quantity(found.value);
  throw new Failure(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

/** Adds them. */
export function addQuantityLibrary(environment: Environment): void {
  const type = Quantity.TYPE;
  environment.object(type, new Map());
  environment.function(`quantity(string): ${type}`, quantity);
  environment.function("isQuantity(string): bool", (text: string) => readQuantity(text) !== undefined);
  // NB: the real server declares this one as a function.
  environment.function(`sign(${type}): int`, ({ value }: Quantity) => sign(value));
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.member(signature, call);
  add(`${type}.add(${type}): ${type}`, (a: Quantity, b: Quantity) => new Quantity(a.value + b.value));
  add(`${type}.add(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.value + b * UNIT));
  add(`${type}.sub(${type}): ${type}`, (a: Quantity, b: Quantity) => new Quantity(a.value - b.value));
  add(`${type}.sub(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.value - b * UNIT));
  add(`${type}.isGreaterThan(${type}): bool`, (a: Quantity, b: Quantity) => a.value > b.value);
  add(`${type}.isLessThan(${type}): bool`, (a: Quantity, b: Quantity) => a.value < b.value);
  add(`${type}.compareTo(${type}): int`, (a: Quantity, b: Quantity) => sign(a.value - b.value));
  add(`${type}.isInteger(): bool`, ({ value }: Quantity) => value % UNIT === 0n);
  add(`${type}.asInteger(): int`, ({ value }: Quantity) => {
    if (value % UNIT === 0n) return value / UNIT;
    throw new Failure("cannot convert value to integer");
  });
  add(`${type}.asApproximateFloat(): double`, ({ value }: Quantity) => Number(value) / Number(UNIT));
}

function sign(value: bigint): bigint {
  return value > 0n ? 1n : value < 0n ? -1n : 0n;
}
