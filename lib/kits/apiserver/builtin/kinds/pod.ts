/** Pods: their priority, tolerations, service account, topology and class of service, and the time that they have to end. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, forbidden } from "../../causes.ts";
import { fill, objectAt, objectsIn } from "../../values.ts";
import { fillPair } from "../defaults.ts";
import type { KindContext, KindModule } from "../kind_module.ts";
import { podSpecCauses } from "../pod_checks.ts";
import { copyTopology, NODES } from "../pod_topology.ts";
import { podWarnings } from "../pod_warnings.ts";
import { PRIORITY_CLASSES, setPriority } from "./priority_class.ts";
import { nameWarnings } from "../templates.ts";
import { sealedPodCauses } from "./pod_changes.ts";
import { POD_ROW } from "./pod_row.ts";

export function podModule({ store, runsPods }: KindContext): KindModule {
  return {
    template: "",
    complete(object) {
      const { spec = {} } = object;
      for (const container of containersOf(spec)) defaultRequests(container);
      if (spec.hostNetwork === true) defaultHostPorts(spec);
      fillPair(objectAt(object, "status"), { one: "podIP", all: "podIPs", key: "ip" });
    },
    admit(object, old) {
      setPriority(object, old, store.collection(PRIORITY_CLASSES));
      tolerate(object);
      if (runsPods && object.spec !== undefined) {
        fill(object.spec, { serviceAccountName: "default", serviceAccount: "default" });
      }
      if (old === undefined) {
        copyTopology(object.metadata, object.spec?.nodeName, store.collection(NODES));
      }
    },
    settle(object, old) {
      if (old === undefined) object.status = initialStatus(object);
    },
    causes: ({ spec = {} }, { old }) => [
      ...podSpecCauses(spec, { path: "spec" }),
      ...(old === undefined ? newPodCauses(spec) : []),
    ],
    sealed: ({ spec = {} }, { spec: before = {} }, part) =>
      part === "binding" ? [] : sealedPodCauses(spec, before, part),
    warnings: ({ metadata, spec = {} }, old) =>
      old === undefined
        ? [...nameWarnings(metadata, "the Pod's hostname"), ...podWarnings({ metadata, spec, path: "" })]
        : [],
    gracePeriod: podGracePeriod,
    keptWithStatus: ["deletionTimestamp"],
    ...POD_ROW,
  };
}

/** Pods that no kubelet runs need no time to end. Source: k8s.io/kubernetes, pkg/registry/core/pod/strategy.go. */
function podGracePeriod({ spec, status }: KubeObject, asked: number | undefined): number {
  const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
  if (isOver || spec?.nodeName === undefined || spec.nodeName === "") return 0;
  const seconds = asked ?? Number(spec.terminationGracePeriodSeconds ?? 0);
  return seconds < 0 ? 1 : seconds;
}

function initialStatus({ spec, metadata }: KubeObject): JsonObject {
  const isGated = objectsIn(spec?.schedulingGates).length > 0;
  const conditions = [{ ...GATED, lastTransitionTime: metadata.creationTimestamp }];
  return { phase: "Pending", qosClass: qosClassOf(spec), ...(isGated ? { conditions } : {}) };
}

const GATED = {
  type: "PodScheduled",
  status: "False",
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
  lastProbeTime: null,
};

function containersOf(spec: JsonObject | undefined): JsonObject[] {
  return [...objectsIn(spec?.containers), ...objectsIn(spec?.initContainers)];
}

/** Makes each limit of a container its request, where it has none for that resource. */
function defaultRequests(container: JsonObject): void {
  const resources = objectAt(container, "resources");
  const limits = objectAt(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  fill(resources, { requests: {} });
  fill(objectAt(resources, "requests") ?? {}, limits);
}

/** NB: of a Pod alone, and not of templates. */
function defaultHostPorts(pod: JsonObject): void {
  for (const port of containersOf(pod).flatMap(({ ports }) => objectsIn(ports))) {
    if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
  }
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

/** Returns the toleration that the admission plugin DefaultTolerationSeconds adds. */
function toleration(state: string): JsonObject {
  return {
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  };
}

/** Returns the faults of fields that a new Pod cannot have. */
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
