/**
 * The rules for ResourceQuotas and LimitRanges themselves. Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, duplicate, forbidden, invalid, required } from "../causes.ts";
import { qualifiedNameErrors } from "../names.ts";
import { formatQuantity, type Quantity, UNIT } from "../formats/quantity.ts";
import { objectAt, objectsIn } from "../values.ts";
import { readAmounts } from "./amounts.ts";

const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
const OF_PODS = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
/** The resources that are counted in whole numbers. */
const COUNTED = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const FOR_QUOTAS = [
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...COUNTED,
];
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: ["pods", ...OF_PODS],
  NotTerminating: ["pods", ...OF_PODS],
  BestEffort: ["pods"],
  NotBestEffort: ["pods", ...OF_PODS],
  PriorityClass: ["pods", ...OF_PODS],
  CrossNamespacePodAffinity: ["pods", ...OF_PODS],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
const OPPOSITES = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]] as const;

/** Returns the faults of a ResourceQuota. */
export function quotaCauses({ spec, status }: KubeObject): Cause[] {
  const hard = objectAt(spec, "hard");
  const scopes = Array.isArray(spec?.scopes) ? spec.scopes : [];
  return [
    ...amountCauses(hard, "spec.hard"),
    ...scopeCauses(scopes, { value: scopes, field: "spec.scopes", hard }),
    ...selectorCauses(objectAt(spec, "scopeSelector"), { scopes: spec?.scopes ?? null, hard }),
    ...amountCauses(objectAt(status, "hard"), "status.hard"),
    ...amountCauses(objectAt(status, "used"), "status.used"),
  ];
}

function amountCauses(amounts: JsonObject | undefined, path: string): Cause[] {
  return [...readAmounts(amounts)].flatMap(([name, quantity]) => {
    const field = `${path}[${name}]`;
    const causes = resourceCauses(name, field);
    if (!name.includes("/") && !isForQuotas(name)) {
      causes.push(invalid(field, { value: name, detail: "must be a standard resource for quota" }));
    }
    const value = formatQuantity(quantity);
    if (quantity.value < 0n) {
      causes.push(invalid(field, { value, detail: "must be greater than or equal to 0" }));
    }
    if (COUNTED.includes(name) && quantity.value % UNIT !== 0n) {
      causes.push(invalid(field, { value, detail: "must be an integer" }));
    }
    return causes;
  });
}

function isForQuotas(name: string): boolean {
  return FOR_QUOTAS.includes(name) || /^(requests\.)?hugepages-/.test(name);
}

function resourceCauses(name: string, field: string): Cause[] {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) return errors.map((detail) => invalid(field, { value: name, detail }));
  if (name.includes("/") || isForQuotas(name) || name === "storage") return [];
  return [invalid(field, { value: name, detail: "must be a standard resource type or fully qualified" })];
}

interface Scoped {
  /** Shown as wrong. */
  readonly value: unknown;
  readonly field: string;
  readonly hard: JsonObject | undefined;
}

function scopeCauses(scopes: readonly unknown[], { value, field, hard }: Scoped): Cause[] {
  const causes = scopes.flatMap((scope) => {
    const fits = Object.hasOwn(SCOPES, String(scope)) ? SCOPES[String(scope)] : undefined;
    if (fits === undefined) return [invalid(field, { value, detail: "unsupported scope" })];
    return misfits(fits, hard).map(() =>
      invalid(field, { value, detail: "unsupported scope applied to resource" })
    );
  });
  return [...causes, ...conflicts(scopes).map(() => invalid(field, { value, detail: "conflicting scopes" }))];
}

function misfits(fits: readonly string[], hard: JsonObject | undefined): string[] {
  return Object.keys(hard ?? {}).filter((name) => isForQuotas(name) && !fits.includes(name));
}

function conflicts(scopes: readonly unknown[]): unknown[] {
  return OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function selectorCauses(
  selector: JsonObject | undefined,
  { scopes, hard }: { readonly scopes: unknown; readonly hard: JsonObject | undefined },
): Cause[] {
  if (selector === undefined) return [];
  const field = "spec.scopeSelector.matchExpressions";
  const expressions = objectsIn(selector.matchExpressions);
  const causes = expressions.flatMap(({ scopeName, operator, values }) => {
    const found: Cause[] = [];
    const fits = Object.hasOwn(SCOPES, String(scopeName)) ? SCOPES[String(scopeName)] : undefined;
    if (fits === undefined) {
      found.push(invalid(`${field}.scopeName`, { value: scopeName, detail: "unsupported scope" }));
    } else if (misfits(fits, hard).length > 0) {
      found.push(invalid(field, { value: selector, detail: "unsupported scope applied to resource" }));
    }
    return [...found, ...operatorCauses({ scopeName, operator, values }, field)];
  });
  const named = expressions.map(({ scopeName }) => scopeName);
  const clashes = conflicts(named).map(() => invalid(field, { value: scopes, detail: "conflicting scopes" }));
  return [...causes, ...clashes];
}

const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorCauses({ scopeName, operator, values }: JsonObject, field: string): Cause[] {
  const causes: Cause[] = [];
  const hasValues = Array.isArray(values) && values.length > 0;
  const isSelectable = scopeName === "PriorityClass" || scopeName === "VolumeAttributesClass";
  if (Object.hasOwn(SCOPES, String(scopeName)) && !isSelectable && operator !== "Exists") {
    causes.push(invalid(`${field}.operator`, { value: operator, detail: ONLY_EXISTS }));
  }
  if (operator === "In" || operator === "NotIn") {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (!hasValues) causes.push(required(`${field}.values`, detail));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (hasValues) causes.push(invalid(`${field}.values`, { value: values, detail }));
  } else {
    causes.push(invalid(`${field}.operator`, { value: operator, detail: "not a valid selector operator" }));
  }
  return causes;
}

const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];
const BOUNDS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** Returns the faults of a LimitRange. */
export function limitRangeCauses({ spec }: KubeObject): Cause[] {
  const seen = new Set<unknown>();
  return objectsIn(spec?.limits).flatMap((limit, index) => {
    const path = `spec.limits[${index}]`;
    const causes = typeCauses(String(limit.type ?? ""), `${path}.type`);
    if (seen.has(limit.type)) {
      causes.push(duplicate(`${path}.type`, limit.type));
    }
    seen.add(limit.type);
    return [...causes, ...limitCauses(limit, path)];
  });
}

