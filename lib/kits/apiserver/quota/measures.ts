/**
 * How much of a quota objects use: Pods, Services and claims by their specs, all others by their number.
 *
 * Source: Kubernetes documentation, "Resource Quotas"; k8s.io/kubernetes, pkg/quota/v1/evaluator/core.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Quantity, UNIT, ZERO } from "../formats/quantity.ts";
import { equal, objectAt, objectsIn } from "../values.ts";
import { addAmounts, type Amounts, ONE, readAmounts } from "./amounts.ts";
import { podAmountsWithOverhead } from "./pod_amounts.ts";
import { attributesOf, isClaimInScope, isPodInScope, isTerminating } from "./scopes.ts";

/** A write that a quota may be about. */
export interface MeasuredWrite {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly subresource: string;
  readonly object: KubeObject;
  readonly oldObject?: KubeObject;
}

/** How objects of one kind are measured. */
export interface Measure {
  /** Whether a quota for that name is about such objects. */
  counts(name: string): boolean;
  /** Returns the amounts that an object uses. `now` is in milliseconds since 1970. */
  usage(object: KubeObject, now: number): Amounts;
  /** Returns the amounts that so many objects use, where all use the same. */
  total?(count: number): Amounts;
  /** Whether an object is in a scope. */
  isInScope(object: KubeObject, selector: JsonObject): boolean;
  /** Whether a write may use more than there was before. */
  mayCost(write: MeasuredWrite): boolean;
  /** Returns the amounts that an object lacks although quotas for these names demand them. */
  lacks?(object: KubeObject, names: readonly string[]): string | undefined;
}

/** The older names of some counts. */
const ALIASES: Readonly<Record<string, string>> = {
  "count/configmaps": "configmaps",
  "count/replicationcontrollers": "replicationcontrollers",
  "count/resourcequotas": "resourcequotas",
  "count/secrets": "secrets",
};

/** Returns how a kind is measured; undefined if quotas are not about it. */
export function measureOf(
  { group, plural }: { readonly group: string; readonly plural: string },
): Measure | undefined {
  if (plural === "events" && (group === "" || group === "events.k8s.io")) return undefined;
  if (group === "" && plural === "pods") return PODS;
  if (group === "" && plural === "services") return SERVICES;
  if (group === "" && plural === "persistentvolumeclaims") return CLAIMS;
  const count = `count/${plural}${group === "" ? "" : `.${group}`}`;
  const names = [count, ALIASES[count]].filter((name) => name !== undefined);
  const usage = new Map(names.map((name) => [name, ONE]));
  return {
    counts: (name) => names.includes(name),
    usage: () => usage,
    total: (count) => new Map(names.map((name) => [name, times(count)])),
    isInScope: () => false,
    mayCost: ({ operation, subresource }) => operation === "CREATE" && subresource === "",
  };
}

const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
/** NB: if a quota limits one of these, each container has to ask for it. */
const DEMANDED = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const POD_NAMES = [
  "count/pods",
  "pods",
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
];

const PODS: Measure = {
  counts: (name) => POD_NAMES.includes(name) || /^(requests\.)?hugepages-/.test(name) || isExtended(name),
  usage(pod, now) {
    const count = new Map([["count/pods", ONE]]);
    if (!isCharged(pod, now)) return count;
    const [requests, limits] = [
      podAmountsWithOverhead(pod, "requests"),
      podAmountsWithOverhead(pod, "limits"),
    ];
    return addAmounts(count, computeUsage(requests, limits));
  },
  isInScope: isPodInScope,
  mayCost: ({ operation, subresource, object, oldObject }) =>
    subresource === "" &&
    (operation === "CREATE" ||
      (oldObject !== undefined && isTerminating(object) !== isTerminating(oldObject))),
  lacks(pod, names) {
    const spec = pod.spec ?? {};
    if (objectAt(spec, "resources") !== undefined) return undefined;
    const missing = new Map<string, string[]>();
    for (const container of [...objectsIn(spec.containers), ...objectsIn(spec.initContainers)]) {
      const resources = objectAt(container, "resources");
      const given = computeUsage(readAmounts(resources?.requests), readAmounts(resources?.limits));
      for (const name of names) {
        if (!DEMANDED.includes(name) || given.has(name)) continue;
        missing.set(name, [...missing.get(name) ?? [], String(container.name)]);
      }
    }
    if (missing.size === 0) return undefined;
    const parts = [...missing].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, containers]) => `${name} for: ${containers.sort().join(",")}`);
    return `must specify ${parts.join("; ")}`;
  },
};

