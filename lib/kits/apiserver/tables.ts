/**
 * What `kubectl get` shows: meta.k8s.io/v1 Table.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";

/** A CRD's `additionalPrinterColumns` entry. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** What toTable() must know besides the objects. */
export interface TableOptions {
  readonly resource: Pick<Resource, "group" | "plural">;
  /** The CRD version's printer columns. */
  readonly columns?: readonly PrinterColumn[];
  /** What each row carries of its object. Default: "Metadata". */
  readonly includeObject?: "None" | "Metadata" | "Object";
  /** The list's `metadata`: resourceVersion, continue, remainingItemCount. */
  readonly listMetadata?: JsonObject;
  /** The current time in milliseconds since 1970, for ages. */
  readonly nowMs: number;
}

/** Gives a meta.k8s.io/v1 Table of the objects. */
export function toTable(_objects: readonly KubeObject[], options: TableOptions): JsonObject {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: options.listMetadata ?? {},
    columnDefinitions: [],
    rows: [],
  };
}
