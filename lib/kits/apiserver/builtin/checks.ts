/**
 * Refusals of the built-in kinds: only what clients run into, not all that the real server checks.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { configKeyErrors, dnsLabelErrors } from "../names.ts";
import { limitRangeCauses, quotaCauses } from "../quota/rules.ts";
import { isObject } from "../values.ts";
import { apiServiceCauses } from "./api_service_checks.ts";
import { ingressCauses, networkPolicyCauses, sliceCauses } from "./network_checks.ts";
import { jobCauses, podSpecCauses, templateCauses } from "./pod_checks.ts";
import { autoscalerCauses, cronJobCauses } from "./schedule_checks.ts";
import { claimCauses, storageClassCauses, volumeCauses } from "./storage_checks.ts";
import { negativeCauses } from "./value_checks.ts";
import { budgetCauses, controllerCauses, REPLICATED, replicatedCauses } from "./workload_checks.ts";

/** Source: k8s.io/api/core/v1, MaxSecretSize. */
const DATA_LIMIT = 1024 * 1024;

/** The checks of each kind. */
const CHECKS: Readonly<Record<string, (object: KubeObject) => Cause[]>> = {
  APIService: apiServiceCauses,
  ConfigMap: ({ data, binaryData }) => {
    const keys = [...keyCauses(data, "data"), ...keyCauses(binaryData, "binaryData")];
    return [...keys, ...sizeCauses([data, binaryData], "[]")];
  },
  CronJob: cronJobCauses,
  EndpointSlice: sliceCauses,
  HorizontalPodAutoscaler: autoscalerCauses,
  Ingress: ({ spec = {} }) => ingressCauses(spec),
  Job: ({ spec = {} }) => jobCauses(spec, "spec"),
  Lease: ({ spec = {} }) => leaseCauses(spec),
  LimitRange: limitRangeCauses,
  NetworkPolicy: ({ spec = {} }) => networkPolicyCauses(spec),
  PersistentVolume: ({ spec = {} }) => volumeCauses(spec),
  PersistentVolumeClaim: ({ spec = {} }) => claimCauses(spec),
  Pod: ({ spec = {} }) => podSpecCauses(spec, { path: "spec" }),
  PodDisruptionBudget: ({ spec = {} }) => budgetCauses(spec),
  PodTemplate: ({ template }) => templateCauses(template, { path: "template" }),
  ReplicationController: ({ spec = {} }) => controllerCauses(spec),
  ResourceQuota: quotaCauses,
  RuntimeClass: ({ handler }) =>
    dnsLabelErrors(String(handler ?? "")).map((detail) => invalid("handler", { value: handler, detail })),
  Secret: secretCauses,
  StorageClass: storageClassCauses,
};

/** Says what is wrong with an object of a built-in kind. */
export function builtinCauses(kind: string, object: KubeObject): Cause[] {
  if (REPLICATED.includes(kind)) return replicatedCauses(kind, object.spec ?? {});
  return Object.hasOwn(CHECKS, kind) ? CHECKS[kind]?.(object) ?? [] : [];
}

function leaseCauses(spec: JsonObject): Cause[] {
  const { leaseDurationSeconds: value } = spec;
  const causes = typeof value === "number" && value <= 0
    ? [invalid("spec.leaseDurationSeconds", { value, detail: "must be greater than 0" })]
    : [];
  return [...causes, ...negativeCauses(spec, "spec", ["leaseTransitions"])];
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

function keyCauses(map: unknown, field: string): Cause[] {
  const causes: Cause[] = [];
  for (const key of Object.keys(isObject(map) ? map : {})) {
    for (const detail of configKeyErrors(key)) {
      causes.push(invalid(`${field}[${key}]`, { value: key, detail }));
    }
  }
  return causes;
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
