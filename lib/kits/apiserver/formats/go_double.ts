/**
 * Floating-point numbers as Go writes them.
 */

/** Returns a number as Go's `strconv.FormatFloat(x, 'g', -1, 64)`: with an exponent below -4, and from `from` on. */
export function formatDouble(value: number, from = 6): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  if (exponent >= -4 && exponent < from) return plain(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Returns a number without an exponent. */
export function plain(value: number): string {
  const text = String(value);
  const [, sign = "", digits = "", fraction = "", power] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ??
    [];
  if (power === undefined) return text;
  const exponent = Number(power);
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}${fraction}`;
  return `${sign}${digits}${fraction}${"0".repeat(exponent - fraction.length)}`;
}
