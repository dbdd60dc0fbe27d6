/**
 * The built-in kinds as a real server serves them: names, ways of writing, fields that cannot be changed, and columns.
 *
 * All of it is recorded (`recorded_kinds.ts`, `recorded_columns.ts`); a kind's own module says only how its objects differ in ways that
 * cannot be recorded.
 */

import { RECORDED_COLUMNS } from "./recorded_columns.ts";
import { RECORDED_KINDS } from "./recorded_kinds.ts";

/** One kind in one version; an absent member is false, or empty. */
export interface ServedKind {
  readonly plural: string;
  readonly singular: string;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: boolean;
  readonly verbs: readonly string[];
  /** All that a real server has, served here or not. */
  readonly subresources?: readonly string[];
  /** Discovery's hash of the version in which a real cluster keeps objects. */
  readonly hash: string;
  /** The warning that every request gets. */
  readonly deprecation?: string;
  /** Counts generations. */
  readonly counted?: boolean;
  /** A PUT makes an object that is not there. */
  readonly createOnUpdate?: boolean;
  /** A PUT needs a `resourceVersion`. */
  readonly conditional?: boolean;
  /** DELETE answers with the object. */
  readonly returnsDeleted?: boolean;
  /** Fields by which lists can be selected, beside the name and the namespace. */
  readonly selectable?: readonly string[];
  readonly sealed?: readonly SealedField[];
}

/** A refusal of a change. */
export interface SealedField {
  /** The field that the refusal names. */
  readonly field: string;
  readonly detail: string;
  /** Whether the change is forbidden, in place of the value being invalid. */
  readonly forbidden?: boolean;
  /** The fields that cannot be changed, as dotted paths. Default: the one that is named. */
  readonly paths?: readonly string[];
}

/** A column of a table, as meta.k8s.io/v1 has it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority: number;
}

/** A CRD's `additionalPrinterColumns` entry. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A kind in one version, such as "apps/v1" and "Deployment". */
export interface KindEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly served: ServedKind;
}

/** Returns all kinds, in the order of discovery. */
export function servedKinds(): KindEntry[] {
  return RECORDED_KINDS.trim().split("\n").map((line) => {
    const [apiVersion = "", kind = ""] = line.split(" ", 2);
    return { apiVersion, kind, served: JSON.parse(line.slice(apiVersion.length + kind.length + 2)) };
  });
}

let columns: ReadonlyMap<string, string> | undefined;

/** Returns the columns of a built-in kind; undefined for other kinds. `key` is its version and its plural. */
export function columnsOf(key: string): readonly Column[] | undefined {
  columns ??= new Map(
    RECORDED_COLUMNS.trim().split("\n").map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
  const line = columns.get(key);
  return line === undefined ? undefined : JSON.parse(line);
}
