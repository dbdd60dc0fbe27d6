/**
 * Field selectors: `metadata.name=x,status.phase!=Running`.
 *
 * Source: Kubernetes documentation, "Field Selectors".
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { badRequest } from "../refusal.ts";
import { getOwn, isObject } from "../values.ts";

/** Whether an object is selected. */
export type Predicate = (object: KubeObject) => boolean;

/** A field selector, taken apart. */
export interface FieldSelector {
  readonly matches: Predicate;
  /** The only name or namespace that can match, if the selector says so. */
  readonly name?: string;
  readonly namespace?: string;
}

/**
 * Reads a field selector such as `metadata.name=x,status.phase!=Running`; `kept` says where fields are kept under other names.
 *
 * @throws {Refusal} 400, also for a field that the kind cannot be selected by.
 */
export function parseFieldSelector(
  text: string,
  selectable: readonly string[],
  kept: Readonly<Record<string, string>> = {},
): FieldSelector {
  const found: { matches: Predicate; name?: string; namespace?: string } = { matches: () => true };
  const terms: Predicate[] = [];
  for (const part of (text.match(TERM) ?? []).filter((term) => term !== "")) {
    const term = /^(.*?)(==|!=|=)(.*)$/s.exec(part);
    if (term === null) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    }
    const [, field = "", operator, escaped = ""] = term;
    const value = unescaped(escaped);
    if (field !== "metadata.name" && field !== "metadata.namespace" && !selectable.includes(field)) {
      // Kinds that have no fields of their own are refused in other words.
      throw badRequest(
        selectable.length > 0
          ? `field label not supported: ${field}`
          : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
      );
    }
    if (operator !== "!=" && field === "metadata.name") found.name = value;
    if (operator !== "!=" && field === "metadata.namespace") found.namespace = value;
    const path = Object.hasOwn(kept, field) ? kept[field] ?? field : field;
    terms.push((object) => (fieldOf(object, path) === value) === (operator !== "!="));
  }
  found.matches = (object) => terms.every((fits) => fits(object));
  return found;
}

/** A term: commas in it have a backslash before them. */
const TERM = /(?:\\.|[^,\\]|\\$)+/gs;

/** Returns a value without the backslashes before commas, equals signs and backslashes. @throws {Refusal} 400 */
function unescaped(text: string): string {
  return text.replace(/\\(.?)|[,=]/gs, (found, next: string | undefined) => {
    if (next === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (next !== "" && ",=\\".includes(next)) return next;
    throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
  });
}

/** Returns a field's value as text; "" where there is none, and "false" where a switch is not set. */
function fieldOf(object: KubeObject, field: string): string {
  // An event's source is its component, or whoever reports it. Source: k8s.io/kubernetes, pkg/registry/core/event/strategy.go.
  if (field === "source") return fieldOf(object, "source.component") || fieldOf(object, "reportingComponent");
  let value: unknown = object;
  for (const key of field.split(".")) {
    value = isObject(value) ? getOwn(value as JsonObject, key) : undefined;
  }
  if (value === undefined || value === null) {
    return field === "spec.unschedulable" || field === "spec.hostNetwork" ? "false" : "";
  }
  return String(value);
}
