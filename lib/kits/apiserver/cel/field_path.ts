/**
 * `fieldPath` of a rule: which field below the rule's own is to blame.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go, ValidFieldPath.
 */

import { type Schema, subSchema } from "../schema/structural.ts";

const STEP = /\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\]/y;

/** Returns the field as errors name it, such as `limits.cpu` or `labels[a.b]`; undefined if the path leads to none. */
export function fieldOfRule(path: unknown, schema: Schema): string | undefined {
  if (typeof path !== "string" || path === "") return undefined;
  let field = "";
  let at: Schema | undefined = schema;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (found === null) return undefined;
    const key = found[1] ?? (found[2] ?? "").replaceAll(/\\(.)/g, "$1");
    const properties: Schema | undefined = subSchema(at, "properties");
    if (properties !== undefined) {
      at = subSchema(properties, key);
      field = field === "" ? key : `${field}.${key}`;
    } else {
      at = subSchema(at, "additionalProperties");
      field = `${field}[${key}]`;
    }
    if (at === undefined) return undefined;
  }
  return field;
}
