/**
 * Defaults of built-in kinds that are made of other fields, and the status that an object has from the start.
 *
 * All other defaults are recorded from a real server: `types/recorded.ts`. Source: k8s.io/kubernetes,
 * pkg/apis/core/v1/defaults.go and the strategies in pkg/registry.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { fill, isObject, objectAt, objectsIn } from "../values.ts";

/** Returns what the admission plugin DefaultTolerationSeconds adds. */
function toleration(state: string): JsonObject {
  return {
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  };
}

/** Fills in the defaults of a built-in kind that follow from other fields, in place; the recorded ones come after. */
export function defaultBuiltin(kind: string, object: KubeObject): void {
  const spec = objectAt(object, "spec") ?? {};
  const pod = podSpecIn(kind, object);
  if (pod !== undefined) defaultContainers(pod);
  if (kind === "Pod") {
    for (const container of containersOf(spec)) defaultRequests(container);
    if (spec.hostNetwork === true) defaultHostPorts(spec);
  }
  if (kind === "Pod") fillPair(objectAt(object, "status"), { one: "podIP", all: "podIPs", key: "ip" });
  if (kind === "Node") fillPair(spec, { one: "podCIDR", all: "podCIDRs" });
  if (kind === "StatefulSet") {
    for (const claim of objectsIn(spec.volumeClaimTemplates)) {
      Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
    }
  }
  if (kind === "LimitRange") { for (const limit of objectsIn(spec.limits)) defaultLimit(limit); }
  if (kind === "ReplicationController") defaultReplicationController(spec, object);
}

function podSpecIn(kind: string, object: KubeObject): JsonObject | undefined {
  if (kind === "Pod") return objectAt(object, "spec");
  const holder = kind === "PodTemplate"
    ? object
    : kind === "CronJob"
    ? objectAt(objectAt(objectAt(object, "spec"), "jobTemplate"), "spec")
    : objectAt(object, "spec");
  return objectAt(objectAt(holder, "template"), "spec");
}

/** Images without a version are fetched always, but for names that are none. */
function defaultContainers(pod: JsonObject): void {
  for (const container of [...containersOf(pod), ...objectsIn(pod.ephemeralContainers)]) {
    const image = String(container.image ?? "");
    const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
    const isNewest = isImage(image) && (tag === undefined || tag === "latest");
    fill(container, { imagePullPolicy: isNewest ? "Always" : "IfNotPresent" });
  }
}

/** Whether a repository is in lower case, behind the name of a registry. Source: github.com/distribution/reference. */
function isImage(image: string): boolean {
  const name = image.replace(/[@:][^/]*$/, "");
  const [first = "", ...rest] = name.split("/");
  const hasRegistry = rest.length > 0 &&
    (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const path = hasRegistry ? rest : [first, ...rest];
  return path.every((part) => /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/.test(part));
}

/** A field of one value, and its newer list: the first item is that value. */
function fillPair(
  object: JsonObject | undefined,
  { one, all, key }: { readonly one: string; readonly all: string; readonly key?: string },
): void {
  if (object === undefined) return;
  const [first] = Array.isArray(object[all]) ? object[all] : [];
  const value = key === undefined || !isObject(first) ? first : first[key];
  if (value) object[one] = value;
  else if (object[one]) object[all] = [key === undefined ? object[one] : { [key]: object[one] }];
}

/** NB: of a Pod alone, and not of templates. */
function defaultHostPorts(pod: JsonObject): void {
  for (const port of containersOf(pod).flatMap(({ ports }) => objectsIn(ports))) {
    if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
  }
}

/** It selects by the labels of its Pods, and has them as well, unless it says otherwise. */
function defaultReplicationController(spec: JsonObject, { metadata }: KubeObject): void {
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  if (labels === undefined) return;
  const isEmpty = (map: unknown) => !isObject(map) || Object.keys(map).length === 0;
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  // Labels are texts, as their type says.
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels } as Record<string, string>;
}

