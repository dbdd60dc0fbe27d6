/**
 * The faults in labels, annotations and label selectors, wherever an object has them.
 *
 * Source: k8s.io/apimachinery, pkg/apis/meta/v1/validation and pkg/api/validation/objectmeta.go.
 */

import type { JsonObject } from "../../model/object.ts";
import { type Cause, forbidden, invalid, required, tooLong } from "./causes.ts";
import { labelValueErrors, qualifiedNameErrors } from "./names.ts";
import { getOwn, isObject, objectAt, objectsIn } from "./values.ts";

const ANNOTATIONS_LIMIT = 256 * 1024;

/** Returns the faults of the labels at a field. */
export function labelCauses(labels: unknown, field: string): Cause[] {
  if (!isObject(labels)) return [];
  const causes: Cause[] = [];
  const blame = (value: string, errors: readonly string[]) => {
    for (const detail of errors) causes.push(invalid(field, { value, detail }));
  };
  for (const key of Object.keys(labels)) {
    const value = String(labels[key] ?? "");
    blame(key, qualifiedNameErrors(key));
    blame(value, labelValueErrors(value));
  }
  return causes;
}

/** Returns the faults of the annotations at a field. */
export function annotationCauses(annotations: unknown, field: string): Cause[] {
  if (!isObject(annotations)) return [];
  const causes: Cause[] = [];
  let size = 0;
  for (const key of Object.keys(annotations)) {
    size += key.length + String(annotations[key] ?? "").length;
    const errors = qualifiedNameErrors(key.toLowerCase());
    causes.push(...errors.map((detail) => invalid(field, { value: key, detail })));
  }
  return size > ANNOTATIONS_LIMIT ? [...causes, tooLong(field, ANNOTATIONS_LIMIT)] : causes;
}

/** Returns the faults of the label selector at a field. */
export function selectorCauses(selector: unknown, field: string): Cause[] {
  if (!isObject(selector)) return [];
  const requirements = objectsIn(selector.matchExpressions).flatMap((requirement, index) =>
    requirementCauses(requirement, `${field}.matchExpressions[${index}]`)
  );
  return [...labelCauses(objectAt(selector, "matchLabels"), `${field}.matchLabels`), ...requirements];
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
