/**
 * Label selectors as objects: `{ matchLabels, matchExpressions }`, in webhook configurations, policies and roles.
 *
 * Source: Kubernetes documentation, "Labels and Selectors"; k8s.io/apimachinery, pkg/apis/meta/v1. Selectors as
 * texts, in queries, are read by `label_selector.ts`.
 */

import type { JsonObject } from "../../../model/object.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";

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
