/**
 * Amounts such as `100Mi`, `1500m` and `2e3`: exact, and written as Kubernetes writes them.
 *
 * A quantity is a whole number of billionths, and the form in which it was given: sums keep the form of their first part.
 * Source: Kubernetes API reference, "Quantity"; k8s.io/apimachinery, pkg/api/resource/quantity.go.
 */

/** The way in which a quantity is written. */
export type QuantityFormat = "decimal" | "binary" | "exponent";

export interface Quantity {
  /** In billionths. */
  readonly value: bigint;
  readonly format: QuantityFormat;
}

export const ZERO: Quantity = { value: 0n, format: "decimal" };
/** How many billionths one is. */
export const UNIT = 1_000_000_000n;

/** Each stands for a thousand times the one before. */
const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const FORM = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([EPTGMK]i)|([numkMGTPE]?)|[eE]([+-]?\d{1,3}))$/;

/** Reads a quantity; undefined if the text is none. Parts smaller than a billionth are rounded up. */
export function readQuantity(text: string): Quantity | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [, sign, number = "", binary = "", decimal = "", exponent] = found;
  const [whole = "", fraction = ""] = number.split(".");
  const digits = BigInt(`${whole}${fraction}` || "0") << BigInt(10 * BINARY.indexOf(binary));
  const thousands = exponent === undefined ? 3 * (DECIMAL.indexOf(decimal) - 3) : Number(exponent);
  const power = 9 - fraction.length + thousands;
  const scale = 10n ** BigInt(Math.abs(power));
  const value = power >= 0 ? digits * scale : (digits + scale - 1n) / scale;
  const format = exponent !== undefined ? "exponent" : binary === "" ? "decimal" : "binary";
  return { value: sign === "-" ? -value : value, format };
}

/** Returns the shortest whole number with a unit that stands for the quantity. */
export function formatQuantity({ value, format }: Quantity): string {
  const isSmall = value > -1024n * UNIT && value < 1024n * UNIT;
  if (format === "binary" && !isSmall) return formatBinary(value);
  let [mantissa, power] = [value, 0];
  while (mantissa !== 0n && mantissa % 1000n === 0n) [mantissa, power] = [mantissa / 1000n, power + 1];
  if (mantissa === 0n) return "0";
  const exponent = 3 * (power - 3);
  const suffix = format === "exponent" ? undefined : DECIMAL[power];
  return `${mantissa}${suffix ?? (exponent === 0 ? "" : `e${exponent}`)}`;
}

/** Fractions are rounded away from zero. */
function formatBinary(value: bigint): string {
  const whole = roundUp(value, UNIT) / UNIT;
  let [mantissa, power] = [whole, 0];
  while (mantissa % 1024n === 0n && power < BINARY.length - 1) {
    [mantissa, power] = [mantissa / 1024n, power + 1];
  }
  return `${mantissa}${BINARY[power]}`;
}

function roundUp(value: bigint, step: bigint): bigint {
  const rest = value % step;
  if (rest === 0n) return value;
  return value - rest + (value < 0n ? -step : step);
}

/** Adds two; a sum is written as its first part, or as the second if that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { value: a.value + b.value, format: a.value === 0n ? b.format : a.format };
}

/** Returns the quantity as a list of resources keeps it: in whole thousandths, in its shortest form. */
export function tidyQuantity(text: string): string {
  const found = readQuantity(text);
  if (found === undefined) return text;
  return formatQuantity({ ...found, value: roundUp(found.value, UNIT / 1000n) });
}
