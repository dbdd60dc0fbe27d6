/**
 * The tables that `kubectl get` shows: meta.k8s.io/v1 Table.
 *
 * The built-in kinds have the columns of the real API server, custom kinds the columns of their definition. Ages are texts,
 * because the server, not kubectl, knows the time.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import { ageOf, numberCell, row } from "./builtin/cells.ts";
import { formatJson } from "./formats/go_format.ts";
import { humanAge } from "./formats/human_duration.ts";
import { compileJsonPath } from "./formats/jsonpath.ts";
import type { Kind, KindRules } from "./kinds.ts";
import { type Column, columnsOf, type PrinterColumn } from "./types/served.ts";

export type { PrinterColumn } from "./types/served.ts";

/** The facts besides the objects that toTable() must know. */
export interface TableOptions {
  readonly kind: Pick<Kind, "apiVersion" | "plural" | "rules">;
  /** The subresource that is shown, if it is a scale. */
  readonly subresource?: "scale";
  /** The CRD version's printer columns; present (if only as an empty list) for custom kinds. */
  readonly columns?: readonly PrinterColumn[];
  /** The form in which each row carries its object. Default: "Metadata". */
  readonly includeObject?: "None" | "Metadata" | "Object";
  /** The version that the client knows. Default: "v1". */
  readonly version?: "v1" | "v1beta1";
  /** The list's `metadata` (resourceVersion, continue, remainingItemCount); an object's own version for one object. */
  readonly listMetadata?: JsonObject;
  /** The current time in milliseconds since 1970, for ages. */
  readonly nowMs: number;
  /** Leaves the column definitions out, as a watch does after its first event. Default: false. */
  readonly noHeaders?: boolean;
}

/** Returns a meta.k8s.io/v1 Table of the objects. */
export function toTable(objects: readonly KubeObject[], options: TableOptions): JsonObject {
  const { includeObject = "Metadata", version = "v1", listMetadata = {}, nowMs, noHeaders = false } = options;
  const table = tableOf(options);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetadata.continue === "" ? { ...listMetadata, continue: undefined } : listMetadata,
    columnDefinitions: noHeaders ? null : table.columns,
    rows: objects.map((object) => {
      const conditions = table.conditions?.(object);
      return {
        cells: table.cells(object, nowMs),
        ...(conditions === undefined ? {} : { conditions }),
        object: includeObject === "None"
          ? null
          : includeObject === "Object"
          ? object
          : metadataOf(object, version),
      };
    }),
  };
}

function metadataOf({ metadata }: KubeObject, version: "v1" | "v1beta1"): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** The columns, and how rows read an object. */
interface KindTable extends Pick<KindRules, "conditions"> {
  readonly columns: readonly Column[];
  cells(object: KubeObject, nowMs: number): unknown[];
}

function tableOf({ kind: { apiVersion, plural, rules }, columns, subresource }: TableOptions): KindTable {
  const [name, ...others] = columnsOf("v1/serviceaccounts") ?? [];
  const age = others.at(-1);
  if (name === undefined || age === undefined) throw new TypeError("No columns were recorded");
  if (subresource === "scale") return scaleTable(name, age);
  if (columns !== undefined) return customTable(columns, { name, age });
  const { cells = plainCells, conditions } = rules;
  return { columns: columnsOf(`${apiVersion}/${plural}`) ?? [name, age], cells, conditions };
}

function scaleTable(name: Column, age: Column): KindTable {
  const counts = ["Desired", "Available"].map((title) => ({
    ...age,
    name: title,
    type: "integer",
    description: "",
  }));
  return {
    columns: [{ ...name, format: "" }, ...counts, age],
    cells: row(numberCell("spec.replicas"), numberCell("status.replicas"), ageOf),
  };
}

/** The cells of kinds without cells of their own: roles, definitions. */
function plainCells({ metadata }: KubeObject): unknown[] {
  return [metadata.name, metadata.creationTimestamp ?? null];
}

/** Without printer columns, a definition gets a column for the age. */
function customTable(
  printers: readonly PrinterColumn[],
  { name, age }: { readonly name: Column; readonly age: Column },
): KindTable {
  const shown = printers.length > 0 ? printers : [{ ...DEFAULT_AGE, description: age.description }];
  const readers = shown.map(toReader);
  return {
    columns: [name, ...shown.map(toColumn)],
    cells: (object, nowMs) => [object.metadata.name, ...readers.map((read) => read(object, nowMs))],
  };
}

const DEFAULT_AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

function toColumn({ name, type, format = "", description, jsonPath, priority = 0 }: PrinterColumn): Column {
  const says = description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return { name, type, format, description: says, priority };
}

type CellReader = (object: KubeObject, nowMs: number) => unknown;

/** NB: a path that cannot be compiled gives empty cells: the definition was accepted, so listing must not fail. */
function toReader({ type, jsonPath }: PrinterColumn): CellReader {
  try {
    const path = compileJsonPath(jsonPath);
    return (object, nowMs) => {
      const [value] = path(object);
      return value === undefined ? null : toCell(value, { type, nowMs });
    };
  } catch {
    return () => null;
  }
}

function toCell(value: unknown, { type, nowMs }: { type: string; nowMs: number }): unknown {
  switch (type) {
    case "string":
      return typeof value === "string" ? value : value === null ? "<no value>" : formatJson(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? humanAge(value, nowMs) : null;
    default:
      return null;
  }
}
