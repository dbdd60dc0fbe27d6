/**
 * The defaults of built-in kinds that clients see most, and the status that an object has from the start.
 *
 * Source: k8s.io/kubernetes, pkg/apis/{core,apps,batch}/v1/defaults.go and the strategies in pkg/registry.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { defaultPodSpec } from "./pod_defaults.ts";
import { fill, isObject, objectAt, objectsIn } from "../values.ts";

type Filler = (spec: JsonObject, object: KubeObject) => void;

/** Returns what the admission plugin DefaultTolerationSeconds adds. */
function toleration(state: string): JsonObject {
  return {
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  };
}

/** Kinds whose fields stand on the highest level. */
const FLAT = ["EndpointSlice", "Event", "Namespace", "PodTemplate", "Secret", "StorageClass"];
const ROLLING = { maxUnavailable: "25%", maxSurge: "25%" };
/** Fields of a machine that are there even before anything is known of it. */
const NODE_INFO = Object.fromEntries(
  [
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
  ].map((field) => [field, ""]),
);
const KEEP_CLAIMS = { whenDeleted: "Retain", whenScaled: "Retain" };

const FILLERS: Readonly<Record<string, Filler>> = {
  CSIDriver: (spec) =>
    fill(spec, {
      attachRequired: true,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      podInfoOnMount: false,
      requiresRepublish: false,
      seLinuxMount: false,
      storageCapacity: false,
      volumeLifecycleModes: ["Persistent"],
    }),
  EndpointSlice: (_spec, object) => {
    for (const port of objectsIn(object.ports)) fill(port, { name: "", protocol: "TCP" });
  },
  Event: (_spec, object) =>
    fill(object, {
      eventTime: null,
      firstTimestamp: null,
      lastTimestamp: null,
      reportingComponent: "",
      reportingInstance: "",
      source: {},
    }),
  FlowSchema: (spec) => fillZeros(spec, { matchingPrecedence: 1000 }),
  HorizontalPodAutoscaler: defaultAutoscaler,
  LimitRange: (spec) => {
    for (const limit of objectsIn(spec.limits)) defaultLimit(limit);
  },
  PodTemplate: (_spec, object) => defaultTemplate(object, "Always"),
  PriorityLevelConfiguration: (spec) => {
    const limited = objectAt(spec, "limited");
    if (limited !== undefined) fill(limited, { lendablePercent: 0, nominalConcurrencyShares: 30 });
    const exempt = objectAt(spec, "exempt");
    if (exempt !== undefined) fill(exempt, { lendablePercent: 0, nominalConcurrencyShares: 0 });
    const queuing = objectAt(objectAt(limited, "limitResponse"), "queuing");
    if (queuing !== undefined) fillZeros(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 });
  },
  StorageClass: (_spec, object) => fill(object, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  Secret: (_spec, object) => fill(object, { type: "Opaque" }),
  Pod: (spec) => {
    fill(spec, {
      restartPolicy: "Always",
      enableServiceLinks: true,
    });
    defaultPodSpec(spec);
    for (const container of containersOf(spec)) defaultRequests(container);
  },
  Namespace: (_spec, object) => {
    fillStatus(object, { phase: "Active" });
    for (const condition of objectsIn(objectAt(object, "status")?.conditions)) {
      fill(condition, { lastTransitionTime: null });
    }
  },
  PersistentVolumeClaim: (spec, object) => {
    fill(spec, { volumeMode: "Filesystem" });
    fillStatus(object, { phase: "Pending" });
  },
  PersistentVolume: (spec, object) => {
    fillStatus(object, { phase: "Pending" });
    fill(spec, { volumeMode: "Filesystem", persistentVolumeReclaimPolicy: "Retain" });
    const hostPath = objectAt(spec, "hostPath");
    if (hostPath !== undefined) fill(hostPath, { type: "" });
  },
  Deployment: (spec) => {
    fill(spec, { replicas: 1, strategy: {}, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = objectAt(spec, "strategy") ?? {};
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") fill(strategy, { rollingUpdate: {} });
    const rolling = objectAt(strategy, "rollingUpdate");
    if (strategy.type === "RollingUpdate" && rolling !== undefined) fill(rolling, ROLLING);
    defaultTemplate(spec, "Always");
  },
  StatefulSet: (spec) => {
    fill(spec, {
      podManagementPolicy: "OrderedReady",
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: {},
      persistentVolumeClaimRetentionPolicy: KEEP_CLAIMS,
    });
    const strategy = objectAt(spec, "updateStrategy") ?? {};
    // NB: who names the type gets no more of it.
    if (strategy.type === undefined) fill(strategy, { type: "RollingUpdate", rollingUpdate: {} });
    const rolling = objectAt(strategy, "rollingUpdate");
    if (rolling !== undefined) fill(rolling, { partition: 0 });
    for (const claim of objectsIn(spec.volumeClaimTemplates)) defaultClaimTemplate(claim);
    defaultTemplate(spec, "Always");
  },
  DaemonSet: (spec) => {
    fill(spec, { updateStrategy: {}, revisionHistoryLimit: 10 });
    const strategy = objectAt(spec, "updateStrategy") ?? {};
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") fill(strategy, { rollingUpdate: {} });
    const rolling = objectAt(strategy, "rollingUpdate");
    if (strategy.type === "RollingUpdate" && rolling !== undefined) {
      fill(rolling, { maxUnavailable: 1, maxSurge: 0 });
    }
    defaultTemplate(spec, "Always");
  },
  ReplicaSet: (spec) => {
    fill(spec, { replicas: 1 });
    defaultTemplate(spec, "Always");
  },
  ReplicationController: defaultReplicationController,
  Job: (spec) => defaultJob(spec),
  CronJob: (spec) => {
    fill(spec, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const template = objectAt(spec, "jobTemplate");
    if (template !== undefined) fill(template, { metadata: {} });
    const job = objectAt(template, "spec");
    if (job !== undefined) defaultTemplate(job, undefined);
  },
  Node: (_spec, object) => {
    object.status ??= {};
    fill(object.status, { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} });
    fill(objectAt(object.status, "nodeInfo") ?? {}, NODE_INFO);
    fill(objectAt(objectAt(object.status, "daemonEndpoints"), "kubeletEndpoint") ?? {}, { Port: 0 });
    const capacity = objectAt(object.status, "capacity");
    if (capacity !== undefined) fill(object.status, { allocatable: capacity });
  },
  NetworkPolicy: (spec) => {
    fill(spec, { policyTypes: spec.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"] });
    for (const rule of [...objectsIn(spec.ingress), ...objectsIn(spec.egress)]) {
      for (const port of objectsIn(rule.ports)) fill(port, { protocol: "TCP" });
    }
  },
};

/** Fills in the defaults of a built-in kind, in place. */
export function defaultBuiltin(kind: string, object: KubeObject): void {
  if (!Object.hasOwn(FILLERS, kind)) return;
  if (!FLAT.includes(kind) && !isObject(object.spec)) object.spec = {};
  FILLERS[kind]?.(object.spec ?? {}, object);
}

function defaultTemplate(spec: JsonObject, restartPolicy: string | undefined): void {
  const template = objectAt(spec, "template");
  const pod = objectAt(template, "spec");
  if (template === undefined || pod === undefined) return;
  fill(template, { metadata: {} });
  if (restartPolicy !== undefined) fill(pod, { restartPolicy });
  defaultPodSpec(pod);
}

const SCALE_UP = {
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, {
    type: "Percent",
    value: 100,
    periodSeconds: 15,
  }],
  selectPolicy: "Max",
  stabilizationWindowSeconds: 0,
};
const SCALE_DOWN = {
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  selectPolicy: "Max",
};

function defaultAutoscaler(spec: JsonObject): void {
  const target = { type: "Utilization", averageUtilization: 80 };
  if (objectsIn(spec.metrics).length === 0) {
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  fill(spec, { minReplicas: 1 });
  const behavior = objectAt(spec, "behavior");
  if (behavior === undefined) return;
  fill(behavior, { scaleUp: {}, scaleDown: {} });
  fill(objectAt(behavior, "scaleUp") ?? {}, SCALE_UP);
  fill(objectAt(behavior, "scaleDown") ?? {}, SCALE_DOWN);
}

/** It selects by the labels of its Pods, and has them as well, unless it says otherwise. */
function defaultReplicationController(spec: JsonObject, { metadata }: KubeObject): void {
  fill(spec, { replicas: 1 });
  defaultTemplate(spec, "Always");
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  if (labels === undefined) return;
  const isEmpty = (map: unknown) => !isObject(map) || Object.keys(map).length === 0;
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  // Labels are texts, as their type says.
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels } as Record<string, string>;
}

function defaultJob(spec: JsonObject): void {
  // NB: with parallelism alone, any success is enough.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  fill(spec, {
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
    completionMode: "NonIndexed",
    manualSelector: false,
    parallelism: 1,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
    suspend: false,
  });
  for (const rule of objectsIn(objectAt(spec, "podFailurePolicy")?.rules)) {
    for (const pattern of objectsIn(rule.onPodConditions)) fill(pattern, { status: "True" });
  }
  defaultTemplate(spec, undefined);
}

function defaultClaimTemplate(claim: JsonObject): void {
  fill(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
  const spec = objectAt(claim, "spec");
  if (spec !== undefined) fill(spec, { volumeMode: "Filesystem" });
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

/** Fills in what a status lacks, if there is one. */
function fillStatus(object: KubeObject, defaults: JsonObject): void {
  fill(objectAt(object, "status") ?? {}, defaults);
}

/** Sets the fields that are absent, or 0. */
function fillZeros(target: JsonObject, defaults: Readonly<Record<string, number>>): void {
  for (const [key, value] of Object.entries(defaults)) if (!target[key]) target[key] = value;
}
