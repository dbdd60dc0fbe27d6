/**
 * DaemonSets: one Pod on each node that takes it.
 *
 * Source: k8s.io/kubernetes, pkg/controller/daemon.
 */

import type { ObjectKey } from "../kinds.ts";
import { availableIn, claim, createPod, isActive, isReady, share } from "./pods.ts";
import { currentRevision, dropRevisions, REVISION_LABEL } from "./revisions.ts";
import { takes } from "./scheduling.ts";
import type { DaemonSet, Node, Pod, PodSpec } from "./types.ts";
import { PLACES, type World } from "./world.ts";

const GENERATION_LABEL = "pod-template-generation";
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** The taints that Pods of DaemonSets bear, so that they run on nodes that other Pods avoid. */
const TOLERATIONS = [
  "not-ready",
  "unreachable",
  "disk-pressure",
  "memory-pressure",
  "pid-pressure",
  "unschedulable",
]
  .map((state, index) => ({
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: index < 2 ? "NoExecute" : "NoSchedule",
  }));

/** Brings a DaemonSet in order. */
export async function reconcileDaemonSet(world: World, key: ObjectKey): Promise<number | undefined> {
  const set = world.get<DaemonSet>(PLACES.daemonSets, key);
  if (set?.spec === undefined) return undefined;
  const { spec } = set;
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", object: set };
  const find = () => claim<Pod>(world, PLACES.pods, { owner, selector: spec.selector });
  const revision = await currentRevision(world, { owner, template: spec.template });
  const hash = revision.metadata.labels?.["controller.kubernetes.io/hash"] ?? "";
  const pods = await find();
  const nodes = world.list<Node>(PLACES.nodes);
  const wanted = nodes.filter((node) => takes(node, tolerant(spec.template.spec)));
  if (set.metadata.deletionTimestamp === undefined) {
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    const taken = new Set<string>();
    for (const pod of pods) {
      const node = targetOf(pod);
      const hasEnded = pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
      const isGoing = pod.metadata.deletionTimestamp !== undefined;
      const goes = !names.has(node) || taken.has(node) || hasEnded;
      if (!hasEnded) taken.add(node);
      if (goes && !isGoing) await world.remove(PLACES.pods, pod);
    }
    for (const { metadata: { name = "" } } of wanted) {
      if (taken.has(name)) continue;
      await createPod(world, {
        owner,
        template: spec.template,
        labels: {
          [REVISION_LABEL]: hash,
          [GENERATION_LABEL]: set.metadata.annotations?.[TEMPLATE_GENERATION] ?? "1",
        },
        spec: pinned(tolerant(spec.template.spec), name),
      });
    }
    await replaceOutdated(world, set, { pods: await find(), hash, wanted: wanted.length });
  }
  const live = new Set([revision.metadata.name]);
  await dropRevisions(world, { owner, live, limit: Number(spec.revisionHistoryLimit ?? 10) });
  return await report(world, set, { pods: await find(), wanted, hash });
}

function tolerant(spec: PodSpec): PodSpec {
  return { ...spec, tolerations: [...spec.tolerations ?? [], ...TOLERATIONS] };
}

/** The Pod of a node: it fits nowhere else. */
function pinned(spec: PodSpec, node: string): PodSpec {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
  };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}

/** The node that a Pod is on, or shall be on. */
function targetOf({ spec }: Pod): string {
  if (spec?.nodeName !== undefined) return spec.nodeName;
  const terms = JSON.stringify(spec?.affinity ?? {});
  return /"key":"metadata.name","operator":"In","values":\["([^"]*)"\]/.exec(terms)?.[1] ?? "";
}

interface Outdated {
  readonly pods: readonly Pod[];
  readonly hash: string;
  readonly wanted: number;
}

async function replaceOutdated(
  world: World,
  set: DaemonSet,
  { pods, hash, wanted }: Outdated,
): Promise<void> {
  const { updateStrategy, minReadySeconds } = set.spec!;
  if (updateStrategy.type !== "RollingUpdate") return;
  const { maxUnavailable } = updateStrategy.rollingUpdate ?? {};
  const most = Math.max(1, share(maxUnavailable, { of: wanted, up: true, fallback: 1 }));
  const active = pods.filter(isActive);
  const isDown = (pod: Pod) => availableIn(world, pod, minReadySeconds) !== 0;
  let room = most - active.filter(isDown).length - (wanted - active.length);
  for (const pod of active) {
    if (pod.metadata.labels?.[REVISION_LABEL] === hash) continue;
    // Pods that are down already take no room.
    if (!isDown(pod) && room-- <= 0) continue;
    await world.remove(PLACES.pods, pod);
  }
}

async function report(
  world: World,
  set: DaemonSet,
  { pods, wanted, hash }: {
    readonly pods: readonly Pod[];
    readonly wanted: readonly Node[];
    readonly hash: string;
  },
): Promise<number | undefined> {
  const { namespace, name = "", generation } = set.metadata;
  const live = world.get<DaemonSet>(PLACES.daemonSets, { namespace, name });
  if (live === undefined) return undefined;
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const there = pods.filter((pod) => isActive(pod) && names.has(targetOf(pod)));
  const waits = there.map((pod) => availableIn(world, pod, set.spec?.minReadySeconds));
  const available = waits.filter((wait) => wait === 0).length;
  const updated = there.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash).length;
  const unavailable = wanted.length - available;
  await world.report(PLACES.daemonSets, live, {
    status: {
      currentNumberScheduled: there.length,
      numberMisscheduled: 0,
      desiredNumberScheduled: wanted.length,
      numberReady: there.filter(isReady).length,
      observedGeneration: generation,
      ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
      ...(available > 0 ? { numberAvailable: available } : {}),
      ...(unavailable > 0 ? { numberUnavailable: unavailable } : {}),
    },
  });
  const later = waits.filter((wait) => wait !== undefined && wait > 0) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
}
