/**
 * The scheduler and the kubelets: they take Pods, start them and end them. Containers do not really run.
 *
 * A Pod is ready a second after it was bound, unless its annotations say otherwise; one that shall end does so a second
 * later. Sources: k8s.io/kubernetes, pkg/kubelet (status), pkg/scheduler.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { ObjectKey } from "../kinds.ts";
import { objectAt, objectsIn } from "../values.ts";
import { tell, type Told } from "./events.ts";
import { NODE_IP } from "./node.ts";
import { conditionOf, plain, withCondition } from "./pods.ts";
import { takes } from "./scheduling.ts";
import type { Condition, Node, Pod } from "./types.ts";
import { PLACES, type World } from "./world.ts";

/** On a Pod: how many seconds it takes to start. Default: 1. */
export const START_SECONDS = "lotse.dev/start-seconds";
/** On a Pod that ends by itself: how many seconds it runs. Default: 1. */
export const RUN_SECONDS = "lotse.dev/run-seconds";
/** On a Pod: the exit code of its containers. Default: 0. */
export const EXIT_CODE = "lotse.dev/exit-code";

/** Does the next thing for a Pod: binds, starts, ends or removes it. */
export async function reconcilePod(world: World, key: ObjectKey): Promise<number | undefined> {
  const pod = world.get<Pod>(PLACES.pods, key);
  if (pod?.spec === undefined) return undefined;
  if (pod.metadata.deletionTimestamp !== undefined) return await stop(world, pod);
  const { phase } = pod.status ?? {};
  if (phase === "Succeeded" || phase === "Failed") return undefined;
  if (pod.spec.nodeName === undefined) return await schedule(world, pod);
  // Another program runs the Pods of nodes that the server did not make.
  if (world.get(PLACES.nodes, { name: pod.spec.nodeName }) === undefined) return undefined;
  if (phase !== "Running") return await start(world, pod);
  await refreshReadiness(world, pod);
  return await end(world, pod);
}

async function schedule(world: World, pod: Pod): Promise<undefined> {
  const { spec, metadata } = pod;
  if (spec === undefined) return undefined;
  const nodes = world.list<Node>(PLACES.nodes);
  const [chosen] = leastLoaded(world, nodes.filter((node) => takes(node, spec)));
  if ((spec.schedulingGates ?? []).length > 0) return undefined;
  if (chosen === undefined) {
    const message = `0/${nodes.length} nodes are available: none takes the Pod.`;
    if (conditionOf(pod.status, "PodScheduled")?.message === message) return undefined;
    await writeConditions(world, pod, [
      condition(world, { type: "PodScheduled", status: "False", reason: "Unschedulable", message }),
    ], "kube-scheduler");
    await tellOf(world, pod, { reason: "FailedScheduling", message, type: "Warning", as: "kube-scheduler" });
    return undefined;
  }
  await world.create(PLACES.pods, {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: metadata.name, namespace: metadata.namespace },
    target: { apiVersion: "v1", kind: "Node", name: chosen.metadata.name },
  }, { as: "kube-scheduler", subresource: "binding" });
  const message = `Successfully assigned ${metadata.namespace}/${metadata.name} to ${chosen.metadata.name}`;
  await tellOf(world, pod, { reason: "Scheduled", message, as: "kube-scheduler" });
  return undefined;
}

/** Returns nodes, the ones with the fewest Pods first. */
function leastLoaded(world: World, nodes: readonly Node[]): readonly Node[] {
  if (nodes.length < 2) return nodes;
  const loads = new Map<string, number>();
  for (const { spec } of world.list<Pod>(PLACES.pods)) {
    if (spec?.nodeName !== undefined) loads.set(spec.nodeName, (loads.get(spec.nodeName) ?? 0) + 1);
  }
  const load = ({ metadata: { name = "" } }: Node): number => loads.get(name) ?? 0;
  return nodes.toSorted((a, b) => load(a) - load(b));
}

