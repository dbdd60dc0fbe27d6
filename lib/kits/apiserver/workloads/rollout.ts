/**
 * A Deployment and its ReplicaSets, seen together, and how many Pods each of them may have.
 *
 * Source: k8s.io/kubernetes, pkg/controller/deployment/util/deployment_util.go.
 */

import { equal } from "../values.ts";
import { controlledBy, share } from "./pods.ts";
import type { Deployment, PodTemplate, ReplicaSet } from "./types.ts";
import { PLACES, type World } from "./world.ts";

export const HASH_LABEL = "pod-template-hash";
export const REVISION = "deployment.kubernetes.io/revision";
/** The revisions that a ReplicaSet was before it came back, divided by commas. */
export const HISTORY = "deployment.kubernetes.io/revision-history";

/** A Deployment, and its ReplicaSets. */
export interface Rollout {
  readonly deployment: Deployment;
  /** The ReplicaSet of its template, if there is one. */
  readonly current: ReplicaSet | undefined;
  /** All others, the oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Returns the Deployment with the ReplicaSets that there are now. */
export function look(world: World, deployment: Deployment): Rollout {
  const sets = controlledBy<ReplicaSet>(world, PLACES.replicaSets, deployment)
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  const template = deployment.spec?.template;
  const current = sets.find((set) => equal(withoutHash(set.spec?.template), template));
  return { deployment, current, old: sets.filter((set) => set !== current) };
}

function withoutHash(template: PodTemplate | undefined): unknown {
  if (template === undefined) return undefined;
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

export function revisionOf({ metadata }: ReplicaSet | Deployment): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

interface Fences {
  /** How many Pods there may be beyond `replicas`. */
  readonly surge: number;
  /** How many of `replicas` may be missing. */
  readonly unavailable: number;
}

/** How far the number of Pods may differ from `replicas`. */
export function fences({ spec }: Deployment): Fences {
  const { replicas = 0, strategy } = spec ?? {};
  if (strategy?.type === "Recreate") return { surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = strategy?.rollingUpdate ?? {};
  const surge = share(maxSurge, { of: replicas, up: true, fallback: "25%" });
  const unavailable = share(maxUnavailable, { of: replicas, up: false, fallback: "25%" });
  // NB: with neither, a rollout could never move.
  return { surge, unavailable: Math.min(replicas, surge + unavailable === 0 ? 1 : unavailable) };
}

/** How many Pods the current ReplicaSet may want now. */
export function newReplicas({ deployment, current, old }: Rollout): number {
  const wanted = deployment.spec?.replicas ?? 0;
  const now = current?.spec?.replicas ?? 0;
  if (now >= wanted) return wanted;
  const total = now + old.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
  const room = wanted + fences(deployment).surge - total;
  return now + Math.max(0, Math.min(room, wanted - now));
}
