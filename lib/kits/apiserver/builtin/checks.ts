/**
 * Refusals of the built-in kinds: only what clients run into, not all that the real server checks.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { apiServiceCauses } from "./api_service_checks.ts";
import { type Cause, forbidden, invalid } from "../causes.ts";
import { limitRangeCauses, quotaCauses } from "../quota/rules.ts";
import { autoscalerCauses, cronJobCauses } from "./schedule_checks.ts";
import { equal, isObject, objectAt, objectsIn } from "../values.ts";

/** Source: k8s.io/api/core/v1, MaxSecretSize. */
const DATA_LIMIT = 1024 * 1024;
/** In seconds. */
const LONGEST_DEADLINE = 2 ** 31 - 1;
const REPLICATED = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

/** Says what is wrong with an object of a built-in kind. */
export function builtinCauses(kind: string, object: KubeObject): Cause[] {
  if (kind === "ConfigMap") {
    const { data, binaryData } = object;
    const keys = [...keyCauses(data, "data"), ...keyCauses(binaryData, "binaryData")];
    return [...keys, ...sizeCauses([data, binaryData], "[]")];
  }
  if (kind === "Secret") return [...keyCauses(object.data, "data"), ...sizeCauses([object.data], "data")];
  if (kind === "Pod") return podCauses(objectAt(object, "spec") ?? {}, "spec");
  if (REPLICATED.includes(kind)) return replicatedCauses(objectAt(object, "spec") ?? {});
  if (kind === "CronJob") return cronJobCauses(object);
  if (kind === "HorizontalPodAutoscaler") return autoscalerCauses(object);
  if (kind === "ResourceQuota") return quotaCauses(object);
  if (kind === "APIService") return apiServiceCauses(object);
  if (kind === "LimitRange") return limitRangeCauses(object);
  return [];
}

/** Source: k8s.io/apimachinery, pkg/util/validation, IsConfigMapKey. */
function keyCauses(map: unknown, field: string): Cause[] {
  const causes: Cause[] = [];
  for (const key of Object.keys(isObject(map) ? map : {})) {
    for (const detail of keyErrors(key)) {
      causes.push(invalid(`${field}[${key}]`, { value: key, detail }));
    }
  }
  return causes;
}

function keyErrors(key: string): string[] {
  const errors = key.length > 253 ? ["must be no more than 253 characters"] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === "." || key === "..") errors.push(`must not be '${key}'`);
  else if (key.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

function sizeCauses(maps: readonly unknown[], field: string): Cause[] {
  let size = 0;
  for (const map of maps) {
    if (!isObject(map)) continue;
    for (const key of Object.keys(map)) size += String(map[key]).length;
  }
  if (size <= DATA_LIMIT) return [];
  return [{
    reason: "FieldValueTooLong",
    message: `Too long: may not be more than ${DATA_LIMIT} bytes`,
    field,
  }];
}

function required(field: string, message = "Required value"): Cause {
  return { reason: "FieldValueRequired", message, field };
}

function podCauses(spec: JsonObject, path: string): Cause[] {
  const { containers } = spec;
  if (!Array.isArray(containers) || containers.length === 0) return [required(`${path}.containers`)];
  const causes: Cause[] = [];
  for (const [index, container] of containers.entries()) {
    const { name, image } = isObject(container) ? container : {};
    if (name === undefined || name === "") causes.push(required(`${path}.containers[${index}].name`));
    if (image === undefined || image === "") causes.push(required(`${path}.containers[${index}].image`));
  }
  const { activeDeadlineSeconds: value } = spec;
  if (typeof value === "number" && (value < 1 || value > LONGEST_DEADLINE)) {
    const detail = `must be between 1 and ${LONGEST_DEADLINE}, inclusive`;
    causes.push(invalid(`${path}.activeDeadlineSeconds`, { value, detail }));
  }
  return causes;
}

/** Says what a Pod cannot begin with. */
export function newPodCauses({ ephemeralContainers, nodeName, schedulingGates }: JsonObject): Cause[] {
  const causes: Cause[] = [];
  if (objectsIn(ephemeralContainers).length > 0) {
    causes.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (nodeName && objectsIn(schedulingGates).length > 0) {
    causes.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return causes;
}

function replicatedCauses(spec: JsonObject): Cause[] {
  const template = objectAt(spec, "template");
  const pod = podCauses(objectAt(template, "spec") ?? {}, "spec.template.spec");
  const wanted = objectAt(spec.selector, "matchLabels");
  const labels = objectAt(objectAt(template, "metadata"), "labels") ?? {};
  const missing = isObject(spec.selector) ? [] : [required("spec.selector")];
  const fits = missing.length === 0 &&
    Object.entries(wanted ?? {}).every(([key, value]) => equal(labels[key], value));
  if (fits) return pod;
  const shown = Object.entries(labels).map(([key, value]) =>
    `${JSON.stringify(key)}:${JSON.stringify(value)}`
  );
  return [...missing, {
    reason: "FieldValueInvalid",
    message: `Invalid value: {${shown.join(",")}}: \`selector\` does not match template \`labels\``,
    field: "spec.template.metadata.labels",
  }, ...pod];
}