/** Such as "requests.nvidia.com/gpu". */
function isExtended(name: string): boolean {
  return name.startsWith("requests.") && name.includes("/") &&
    (!name.includes("kubernetes.io/") || name.startsWith("requests.deviceclass.resource.kubernetes.io/"));
}

/** Pods that have ended, or whose time to end is over, are not charged for, but still counted. */
function isCharged({ metadata, status }: KubeObject, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + 1000 * deletionGracePeriodSeconds;
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>([["pods", ONE]]);
  for (const [name, quantity] of requests) {
    const isCompute = COMPUTE.includes(name) || name.startsWith("hugepages-");
    if (isCompute) usage.set(name, quantity);
    if (isCompute || isExtended(`requests.${name}`)) usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

const SERVICE_NAMES = ["count/services", "services", "services.nodeports", "services.loadbalancers"];

const SERVICES: Measure = {
  counts: (name) => SERVICE_NAMES.includes(name),
  usage({ spec }) {
    const isBalanced = spec?.type === "LoadBalancer";
    return new Map([
      ["count/services", ONE],
      ["services", ONE],
      ["services.nodeports", times(nodePortsOf(spec))],
      ["services.loadbalancers", isBalanced ? ONE : ZERO],
    ]);
  },
  isInScope: () => false,
  mayCost: ({ operation, subresource }) => operation !== "DELETE" && subresource === "",
};

function nodePortsOf(spec: JsonObject | undefined): number {
  const ports = objectsIn(spec?.ports);
  if (spec?.type === "NodePort") return ports.length;
  if (spec?.type !== "LoadBalancer") return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort }) => nodePort !== undefined && nodePort !== 0).length;
}

function times(count: number): Quantity {
  return { ...ONE, value: BigInt(count) * UNIT };
}

const CLAIM_NAMES = ["persistentvolumeclaims", "requests.storage"];
const OF_CLASS = ".storageclass.storage.k8s.io/";

const CLAIMS: Measure = {
  counts: (name) =>
    name === "count/persistentvolumeclaims" || CLAIM_NAMES.includes(name) ||
    CLAIM_NAMES.some((part) => name.endsWith(`${OF_CLASS}${part}`)),
  usage(claim) {
    const own = new Map([["persistentvolumeclaims", ONE]]);
    const storage = storageOf(claim);
    if (storage !== undefined) own.set("requests.storage", storage);
    const name = classOf(claim);
    const scoped = name === ""
      ? []
      : [...own].map(([part, quantity]): [string, Quantity] => [`${name}${OF_CLASS}${part}`, quantity]);
    return new Map([["count/persistentvolumeclaims", ONE], ...own, ...scoped]);
  },
  isInScope: isClaimInScope,
  mayCost({ operation, subresource, object, oldObject }) {
    if (operation === "DELETE" || (subresource !== "" && subresource !== "status")) return false;
    return subresource === "" || oldObject === undefined ||
      !equal(attributesOf(object).sort(), attributesOf(oldObject).sort());
  },
};

function classOf({ metadata, spec }: KubeObject): string {
  return String(
    metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "",
  );
}

/** NB: the allocated storage counts, if it is more; both in whole bytes. */
function storageOf({ spec, status }: KubeObject): Quantity | undefined {
  const asked = readAmounts(objectAt(objectAt(spec, "resources"), "requests")).get("storage");
  if (asked === undefined) return undefined;
  const allocated = readAmounts(objectAt(status, "allocatedResources")).get("storage");
  const larger = allocated !== undefined && allocated.value > asked.value ? allocated : asked;
  return { ...larger, value: ((larger.value + UNIT - 1n) / UNIT) * UNIT };
}
