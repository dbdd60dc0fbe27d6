/**
 * Kubernetes' functions of quantities such as `100Mi` and `1.5`.
 *
 * Source: Kubernetes documentation, "Kubernetes quantity library". A quantity is a whole number of billionths.
 */

import type { Environment } from "@marcbachmann/cel-js";

const UNIT = 1_000_000_000n;
const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

class Quantity {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

function readQuantity(text: string): Quantity | undefined {
  const found = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([EPTGMK]i)|([numkMGTPE]?)|[eE]([+-]?\d{1,3}))$/.exec(text);
  if (found === null) return undefined;
  const [, sign, number = "", binary, decimal = "", exponent] = found;
  const [whole = "", fraction = ""] = number.split(".");
  const digits = BigInt(`${whole}${fraction}` || "0");
  const power = 9 - fraction.length + (exponent === undefined ? DECIMAL[decimal] ?? 0 : Number(exponent));
  const shifted = digits << (binary === undefined ? 0n : BINARY[binary] ?? 0n);
  const scale = 10n ** BigInt(Math.abs(power));
  // NB: what is smaller than a billionth is rounded up.
  const value = power >= 0 ? shifted * scale : (shifted + scale - 1n) / scale;
  return new Quantity(sign === "-" ? -value : value);
}

function quantity(text: string): Quantity {
  const found = readQuantity(text);
  if (found !== undefined) return found;
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
