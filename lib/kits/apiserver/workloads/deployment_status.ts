/**
 * The status of a Deployment.
 *
 * Source: k8s.io/kubernetes, pkg/controller/deployment/progress.go and util/deployment_util.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { conditionOf, withCondition } from "./pods.ts";
import { fences, HISTORY, REVISION, type Rollout } from "./rollout.ts";
import type { Condition, Deployment, ReplicaSet } from "./types.ts";
import { PLACES, type World } from "./world.ts";

interface Counts {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly terminating: number;
}

/** Writes the status; returns in how many seconds the progress deadline is, if the rollout waits for it. */
export async function reportDeployment(world: World, rollout: Rollout): Promise<number | undefined> {
  const { namespace, name = "" } = rollout.deployment.metadata;
  const deployment = world.get<Deployment>(PLACES.deployments, { namespace, name });
  if (deployment?.spec === undefined) return undefined;
  const counts = countAll(rollout);
  const { generation } = rollout.deployment.metadata;
  const conditions = conditionsOf(world, { ...rollout, deployment }, counts);
  const { replicas, updated, ready, available, terminating } = counts;
  const unavailable = Math.max(0, replicas - available);
  const status: JsonObject = {
    observedGeneration: generation,
    ...(replicas > 0 ? { replicas } : {}),
    ...(updated > 0 ? { updatedReplicas: updated } : {}),
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    ...(available > 0 ? { availableReplicas: available } : {}),
    ...(unavailable > 0 ? { unavailableReplicas: unavailable } : {}),
    terminatingReplicas: terminating,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  const revision = rollout.current?.metadata.annotations?.[REVISION];
  const annotations = revision === undefined
    ? deployment.metadata.annotations
    : { ...deployment.metadata.annotations, [REVISION]: revision };
  await world.report(PLACES.deployments, deployment, { status, annotations });
  const progressing = conditionOf({ conditions }, "Progressing");
  if (deployment.spec.paused === true || isComplete(rollout, counts)) return undefined;
  if (progressing === undefined || progressing.reason === "ProgressDeadlineExceeded") return undefined;
  const passed = world.since(progressing.lastUpdateTime);
  return Math.max(1, deployment.spec.progressDeadlineSeconds - passed);
}

function countAll({ current, old }: Rollout): Counts {
  const sets: readonly ReplicaSet[] = current === undefined ? old : [current, ...old];
  const sum = (of: (set: ReplicaSet) => unknown) =>
    sets.reduce((total, set) => total + Number(of(set) ?? 0), 0);
  return {
    replicas: sum(({ status }) => status?.replicas),
    updated: Number(current?.status?.replicas ?? 0),
    ready: sum(({ status }) => status?.readyReplicas),
    available: sum(({ status }) => status?.availableReplicas),
    terminating: sum(({ status }) => status?.terminatingReplicas),
  };
}

function isComplete({ deployment }: Rollout, { updated, replicas, available }: Counts): boolean {
  const wanted = deployment.spec?.replicas ?? 0;
  const isSeen = deployment.metadata.generation === deployment.status?.observedGeneration ||
    deployment.status?.observedGeneration === undefined;
  return updated === wanted && replicas === wanted && available === wanted && isSeen;
}

function conditionsOf(world: World, rollout: Rollout, counts: Counts): readonly Condition[] {
  const { deployment } = rollout;
  const before = deployment.status?.conditions ?? [];
  const make = (type: string, status: string, reason: string, message: string): Condition => ({
    type,
    status,
    reason,
    message,
    lastUpdateTime: world.now,
    lastTransitionTime: world.now,
  });
  const least = (deployment.spec?.replicas ?? 0) - fences(deployment).unavailable;
  const available = counts.available >= least
    ? make("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    : make(
      "Available",
      "False",
      "MinimumReplicasUnavailable",
      "Deployment does not have minimum availability.",
    );
  const progressing = progressOf(world, rollout, counts);
  const first = withCondition(before, available);
  return progressing === undefined ? first : withCondition(first, make("Progressing", ...progressing));
}

type Progress = readonly [status: string, reason: string, message: string];

/** How far the way to the current template is; undefined: as before. */
function progressOf(
  world: World,
  { deployment, current, old }: Rollout,
  counts: Counts,
): Progress | undefined {
  const { status, spec } = deployment;
  const before = conditionOf(status, "Progressing");
  if (spec?.paused === true) return ["Unknown", "DeploymentPaused", "Deployment is paused"];
  if (before?.reason === "DeploymentPaused") return ["Unknown", "DeploymentResumed", "Deployment is resumed"];
  const name = `ReplicaSet "${current?.metadata.name}"`;
  if (current === undefined) return undefined;
  if (isComplete({ deployment, current, old }, counts)) {
    return ["True", "NewReplicaSetAvailable", `${name} has successfully progressed.`];
  }
  const isKnown = before?.message?.includes(`"${current.metadata.name}"`) === true ||
    current.metadata.annotations?.[HISTORY] !== undefined;
  if (before === undefined || !isKnown) {
    return ["True", "NewReplicaSetCreated", `Created new replica set "${current.metadata.name}"`];
  }
  const moved = counts.updated > Number(status?.updatedReplicas ?? 0) ||
    counts.replicas - counts.updated < Number(status?.replicas ?? 0) - Number(status?.updatedReplicas ?? 0) ||
    counts.ready > Number(status?.readyReplicas ?? 0) ||
    counts.available > Number(status?.availableReplicas ?? 0);
  if (moved || before.reason === "NewReplicaSetAvailable") {
    return ["True", "ReplicaSetUpdated", `${name} is progressing.`];
  }
  const isLate = world.since(before.lastUpdateTime) >= spec!.progressDeadlineSeconds;
  if (isLate && before.reason !== "ProgressDeadlineExceeded") {
    return ["False", "ProgressDeadlineExceeded", `${name} has timed out progressing.`];
  }
  return undefined;
}
