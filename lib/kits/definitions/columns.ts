/** Columns, the scale subresource and selectable fields of a definition: paths, held against the schema. */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { ColumnOptions, ScaleOptions } from "../../registry/schemas.ts";
import { nodeAt } from "../../engines/definitions/nodes.ts";

export interface ColumnsContext {
  /** The structural schema of whole objects. */
  readonly schema: JsonObject;
  readonly complain: (path: string, reason: string) => void;
}

/** Makes `additionalPrinterColumns`, in the given order. */
export function toColumns(
  columns: Readonly<Record<string, string | ColumnOptions>>,
  { schema, complain }: ColumnsContext,
): JsonObject[] {
  return Object.entries(columns).map(([name, given]) => {
    const column = typeof given === "string" ? { path: given } : given;
    const { path, format, description, priority } = column;
    const found = isPlain(path) ? nodeAt(schema, keysOf(path)) : "anything";
    if (found === undefined) complain(`columns.${name}`, `"${path}" is not in the schema`);
    return {
      name,
      type: column.type ?? typeOf(path, found),
      jsonPath: toJsonPath(path),
      ...format !== undefined && { format },
      ...description !== undefined && { description },
      ...priority !== undefined && { priority },
    };
  });
}

/** Makes `subresources.scale`. */
export function toScale({ spec, status, selector }: ScaleOptions, context: ColumnsContext): JsonObject {
  const paths = { spec, status, ...selector !== undefined && { selector } };
  for (const [key, path] of Object.entries(paths)) {
    const wanted = key === "selector" ? "string" : "integer";
    checkType(path, { ...context, at: `scale.${key}`, wanted: [wanted] });
  }
  return {
    specReplicasPath: toJsonPath(spec),
    statusReplicasPath: toJsonPath(status),
    ...selector !== undefined && { labelSelectorPath: toJsonPath(selector) },
  };
}

/** Makes `selectableFields`. */
export function toSelectable(paths: readonly string[], context: ColumnsContext): JsonObject[] {
  return paths.map((path, index) => {
    checkType(path, { ...context, at: `selectable[${index}]`, wanted: ["string", "integer", "boolean"] });
    return { jsonPath: toJsonPath(path) };
  });
}

function checkType(
  path: string,
  { schema, complain, at, wanted }: ColumnsContext & {
    readonly at: string;
    readonly wanted: readonly string[];
  },
): void {
  const found = nodeAt(schema, keysOf(path));
  if (found === undefined) return complain(at, `"${path}" is not in the schema`);
  const type = isObject(found) ? found.type : undefined;
  if (typeof type === "string" && wanted.includes(type)) return;
  complain(at, `"${path}" is ${type ?? "anything"} in the schema, and must be ${wanted.join(", ")}`);
}

/** A dotted path, and not a JSONPath with brackets or escapes. */
function isPlain(path: string): boolean {
  return /^\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(path);
}

function keysOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

function toJsonPath(path: string): string {
  return path.startsWith(".") ? path : `.${path}`;
}

/** NB: the API server prints a date as the time that has passed since. */
function typeOf(path: string, found: JsonObject | "anything" | undefined): string {
  if (/^\.?metadata\.(creation|deletion)Timestamp$/.test(path)) return "date";
  if (!isObject(found)) return "string";
  const { type, format } = found;
  if (type === "string") return format === "date-time" ? "date" : "string";
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}
