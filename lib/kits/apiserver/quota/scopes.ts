/**
 * Scopes of quotas: which objects one is about.
 *
 * Source: Kubernetes documentation, "Resource Quotas", "Quota scopes".
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { podAmounts } from "./pod_amounts.ts";

/** Returns the scopes of a quota as selectors. */
export function scopesOf({ spec }: KubeObject): JsonObject[] {
  const named = Array.isArray(spec?.scopes) ? spec.scopes : [];
  return [
    ...named.map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...objectsIn(objectAt(spec, "scopeSelector")?.matchExpressions),
  ];
}

/** Whether a Pod is in a scope. */
export function isPodInScope(pod: KubeObject, selector: JsonObject): boolean {
  switch (selector.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return isSelected(textOf(pod.spec?.priorityClassName), selector);
    case "CrossNamespacePodAffinity":
      return looksElsewhere(pod);
    default:
      return false;
  }
}

/** Whether a claim is in a scope: of all scopes only the class of its volume's attributes is for claims. */
export function isClaimInScope(claim: KubeObject, selector: JsonObject): boolean {
  if (selector.scopeName !== "VolumeAttributesClass") return false;
  const names = attributesOf(claim);
  if (selector.operator === "Exists") return names.length > 0;
  if (names.length === 0) return isSelected(undefined, selector);
  return names.some((name) => isSelected(name, selector));
}

/** Returns the classes of attributes that a claim's volume has, or shall have. */
export function attributesOf({ spec, status }: KubeObject): string[] {
  return [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    objectAt(status, "modifyVolumeStatus")?.targetVolumeAttributesClassName,
  ].map(textOf).filter((name) => name !== undefined);
}

/** Whether the Pod has to end by itself. */
export function isTerminating({ spec }: KubeObject): boolean {
  return typeof spec?.activeDeadlineSeconds === "number" && spec.activeDeadlineSeconds >= 0;
}

function isBestEffort(pod: KubeObject): boolean {
  const known = objectAt(pod, "status")?.qosClass;
  if (known !== undefined) return known === "BestEffort";
  return podAmounts(pod, "requests").size === 0 && podAmounts(pod, "limits").size === 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isSelected(name: string | undefined, { operator, values }: JsonObject): boolean {
  const isNamed = name !== undefined && Array.isArray(values) && values.includes(name);
  switch (operator) {
    case "In":
      return isNamed;
    case "NotIn":
      return !isNamed;
    case "DoesNotExist":
      return name === undefined;
    default:
      return name !== undefined;
  }
}

/** Whether the Pod wants to be near to, or far from, Pods of other namespaces. */
function looksElsewhere({ spec }: KubeObject): boolean {
  const affinity = objectAt(spec, "affinity");
  return ["podAffinity", "podAntiAffinity"].some((side) => {
    const terms = objectAt(affinity, side);
    return [
      ...objectsIn(terms?.requiredDuringSchedulingIgnoredDuringExecution),
      ...objectsIn(terms?.preferredDuringSchedulingIgnoredDuringExecution).map(({ podAffinityTerm }) =>
        podAffinityTerm
      ),
    ].some((term) =>
      isObject(term) && (isObject(term.namespaceSelector) ||
        (Array.isArray(term.namespaces) && term.namespaces.length > 0))
    );
  });
}