const STATUS: Readonly<Record<string, JsonObject>> = {
  Namespace: { phase: "Active" },
  Pod: { phase: "Pending", qosClass: "BestEffort" },
  PersistentVolumeClaim: { phase: "Pending" },
  PersistentVolume: { phase: "Pending" },
  Service: { loadBalancer: {} },
  StatefulSet: { availableReplicas: 0, replicas: 0 },
  ReplicaSet: { replicas: 0 },
  ReplicationController: { replicas: 0 },
  DaemonSet: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  APIService: {},
  CertificateSigningRequest: {},
  Deployment: {},
  FlowSchema: {},
  Job: {},
  PriorityLevelConfiguration: {},
  ResourceClaim: {},
  ResourceQuota: {},
  CronJob: {},
  HorizontalPodAutoscaler: { currentMetrics: null, desiredReplicas: 0 },
  Ingress: { loadBalancer: {} },
  PodDisruptionBudget: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
};

function containersOf(spec: JsonObject | undefined): JsonObject[] {
  return [...objectsIn(spec?.containers), ...objectsIn(spec?.initContainers)];
}

/** Of what a Pod's container is limited to, it asks for as much. */
function defaultRequests(container: JsonObject): void {
  const resources = objectAt(container, "resources");
  const limits = objectAt(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  fill(resources, { requests: {} });
  fill(objectAt(resources, "requests") ?? {}, limits);
}

/** How much a Pod is promised. Source: Kubernetes documentation, "Pod Quality of Service Classes". */
function qosClassOf(spec: JsonObject | undefined): string {
  const amounts = containersOf(spec).map((container) => {
    const resources = objectAt(container, "resources");
    return { limits: objectAt(resources, "limits") ?? {}, requests: objectAt(resources, "requests") ?? {} };
  });
  const names = ["cpu", "memory"];
  const asks = amounts.some(({ limits, requests }) =>
    names.some((name) => name in limits || name in requests)
  );
  if (!asks) return "BestEffort";
  const isGuaranteed = amounts.every(({ limits, requests }) =>
    names.every((name) => name in limits && limits[name] === requests[name])
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

/** Fills in the defaults that follow from the other amounts of a limit: what is the most is the default, and so on. */
function defaultLimit(limit: JsonObject): void {
  if (limit.type !== "Container") return;
  fill(limit, { default: {}, defaultRequest: {} });
  const [given, asked] = [objectAt(limit, "default") ?? {}, objectAt(limit, "defaultRequest") ?? {}];
  fill(given, objectAt(limit, "max") ?? {});
  fill(asked, given);
  fill(asked, objectAt(limit, "min") ?? {});
  for (const field of ["default", "defaultRequest"]) {
    if (Object.keys(objectAt(limit, field) ?? {}).length === 0) delete limit[field];
  }
}

/** Adds the tolerations that an admission plugin of the real server adds to a Pod. */
export function tolerate(pod: KubeObject): void {
  const spec = objectAt(pod, "spec");
  if (spec === undefined) return;
  const tolerations = objectsIn(spec.tolerations);
  const missing = ["not-ready", "unreachable"].map(toleration).filter(({ key }) =>
    !tolerations.some((one) =>
      (one.key === key || one.key === undefined) && (one.effect === "NoExecute" || one.effect === undefined)
    )
  );
  if (missing.length > 0) spec.tolerations = [...tolerations, ...missing];
}

/** Sets the status that the API server gives to a new object. */
export function initialStatus(kind: string, object: KubeObject): void {
  if (!Object.hasOwn(STATUS, kind)) return;
  object.status = structuredClone(STATUS[kind]);
  if (kind !== "Pod") return;
  const isGated = objectsIn(object.spec?.schedulingGates).length > 0;
  const conditions = isGated
    ? [{ ...GATED, lastTransitionTime: object.metadata.creationTimestamp }]
    : undefined;
  object.status = { ...object.status, qosClass: qosClassOf(object.spec), ...(conditions && { conditions }) };
}

const GATED = {
  type: "PodScheduled",
  status: "False",
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
  lastProbeTime: null,
};
