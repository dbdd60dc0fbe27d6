/**
 * Label and field selectors, as they stand in URLs.
 *
 * Sources: Kubernetes documentation, "Labels and Selectors", "Field Selectors"; k8s.io/apimachinery, pkg/labels, pkg/fields.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import { badRequest } from "./refusal.ts";
import { getOwn, isObject } from "./values.ts";

/** Whether an object is selected. */
export type Predicate = (object: KubeObject) => boolean;

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

const SET = /^\s*([^\s!=<>(),]+)\s+(in|notin)\s*\(([^)]*)\)\s*$/;
const COMPARISON = /^\s*([^\s!=<>(),]+)\s*(==|=|!=|<|>)\s*([^\s!=<>(),]*)\s*$/;
const EXISTENCE = /^\s*(!?)\s*([^\s!=<>(),]+)\s*$/;

/**
 * Reads a label selector such as `app=db,tier in (a, b),!canary`.
 *
 * @throws {Refusal} 400
 */
export function parseLabelSelector(text: string): Predicate {
  const requirements = splitOutside(text).filter((part) => part.trim() !== "").map(parseRequirement);
  return ({ metadata }) => {
    const labels = metadata.labels ?? {};
    return requirements.every((fits) => fits(labels));
  };
}

/** Splits at commas that are not inside parentheses. */
function splitOutside(text: string): string[] {
  return text.split(/,(?![^(]*\))/);
}

function parseRequirement(text: string): Requirement {
  const set = SET.exec(text);
  if (set !== null) {
    return setRequirement(
      set[1] ?? "",
      set[2] ?? "",
      (set[3] ?? "").split(",").map((v) => v.trim()),
    );
  }
  const comparison = COMPARISON.exec(text);
  if (comparison !== null) {
    return compareRequirement(comparison[1] ?? "", comparison[2] ?? "", comparison[3] ?? "");
  }
  const existence = EXISTENCE.exec(text);
  if (existence === null) {
    throw badRequest(`unable to parse requirement: found '${text.trim()}', expected: identifier`);
  }
  const [, not, key = ""] = existence;
  return (labels) => Object.hasOwn(labels, key) !== (not === "!");
}

function setRequirement(key: string, operator: string, values: readonly string[]): Requirement {
  const wanted = new Set(values);
  if (operator === "in") return (labels) => Object.hasOwn(labels, key) && wanted.has(labels[key] ?? "");
  return (labels) => !Object.hasOwn(labels, key) || !wanted.has(labels[key] ?? "");
}

function compareRequirement(key: string, operator: string, value: string): Requirement {
  switch (operator) {
    case "!=":
      return (labels) => !Object.hasOwn(labels, key) || labels[key] !== value;
    case "<":
      return (labels) => Object.hasOwn(labels, key) && Number(labels[key]) < Number(value);
    case ">":
      return (labels) => Object.hasOwn(labels, key) && Number(labels[key]) > Number(value);
    default:
      return (labels) => Object.hasOwn(labels, key) && labels[key] === value;
  }
}

/** A field selector, taken apart. */
export interface FieldSelector {
  readonly matches: Predicate;
  /** The only name or namespace that can match, if the selector says so. */
  readonly name?: string;
  readonly namespace?: string;
}

/**
 * Reads a field selector such as `metadata.name=x,status.phase!=Running`.
 *
 * @throws {Refusal} 400, also for a field that the kind cannot be selected by.
 */
export function parseFieldSelector(text: string, selectable: readonly string[]): FieldSelector {
  const found: { matches: Predicate; name?: string; namespace?: string } = { matches: () => true };
  const terms: Predicate[] = [];
  for (const part of text.split(",").filter((term) => term !== "")) {
    const term = /^(.*?)(==|!=|=)(.*)$/.exec(part);
    if (term === null) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    }
    const [, field = "", operator, value = ""] = term;
    if (field !== "metadata.name" && field !== "metadata.namespace" && !selectable.includes(field)) {
      throw badRequest(`field label not supported: ${field}`);
    }
    if (operator !== "!=" && field === "metadata.name") found.name = value;
    if (operator !== "!=" && field === "metadata.namespace") found.namespace = value;
    terms.push((object) => (fieldOf(object, field) === value) === (operator !== "!="));
  }
  found.matches = (object) => terms.every((fits) => fits(object));
  return found;
}

/** Gives a field's value as text; "" where there is none, and "false" where a switch is not set. */
function fieldOf(object: KubeObject, field: string): string {
  const path = field === "source" ? ["source", "component"] : field.split(".");
  let value: unknown = object;
  for (const key of path) value = isObject(value) ? getOwn(value as JsonObject, key) : undefined;
  if (value === undefined || value === null) {
    return field === "spec.unschedulable" || field === "spec.hostNetwork" ? "false" : "";
  }
  return String(value);
}
