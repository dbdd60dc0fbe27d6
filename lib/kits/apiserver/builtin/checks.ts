/**
 * Refusals of the built-in kinds: only what clients run into, not all that the real server checks.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { apiServiceCauses } from "./api_service_checks.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { limitRangeCauses, quotaCauses } from "../quota/rules.ts";
import { jobCauses, podSpecCauses } from "./pod_checks.ts";
import { autoscalerCauses, cronJobCauses } from "./schedule_checks.ts";
import { equal, isObject, objectAt, objectsIn } from "../values.ts";

/** Source: k8s.io/api/core/v1, MaxSecretSize. */
const DATA_LIMIT = 1024 * 1024;
const REPLICATED = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

/** Says what is wrong with an object of a built-in kind. */
export function builtinCauses(kind: string, object: KubeObject): Cause[] {
  if (kind === "ConfigMap") {
    const { data, binaryData } = object;
    const keys = [...keyCauses(data, "data"), ...keyCauses(binaryData, "binaryData")];
    return [...keys, ...sizeCauses([data, binaryData], "[]")];
  }
  if (kind === "Secret") return secretCauses(object);
  if (kind === "Pod") return podSpecCauses(objectAt(object, "spec") ?? {}, { path: "spec" });
  if (REPLICATED.includes(kind)) return replicatedCauses(objectAt(object, "spec") ?? {});
  if (kind === "Job") return jobCauses(objectAt(object, "spec") ?? {}, "spec");
  if (kind === "CronJob") return cronJobCauses(object);
  if (kind === "HorizontalPodAutoscaler") return autoscalerCauses(object);
  if (kind === "ResourceQuota") return quotaCauses(object);
  if (kind === "APIService") return apiServiceCauses(object);
  if (kind === "LimitRange") return limitRangeCauses(object);
  return [];
}

/** The keys that Secrets of a type must have: of a list, one. */
const SECRET_KEYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "kubernetes.io/basic-auth": [["username", "password"]],
  "kubernetes.io/dockercfg": [[".dockercfg"]],
  "kubernetes.io/dockerconfigjson": [[".dockerconfigjson"]],
  "kubernetes.io/ssh-auth": [["ssh-privatekey"]],
  "kubernetes.io/tls": [["tls.crt"], ["tls.key"]],
};
const SERVICE_ACCOUNT = "kubernetes.io/service-account.name";

/** Source: k8s.io/kubernetes, pkg/apis/core/validation, ValidateSecret. */
function secretCauses({ type, data, metadata }: KubeObject): Cause[] {
  const causes = [...keyCauses(data, "data"), ...sizeCauses([data], "data")];
  if (type === "kubernetes.io/service-account-token" && !metadata.annotations?.[SERVICE_ACCOUNT]) {
    causes.push(required(`metadata.annotations[${SERVICE_ACCOUNT}]`));
  }
  const given = isObject(data) ? data : {};
  for (const keys of Object.hasOwn(SECRET_KEYS, String(type)) ? SECRET_KEYS[String(type)] ?? [] : []) {
    // NB: the key of SSH must not be empty either.
    const isThere = keys.some((key) =>
      Object.hasOwn(given, key) && (given[key] !== "" || !key.startsWith("ssh"))
    );
    if (!isThere) causes.push(...keys.map((key) => required(`data[${key}]`)));
  }
  return causes;
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

function replicatedCauses(spec: JsonObject): Cause[] {
  const template = objectAt(spec, "template");
  const claims = objectsIn(spec.volumeClaimTemplates).map((claim) => objectAt(claim, "metadata")?.name);
  const pod = podSpecCauses(objectAt(template, "spec") ?? {}, { path: "spec.template.spec", claims });
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