function typeCauses(type: string, field: string): Cause[] {
  const errors = qualifiedNameErrors(type);
  if (errors.length > 0) return errors.map((detail) => invalid(field, { value: type, detail }));
  if (type.includes("/") || LIMIT_TYPES.includes(type)) return [];
  return [invalid(field, { value: type, detail: "must be a standard limit type or fully qualified" })];
}

function limitCauses(limit: JsonObject, path: string): Cause[] {
  const causes: Cause[] = [];
  const isPod = limit.type === "Pod";
  const keys = new Set<string>();
  for (const bound of BOUNDS) {
    const names = Object.keys(objectAt(limit, bound) ?? {});
    if (isPod && bound.startsWith("default")) {
      const detail = "may not be specified when `type` is 'Pod'";
      if (names.length > 0) causes.push(forbidden(`${path}.${bound}`, detail));
      continue;
    }
    for (const name of names) {
      causes.push(...limitedCauses(name, { field: `${path}.${bound}[${name}]`, type: limit.type }));
      keys.add(name);
    }
  }
  const stores = objectAt(limit, "min")?.storage ?? objectAt(limit, "max")?.storage;
  if (limit.type === "PersistentVolumeClaim" && stores === undefined) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    causes.push(required(`${path}.limits`, detail));
  }
  return [...causes, ...[...keys].sort().flatMap((name) => boundCauses(limit, name, path))];
}

function limitedCauses(name: string, { field, type }: { field: string; type: unknown }): Cause[] {
  const causes = resourceCauses(name, field);
  const isContainers = COMPUTE.includes(name) || name.startsWith("hugepages-");
  if ((type === "Pod" || type === "Container") && !name.includes("/") && !isContainers) {
    causes.push(invalid(field, { value: name, detail: "must be a standard resource for containers" }));
  }
  return causes;
}

/** Bounds of one resource must be in order. */
function boundCauses(limit: JsonObject, name: string, path: string): Cause[] {
  const at = (bound: string) => readAmounts(objectAt(limit, bound)).get(name);
  const isPod = limit.type === "Pod";
  const [min, max, ratio] = [at("min"), at("max"), at("maxLimitRequestRatio")];
  const [given, asked] = isPod ? [] : [at("default"), at("defaultRequest")];
  const causes: Cause[] = [];
  /** Compares two bounds: their names, their values, and the value that is shown. */
  const order = (field: string, of: Ordered): void => {
    const { low, high, lowName, highName, shown } = of;
    if (low === undefined || high === undefined || shown === undefined || low.value <= high.value) return;
    const [a, b] = [formatQuantity(low), formatQuantity(high)];
    causes.push(invalid(`${path}.${field}[${name}]`, {
      value: formatQuantity(shown),
      detail: `${lowName} value ${a} is greater than ${highName} value ${b}`,
    }));
  };
  order("min", { low: min, high: max, lowName: "min", highName: "max", shown: min });
  order("defaultRequest", {
    low: min,
    high: asked,
    lowName: "min",
    highName: "default request",
    shown: asked,
  });
  order("defaultRequest", {
    low: asked,
    high: max,
    lowName: "default request",
    highName: "max",
    shown: asked,
  });
  order("defaultRequest", {
    low: asked,
    high: given,
    lowName: "default request",
    highName: "default limit",
    shown: asked,
  });
  order("default", { low: min, high: given, lowName: "min", highName: "default", shown: min });
  order("default", { low: given, high: max, lowName: "default", highName: "max", shown: max });
  return [...causes, ...ratioCauses(ratio, { min, max, field: `${path}.maxLimitRequestRatio[${name}]` })];
}

interface Ordered {
  readonly low: Quantity | undefined;
  readonly high: Quantity | undefined;
  readonly lowName: string;
  readonly highName: string;
  readonly shown: Quantity | undefined;
}

function ratioCauses(
  ratio: Quantity | undefined,
  { min, max, field }: {
    readonly min: Quantity | undefined;
    readonly max: Quantity | undefined;
    readonly field: string;
  },
): Cause[] {
  if (ratio === undefined) return [];
  const value = formatQuantity(ratio);
  const causes: Cause[] = [];
  if (ratio.value < UNIT) causes.push(invalid(field, { value, detail: `ratio ${value} is less than 1` }));
  if (min !== undefined && max !== undefined && ratio.value * min.value > max.value * UNIT) {
    const most = (Number(max.value) / Number(min.value)).toFixed(6);
    causes.push(invalid(field, { value, detail: `ratio ${value} is greater than max/min = ${most}` }));
  }
  return causes;
}
