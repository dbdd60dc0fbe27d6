/**
 * Refusals of Deployments, StatefulSets, DaemonSets, ReplicaSets and PodDisruptionBudgets: numbers, selectors, strategies.
 *
 * Source: k8s.io/kubernetes, pkg/apis/apps/validation and pkg/apis/policy/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { PrintedStruct } from "../formats/go_format.ts";
import { equal, isObject, objectAt, objectsIn } from "../values.ts";
import { selectorCauses } from "../labels.ts";
import { templateCauses } from "./pod_checks.ts";
import { choiceCauses, excessCauses, negativeCauses, shareCauses } from "./value_checks.ts";

/** The kinds that keep a number of Pods. */
export const REPLICATED: readonly string[] = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

/** Says what is wrong with one of them. */
export function replicatedCauses(kind: string, spec: JsonObject): Cause[] {
  const counts = (...fields: readonly string[]) => negativeCauses(spec, "spec", fields);
  const pods = podsCauses(kind, spec);
  switch (kind) {
    case "Deployment":
      return [
        ...counts("replicas"),
        ...pods,
        ...strategyCauses(objectAt(spec, "strategy") ?? {}),
        ...counts("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"),
        ...deadlineCauses(spec),
      ];
    case "StatefulSet":
      return [
        ...orderCauses(spec),
        ...counts("replicas", "minReadySeconds"),
        ...pods,
        ...counts("revisionHistoryLimit"),
      ];
    case "DaemonSet":
      return [
        ...pods,
        ...counts("minReadySeconds"),
        ...daemonStrategyCauses(spec),
        ...counts("revisionHistoryLimit"),
      ];
    default:
      return [...counts("replicas", "minReadySeconds"), ...pods];
  }
}

/** NB: where a selector selects by no valid label, the template is not looked at, but for a DaemonSet. */
function podsCauses(kind: string, spec: JsonObject): Cause[] {
  const selection = selectionCauses(kind, spec);
  const isUnreadable = selectorCauses(spec.selector, "spec.selector").length > 0;
  if (kind === "DaemonSet" || !isUnreadable) return [...selection, ...replicatedTemplateCauses(spec)];
  const detail = kind === "StatefulSet" ? "" : "invalid label selector";
  return [...selection, invalid("spec.selector", { value: spec.selector, detail })];
}

function selectionCauses(kind: string, { selector }: JsonObject): Cause[] {
  if (!isObject(selector)) return [required("spec.selector")];
  const causes = selectorCauses(selector, "spec.selector");
  const parts = [
    ...Object.keys(objectAt(selector, "matchLabels") ?? {}),
    ...objectsIn(selector.matchExpressions),
  ];
  if (parts.length > 0) return causes;
  const detail = `empty selector is invalid for ${kind.toLowerCase()}`;
  return [invalid("spec.selector", { value: selector, detail })];
}

/** The template has the labels that are selected, and its Pods are always started again. */
function replicatedTemplateCauses(spec: JsonObject): Cause[] {
  const template = objectAt(spec, "template");
  const path = "spec.template.spec";
  const pod = objectAt(template, "spec") ?? {};
  const claims = objectsIn(spec.volumeClaimTemplates).map((claim) => objectAt(claim, "metadata")?.name);
  const causes = templateCauses(template, { path: "spec.template", claims });
  const { restartPolicy: value } = pod;
  if (value !== undefined && value !== "Always") {
    causes.push(notSupported(`${path}.restartPolicy`, { value, supported: ["Always"] }));
  }
  if (pod.activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in ReplicaSet is not Supported";
    causes.push(forbidden(`${path}.activeDeadlineSeconds`, detail));
  }
  const wanted = objectAt(spec.selector, "matchLabels");
  const given = objectAt(objectAt(template, "metadata"), "labels");
  const labels = given ?? {};
  // NB: a selector that is not there selects nothing.
  const isSelected = Object.entries(wanted ?? {}).every(([key, value]) => equal(labels[key], value));
  if (isObject(spec.selector) && isSelected) return causes;
  const shown = Object.entries(labels).map(([key, value]) =>
    `${JSON.stringify(key)}:${JSON.stringify(value)}`
  );
  return [{
    reason: "FieldValueInvalid",
    message: `Invalid value: ${
      given === undefined ? "null" : `{${shown.join(",")}}`
    }: \`selector\` does not match template \`labels\``,
    field: "spec.template.metadata.labels",
  }, ...causes];
}

const STRATEGIES = ["Recreate", "RollingUpdate"];

function strategyCauses(strategy: JsonObject): Cause[] {
  const { type } = strategy;
  const rolling = objectAt(strategy, "rollingUpdate");
  const path = "spec.strategy.rollingUpdate";
  if (!STRATEGIES.includes(String(type))) {
    const value = new PrintedStruct({ Type: type, RollingUpdate: rolling ?? null });
    return [notSupported("spec.strategy", { value, supported: STRATEGIES })];
  }
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbidden(path, detail)];
  }
  return rollingCauses(rolling ?? {}, path);
}

function rollingCauses({ maxUnavailable, maxSurge }: JsonObject, path: string): Cause[] {
  const isZero = (value: unknown) => parseInt(String(value ?? 0)) === 0;
  const detail = "may not be 0 when `maxSurge` is 0";
  return [
    ...shareCauses(maxUnavailable, `${path}.maxUnavailable`),
    ...shareCauses(maxSurge, `${path}.maxSurge`),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalid(`${path}.maxUnavailable`, { value: maxUnavailable ?? 0, detail })]
      : []),
    ...excessCauses(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

function deadlineCauses({ progressDeadlineSeconds: value, minReadySeconds = 0 }: JsonObject): Cause[] {
  if (typeof value !== "number" || value > Number(minReadySeconds)) return [];
  return [invalid("spec.progressDeadlineSeconds", { value, detail: "must be greater than minReadySeconds" })];
}

function orderCauses({ podManagementPolicy: value }: JsonObject): Cause[] {
  if (value === undefined || ["OrderedReady", "Parallel"].includes(String(value))) return [];
  return [invalid("spec.podManagementPolicy", { value, detail: "must be 'OrderedReady' or 'Parallel'" })];
}

function daemonStrategyCauses(spec: JsonObject): Cause[] {
  const strategy = objectAt(spec, "updateStrategy") ?? {};
  const { type = "RollingUpdate" } = strategy;
  const supported = ["RollingUpdate", "OnDelete"];
  if (supported.includes(String(type))) return [];
  const value = new PrintedStruct({ Type: type, RollingUpdate: objectAt(strategy, "rollingUpdate") ?? null });
  return [notSupported("spec.updateStrategy", { value, supported })];
}

/** Says what is wrong with a PodDisruptionBudget. */
export function budgetCauses(spec: JsonObject): Cause[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const causes: Cause[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const value = new PrintedStruct({
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    });
    causes.push(invalid("spec", { value, detail: "minAvailable and maxUnavailable cannot be both set" }));
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    causes.push(...shareCauses(value, `spec.${field}`), ...excessCauses(value, `spec.${field}`));
  }
  causes.push(...selectorCauses(selector, "spec.selector"));
  const supported = ["AlwaysAllow", "IfHealthyBudget"];
  return [...causes, ...choiceCauses(policy, "spec.unhealthyPodEvictionPolicy", supported)];
}
