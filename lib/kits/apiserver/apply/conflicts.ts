/**
 * How a conflict between field managers is told. Source: k8s.io/apimachinery, pkg/util/managedfields/internal/conflict.go.
 */

import type { Cause } from "../causes.ts";
import { pathText } from "./elements.ts";
import { type FieldSet, pathsIn } from "./field_set.ts";
import type { Owner } from "./owners.ts";

/** Fields of another owner that an application would change. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** The texts of a refusal. */
export interface ConflictMessages {
  readonly message: string;
  readonly causes: readonly Cause[];
}

/** Puts conflicts into words. */
export function conflictMessages(conflicts: readonly Conflict[]): ConflictMessages {
  const found = conflicts.map(({ owner, fields }) => ({
    name: nameOf(owner),
    paths: pathsIn(fields).map(pathText),
  }));
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  const causes = found.flatMap(({ name, paths }) =>
    paths.map((field): Cause => ({ reason: "FieldManagerConflict", message: `conflict with ${name}`, field }))
  );
  const [only, more] = causes;
  if (only !== undefined && more === undefined) {
    return { causes, message: `Apply failed with 1 conflict: ${only.message}: ${only.field}` };
  }
  const lines = found.flatMap((
    { name, paths },
  ) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)]);
  return { causes, message: `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}` };
}

function nameOf({ manager, operation, apiVersion, subresource }: Owner): string {
  const name = JSON.stringify(manager) +
    (subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
