/**
 * Label selectors as objects: `{ matchLabels, matchExpressions }`, in webhook configurations, policies and roles.
 *
 * Source: Kubernetes documentation, "Labels and Selectors"; k8s.io/apimachinery, pkg/apis/meta/v1/validation. Selectors as
 * texts, in queries, are read by `label_selector.ts`.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, required } from "../causes.ts";
import { labelValueErrors, qualifiedNameErrors } from "../names.ts";
import { getOwn, isObject, objectAt, objectsIn } from "../values.ts";

type Labels = Readonly<Record<string, string>>;

/** Whether the selector restricts anything. */
export function isEmptySelector(selector: unknown): boolean {
  return !isObject(selector) || (Object.keys(objectAt(selector, "matchLabels") ?? {}).length === 0 &&
    objectsIn(selector.matchExpressions).length === 0);
}

/** Tells whether labels are selected. A selector without requirements, or none at all, selects everything. */
export function selects(selector: unknown, labels: Labels = {}): boolean {
  if (!isObject(selector)) return true;
  const wanted = Object.entries(objectAt(selector, "matchLabels") ?? {});
  return wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    objectsIn(selector.matchExpressions).every((requirement) => fits(requirement, labels));
}

function fits({ key, operator, values }: JsonObject, labels: Labels): boolean {
  const name = String(key);
  const has = Object.hasOwn(labels, name);
  const listed = has && Array.isArray(values) && values.includes(labels[name]);
  switch (operator) {
    case "In":
      return listed;
    case "NotIn":
      return !listed;
    case "Exists":
      return has;
    case "DoesNotExist":
      return !has;
    default:
      return false;
  }
}

/** Says what is wrong with a selector at a field. */
export function selectorCauses(selector: unknown, field: string): Cause[] {
  if (!isObject(selector)) return [];
  const labels = Object.entries(objectAt(selector, "matchLabels") ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((detail) => invalid(`${field}.matchLabels`, { value: key, detail })),
    ...labelValueErrors(String(value)).map((detail) => invalid(`${field}.matchLabels`, { value, detail })),
  ]);
  const requirements = objectsIn(selector.matchExpressions).flatMap((requirement, index) =>
    requirementCauses(requirement, `${field}.matchExpressions[${index}]`)
  );
  return [...labels, ...requirements];
}

function requirementCauses(requirement: JsonObject, field: string): Cause[] {
  const key = String(getOwn(requirement, "key") ?? "");
  const operator = getOwn(requirement, "operator") ?? "";
  const values = Array.isArray(requirement.values) ? requirement.values.map(String) : [];
  const causes: Cause[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      causes.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) causes.push(forbidden(`${field}.values`, detail));
  } else {
    causes.push(invalid(`${field}.operator`, { value: operator, detail: "not a valid selector operator" }));
  }
  return [
    ...causes,
    ...qualifiedNameErrors(key).map((detail) => invalid(`${field}.key`, { value: key, detail })),
    ...values.flatMap((value, index) =>
      labelValueErrors(value).map((detail) => invalid(`${field}.values[${index}]`, { value, detail }))
    ),
  ];
}
