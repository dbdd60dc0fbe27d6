/**
 * Refusals of Deployments, StatefulSets, DaemonSets, ReplicaSets, ReplicationControllers and PodDisruptionBudgets: numbers, selectors, strategies.
 *
 * Source: k8s.io/kubernetes, pkg/apis/apps/validation and pkg/apis/policy/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { formatJson, PrintedStruct } from "../formats/go_format.ts";
import { selects } from "../selectors/selector.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { selectorCauses } from "../labels.ts";
import { dnsLabelErrors } from "../names.ts";
import { templateCauses } from "./pod_checks.ts";
import { claimCauses } from "./storage_checks.ts";
import { choiceCauses, excessCauses, negativeCauses, shareCauses } from "./value_checks.ts";

/** The kinds that keep a number of Pods. */
export const REPLICATED: readonly string[] = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

/** Says what is wrong with a ReplicationController, whose selector is a map of labels. */
export function controllerCauses(spec: JsonObject): Cause[] {
  const selector = isObject(spec.selector) ? spec.selector : {};
  const isEmpty = Object.keys(selector).length === 0;
  return [
    ...negativeCauses(spec, "spec", ["minReadySeconds"]),
    ...(isEmpty ? [required("spec.selector")] : []),
    ...negativeCauses(spec, "spec", ["replicas"]),
    ...(isEmpty ? [] : mismatchCauses({ selector: { matchLabels: selector }, template: spec.template })),
    ...lastingTemplateCauses(spec, "ReplicationController"),
  ];
}

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
        ...objectsIn(spec.volumeClaimTemplates).flatMap((claim, index) =>
          claimCauses(objectAt(claim, "spec") ?? {}, `spec.volumeClaimTemplates[${index}].spec`)
        ),
        ...counts("replicas", "minReadySeconds"),
        ...serviceNameCauses(spec),
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
  // NB: a DaemonSet without a selector is told of its template alone, whose labels nothing selects.
  if (!isObject(selector)) return kind === "DaemonSet" ? [] : [required("spec.selector")];
  const causes = selectorCauses(selector, "spec.selector");
  const parts = [
    ...Object.keys(objectAt(selector, "matchLabels") ?? {}),
    ...objectsIn(selector.matchExpressions),
  ];
  if (parts.length > 0) return causes;
  const detail = `empty selector is invalid for ${kind.toLowerCase()}`;
  return [invalid("spec.selector", { value: selector, detail })];
}

/** The template has the labels that are selected. */
function replicatedTemplateCauses(spec: JsonObject): Cause[] {
  return [...mismatchCauses(spec), ...lastingTemplateCauses(spec, "ReplicaSet")];
}

/** The Pods of the template are always started again. */
function lastingTemplateCauses(spec: JsonObject, kind: string): Cause[] {
  const template = objectAt(spec, "template");
  const path = "spec.template.spec";
  const pod = objectAt(template, "spec") ?? {};
  const causes = templateCauses(mountingClaims(spec), { path: "spec.template" });
  const { restartPolicy: value } = pod;
  if (value !== undefined && value !== "Always") {
    causes.push(notSupported(`${path}.restartPolicy`, { value, supported: ["Always"] }));
  }
  if (pod.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    causes.push(forbidden(`${path}.activeDeadlineSeconds`, detail));
  }
  return causes;
}

/** The template of Pods with the volumes of their own claims, which come before all others. */
function mountingClaims(spec: JsonObject): JsonObject | undefined {
  const template = objectAt(spec, "template");
  const claims = new Map(
    objectsIn(spec.volumeClaimTemplates).map((claim) => {
      const { name = "" } = objectAt(claim, "metadata") ?? {};
      return [name, { name, persistentVolumeClaim: { claimName: name } }];
    }),
  );
  if (claims.size === 0) return template;
  const pod = objectAt(template, "spec") ?? {};
  const others = objectsIn(pod.volumes).filter(({ name = "" }) => !claims.has(name));
  return { ...template, spec: { ...pod, volumes: [...claims.values(), ...others] } };
}

/** Says so if a selector does not select the labels of the template; one that is not there selects nothing. */
export function mismatchCauses({ selector, template }: JsonObject): Cause[] {
  const given = objectAt(objectAt(template, "metadata"), "labels");
  const field = "spec.template.metadata.labels";
  // NB: labels are texts, as decoding has made sure.
  const labels = given as Readonly<Record<string, string>> | undefined;
  if (isObject(selector) && selects(selector, labels)) return [];
  const detail = "`selector` does not match template `labels`";
  return [{
    ...invalid(field, { value: null, detail }),
    message: `Invalid value: ${given === undefined ? "null" : formatJson(given)}: ${detail}`,
  }];
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

function serviceNameCauses({ serviceName: value = "" }: JsonObject): Cause[] {
  const errors = value === "" ? [] : dnsLabelErrors(String(value));
  return errors.map((detail) => invalid("spec.serviceName", { value, detail }));
}

function daemonStrategyCauses(spec: JsonObject): Cause[] {
  const strategy = objectAt(spec, "updateStrategy") ?? {};
  const { type = "RollingUpdate" } = strategy;
  const supported = ["RollingUpdate", "OnDelete"];
  if (supported.includes(String(type))) return [];
  const value = new PrintedStruct({ Type: type, RollingUpdate: objectAt(strategy, "rollingUpdate") ?? null });
  return [notSupported("spec.updateStrategy", { value, supported })];
}

/** NB: labels are a map, which Go prints in the order of its keys; the selector is none. */
function printedSelector({ matchLabels, ...others }: JsonObject): JsonObject {
  if (!isObject(matchLabels)) return others;
  return { matchLabels: JSON.parse(formatJson(matchLabels)), ...others };
}

/** Says what is wrong with a PodDisruptionBudget. */
export function budgetCauses(spec: JsonObject): Cause[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const causes: Cause[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const value = new PrintedStruct({
      MinAvailable: minAvailable,
      Selector: isObject(selector) ? printedSelector(selector) : null,
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