async function start(world: World, pod: Pod): Promise<number | undefined> {
  const missing = missingVolumes(world, pod);
  const waiting = pod.status?.phase === "Pending" && pod.status.containerStatuses !== undefined;
  const scheduled = conditionOf(pod.status, "PodScheduled")?.lastTransitionTime;
  const left = secondsOf(pod, START_SECONDS) - world.since(scheduled);
  if (missing || left > 0) {
    if (!waiting) await writeWaiting(world, pod);
    // A missing volume may come at any time.
    return missing ? 1 : left;
  }
  const ip = addressOf(pod.metadata.uid ?? "");
  const state = (name: string) => containerState(world, pod, { name, running: true });
  const ready = condition(world, { type: "Ready", status: "True" });
  const initial = objectsIn(pod.spec?.initContainers).map(({ name, image, restartPolicy }) => ({
    ...containerState(world, pod, {
      name: String(name),
      image: String(image),
      running: restartPolicy === "Always",
    }),
  }));
  await writeStatus(world, pod, {
    ...pod.status,
    phase: "Running",
    conditions: [
      ...["PodReadyToStartContainers", "Initialized"].map((type) =>
        condition(world, { type, status: "True" })
      ),
      ready,
      condition(world, { type: "ContainersReady", status: "True" }),
      ...[conditionOf(pod.status, "PodScheduled")].filter((found) => found !== undefined),
    ].map((each) => ({ ...each, observedGeneration: pod.metadata.generation })),
    hostIP: NODE_IP,
    hostIPs: [{ ip: NODE_IP }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: pod.status?.startTime ?? world.now,
    ...(initial.length > 0 ? { initContainerStatuses: initial } : {}),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image }) => ({ ...state(name), image })),
    observedGeneration: pod.metadata.generation,
  });
  for (const { name, image = "" } of pod.spec?.containers ?? []) {
    const message = `Container image ${
      JSON.stringify(image)
    } already present on machine and can be accessed by the pod`;
    await tellOf(world, pod, { reason: "Pulled", message, container: name });
    await tellOf(world, pod, { reason: "Created", message: "Container created", container: name });
    await tellOf(world, pod, { reason: "Started", message: "Container started", container: name });
  }
  return undefined;
}

/** Writes an Event about a Pod, as its kubelet unless `as` names another program. */
async function tellOf(
  world: World,
  object: Pod,
  { as = "kubelet", ...told }: Omit<Told, "component">,
): Promise<void> {
  const component = as === "kubelet" ? "kubelet" : "default-scheduler";
  await tell(world, { apiVersion: "v1", kind: "Pod", object }, { ...told, component, as });
}

/** Whether a Pod must wait for an object that it mounts. */
function missingVolumes(world: World, { metadata: { namespace }, spec }: Pod): boolean {
  return (spec?.volumes ?? []).some((volume) => {
    const claim = objectAt(volume, "persistentVolumeClaim")?.claimName;
    if (claim !== undefined) {
      const found = world.get<KubeObject>(PLACES.claims, { namespace, name: String(claim) });
      return found?.status?.phase !== "Bound";
    }
    const map = objectAt(volume, "configMap");
    if (map !== undefined && map.optional !== true) {
      return world.get("v1/configmaps", { namespace, name: String(map.name) }) === undefined;
    }
    const secret = objectAt(volume, "secret");
    if (secret === undefined || secret.optional === true) return false;
    return world.get("v1/secrets", { namespace, name: String(secret.secretName) }) === undefined;
  });
}

async function writeWaiting(world: World, pod: Pod): Promise<void> {
  const unready = { status: "False", reason: "ContainersNotReady" };
  const names = (pod.spec?.containers ?? []).map(({ name }) => name).join(" ");
  const message = `containers with unready status: [${names}]`;
  await writeStatus(world, pod, {
    ...pod.status,
    conditions: [
      condition(world, { type: "PodReadyToStartContainers", status: "False" }),
      condition(world, { type: "Initialized", status: "True" }),
      condition(world, { type: "Ready", ...unready, message }),
      condition(world, { type: "ContainersReady", ...unready, message }),
      ...[conditionOf(pod.status, "PodScheduled")].filter((found) => found !== undefined),
    ],
    hostIP: NODE_IP,
    hostIPs: [{ ip: NODE_IP }],
    startTime: world.now,
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image }) => ({
      name,
      image,
      imageID: "",
      lastState: {},
      ready: false,
      restartCount: 0,
      started: false,
      state: { waiting: { reason: "ContainerCreating" } },
    })),
    observedGeneration: pod.metadata.generation,
  });
}

/** Where a Pod has readiness gates, it is ready only when the condition of each gate is true. */
async function refreshReadiness(world: World, pod: Pod): Promise<void> {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return;
  const closed = gates.filter(({ conditionType }) =>
    conditionOf(pod.status, conditionType)?.status !== "True"
  );
  const isReady = conditionOf(pod.status, "Ready")?.status === "True";
  if (isReady === (closed.length === 0)) return;
  const message = `the status of pod readiness gate "${closed[0]?.conditionType}" is not "True", but False`;
  await writeConditions(world, pod, [
    closed.length === 0
      ? condition(world, { type: "Ready", status: "True" })
      : condition(world, { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message }),
  ], "kubelet");
}

