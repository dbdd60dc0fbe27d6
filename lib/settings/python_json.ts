/**
 * JSON as Python writes it, byte for byte: `json.dumps(value, separators=(",", ":"))`, of what an API server sends.
 *
 * Two things differ from JavaScript's: all but ASCII is escaped, and small numbers look otherwise. Large ones do not: the API
 * server sends whole numbers below 1e21 with all their digits, which both then keep.
 */

/** Gives the JSON text of a JSON value. Members that are undefined are left out. */
export function toPythonJson(value: unknown): string {
  return write(value).replace(/[\x7f-\uffff]/g, escape);
}

function write(value: unknown): string {
  if (typeof value === "number") return formatNumber(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${write(each)}`).join(",")}}`;
}

/** Python takes the exponent from 1e-5 on downwards, and gives it two digits. */
function formatNumber(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  return isSmall ? value.toExponential().replace(/e-(\d)$/, "e-0$1") : JSON.stringify(value);
}

function escape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
