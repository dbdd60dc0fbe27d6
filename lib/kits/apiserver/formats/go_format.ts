/**
 * Values as Go prints them, because Kubernetes' messages are made of them: `%q`, `%v`, `%T` and `encoding/json`.
 */

import { formatJson as format } from "../../../runtime/json.ts";

/** Returns a text in quotes, as Go's `%q` does for printable text. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replace(/\\u00([0-9a-f]{2})/g, "\\x$1");
}

/** A value that knows how it is printed: one whose keys Go does not sort. */
export interface Printed {
  print(): string;
}

/** Returns a bad value as it stands in a message: numbers and booleans bare, texts in quotes, the rest as JSON. */
export function formatValue(value: unknown): string {
  if (isPrinted(value)) return value.print();
  return typeof value === "string" ? quoteText(value) : formatJson(value);
}

/** Returns JSON as Go's encoder writes it: keys sorted, and `<`, `>`, `&` escaped. */
export function formatJson(value: unknown): string {
  return formatPlain(sortKeys(value));
}

/** Returns the same with the keys in their order, as Go has it for fields. */
export function formatPlain(value: unknown): string {
  return format(value).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns a value of JSON as Go's `%v` prints it. */
export function printVerb(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(printVerb).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, member]) => `${key}:${printVerb(member)}`).join(" ")}]`;
}

/** Returns the type of a value of JSON as Go's `%T` prints it. */
export function printType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}

/** A struct of Go's, whose fields stand in their own order. */
export class PrintedStruct implements Printed {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  print(): string {
    return formatPlain(this.#fields);
  }
}

/** NB: by prototype, so that data with a key `print` is never called. */
function isPrinted(value: unknown): value is Printed {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !Object.hasOwn(value, "print") && "print" in value && typeof value.print === "function";
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // NB: fromEntries defines properties, so that a key named __proto__ stays data.
  return Object.fromEntries(members.map(([key, member]) => [key, sortKeys(member)]));
}