/** Ends a Pod that shall not run for ever. */
async function end(world: World, pod: Pod): Promise<number | undefined> {
  const code = Number(pod.metadata.annotations?.[EXIT_CODE] ?? 0);
  const restarts = pod.spec?.restartPolicy;
  const ends = restarts === "Never" || (restarts === "OnFailure" && code === 0);
  if (!ends) return undefined;
  const left = secondsOf(pod, RUN_SECONDS) - world.since(pod.status?.startTime) +
    secondsOf(pod, START_SECONDS);
  if (left > 0) return left;
  const [reason, phase] = code === 0 ? ["PodCompleted", "Succeeded"] : ["PodFailed", "Failed"];
  const over = (type: string) => condition(world, { type, status: "False", reason });
  let conditions = pod.status?.conditions ?? [];
  for (const type of ["Ready", "ContainersReady", "PodReadyToStartContainers"]) {
    conditions = withCondition(conditions, over(type));
  }
  await writeStatus(world, pod, {
    ...pod.status,
    phase,
    conditions,
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image }) => ({
      ...containerState(world, pod, { name, image, running: false, code }),
    })),
  });
  return undefined;
}

/** Removes a Pod that is being deleted, when its containers have had their time. */
async function stop(world: World, pod: Pod): Promise<number | undefined> {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = pod.metadata;
  const node = pod.spec?.nodeName;
  if (node === undefined || world.get(PLACES.nodes, { name: node }) === undefined) return undefined;
  const passed = grace + world.since(deletionTimestamp);
  const left = Math.min(1, grace) - passed;
  if (left > 0) return left;
  if ((pod.metadata.finalizers ?? []).length > 0 && grace === 0) return undefined;
  if (pod.status?.phase === "Running") {
    for (const { name } of pod.spec?.containers ?? []) {
      await tellOf(world, pod, { reason: "Killing", message: `Stopping container ${name}`, container: name });
    }
  }
  await world.remove(PLACES.pods, pod, { as: "kubelet", options: { gracePeriodSeconds: 0 } });
  return undefined;
}

interface ContainerOptions {
  readonly name: string;
  readonly image?: string;
  readonly running: boolean;
  readonly code?: number;
}

function containerState(
  world: World,
  pod: Pod,
  { name, image = "", running, code = 0 }: ContainerOptions,
): JsonObject {
  const containerID = `lotse://${pod.metadata.uid}-${name}`;
  const startedAt = running ? world.now : pod.status?.startTime ?? world.now;
  const terminated = {
    containerID,
    exitCode: code,
    finishedAt: world.now,
    reason: code === 0 ? "Completed" : "Error",
    startedAt,
  };
  return {
    containerID,
    image,
    imageID: `lotse://${image}`,
    lastState: {},
    name,
    ready: running || code === 0 && pod.status?.phase !== "Running",
    restartCount: 0,
    started: running,
    state: running ? { running: { startedAt } } : { terminated },
  };
}

function condition(
  world: World,
  { type, status, reason, message }: Pick<Condition, "type" | "status" | "reason" | "message">,
): Condition {
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    lastProbeTime: null,
    lastTransitionTime: world.now,
  };
}

async function writeConditions(
  world: World,
  pod: Pod,
  changed: readonly Condition[],
  as: "kubelet" | "kube-scheduler",
): Promise<void> {
  let conditions = pod.status?.conditions ?? [];
  for (const one of changed) conditions = withCondition(conditions, one);
  await world.report(PLACES.pods, plain(pod), { status: { ...pod.status, conditions }, as });
}

async function writeStatus(world: World, pod: Pod, status: JsonObject): Promise<void> {
  await world.report(PLACES.pods, pod, { status, as: "kubelet" });
}

function secondsOf({ metadata }: Pod, annotation: string): number {
  const value = Number(metadata.annotations?.[annotation] ?? 1);
  return Number.isFinite(value) && value >= 0 ? value : 1;
}

/** An address that is always the same for the same Pod. */
function addressOf(uid: string): string {
  let hash = 2166136261;
  for (let i = 0; i < uid.length; i++) hash = Math.imul(hash ^ uid.charCodeAt(i), 16777619) >>> 0;
  return `10.244.${(hash >>> 8) & 255}.${2 + (hash & 255) % 252}`;
}
