/**
 * Deployments: ReplicaSets, one for each template, and the way from one to the next.
 *
 * Source: k8s.io/kubernetes, pkg/controller/deployment (sync.go, rolling.go, recreate.go, progress.go).
 */

import type { ObjectKey } from "../kinds.ts";
import { clone, equal } from "../values.ts";
import { reportDeployment } from "./deployment_status.ts";
import { claim, controlledBy, controllerReference, hashOf, plain } from "./pods.ts";
import {
  fences,
  HASH_LABEL,
  HISTORY,
  look,
  newReplicas,
  REVISION,
  revisionOf,
  type Rollout,
} from "./rollout.ts";
import type { Deployment, Pod, ReplicaSet } from "./types.ts";
import { PLACES, type World } from "./world.ts";

const DESIRED = "deployment.kubernetes.io/desired-replicas";
const MOST = "deployment.kubernetes.io/max-replicas";
const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Brings a Deployment in order. */
export async function reconcileDeployment(world: World, key: ObjectKey): Promise<number | undefined> {
  const deployment = world.get<Deployment>(PLACES.deployments, key);
  if (deployment?.spec === undefined) return undefined;
  const owner = { apiVersion: "apps/v1", kind: "Deployment", object: deployment };
  await claim<ReplicaSet>(world, PLACES.replicaSets, { owner, selector: deployment.spec.selector });
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return await reportDeployment(world, look(world, deployment));
  }
  if (deployment.spec.paused !== true) {
    await makeCurrent(world, look(world, deployment));
    const rollout = look(world, deployment);
    if (deployment.spec.strategy.type === "Recreate") await recreate(world, rollout);
    else await roll(world, rollout);
    await dropOldest(world, look(world, deployment));
  } else {
    await scaleAlone(world, look(world, deployment));
  }
  return await reportDeployment(world, look(world, deployment));
}

/** Makes the ReplicaSet of the template, or the one that there is the newest. */
async function makeCurrent(world: World, { deployment, current, old }: Rollout): Promise<void> {
  const { spec, metadata } = deployment;
  if (spec === undefined) return;
  const revision = String(Math.max(0, ...old.map(revisionOf)) + 1);
  if (current !== undefined) {
    const notes = { ...current.metadata.annotations, ...copiedNotes(deployment) };
    const before = notes[REVISION];
    if (Number(before ?? 0) < Number(revision)) {
      notes[REVISION] = revision;
      const history = notes[HISTORY];
      if (before !== undefined) notes[HISTORY] = history === undefined ? before : `${history},${before}`;
    }
    if (!equal(notes, current.metadata.annotations ?? {})) await annotate(world, current, notes);
    return;
  }
  const hash = hashOf([spec.template, deployment.status?.collisionCount ?? 0]);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const matchLabels = { ...spec.selector.matchLabels as Record<string, string>, [HASH_LABEL]: hash };
  const notes = copiedNotes(deployment);
  const most = spec.replicas + fences(deployment).surge;
  const wanted = { deployment, current: undefined, old };
  await world.create(PLACES.replicaSets, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      namespace: metadata.namespace,
      name: `${metadata.name}-${hash}`,
      labels,
      annotations: {
        ...notes,
        [REVISION]: revision,
        [DESIRED]: String(spec.replicas),
        [MOST]: String(most),
      },
      ownerReferences: [
        controllerReference({ apiVersion: "apps/v1", kind: "Deployment", object: deployment }),
      ],
    },
    spec: {
      replicas: spec.strategy.type === "Recreate" ? 0 : newReplicas(wanted),
      selector: { ...spec.selector, matchLabels },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
    },
  });
}

async function roll(world: World, { deployment, current, old }: Rollout): Promise<void> {
  if (current === undefined) return;
  const wanted = newReplicas({ deployment, current, old });
  if (await scale(world, deployment, { set: current, replicas: wanted })) return;
  const running = old.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
  const count = (sets: readonly ReplicaSet[]) =>
    sets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
  const available = (set: ReplicaSet) => set.status?.availableReplicas ?? 0;
  const least = (deployment.spec?.replicas ?? 0) - fences(deployment).unavailable;
  const unready = (current.spec?.replicas ?? 0) - available(current);
  let budget = count([current, ...old]) - least - unready;
  const left = new Map(running.map((set) => [set, set.spec?.replicas ?? 0]));
  // Pods that are of no use go first.
  for (const set of running) {
    const useless = Math.min(Math.max(0, budget), (left.get(set) ?? 0) - available(set));
    if (useless <= 0) continue;
    left.set(set, (left.get(set) ?? 0) - useless);
    budget -= useless;
  }
  let spare = available(current) + running.reduce((sum, set) => sum + available(set), 0) - least;
  for (const set of running) {
    const going = Math.min(Math.max(0, spare), left.get(set) ?? 0);
    left.set(set, (left.get(set) ?? 0) - going);
    spare -= going;
  }
  for (const [set, replicas] of left) await scale(world, deployment, { set, replicas });
}

async function recreate(world: World, { deployment, current, old }: Rollout): Promise<void> {
  let stopped = false;
  for (const set of old) {
    if ((set.spec?.replicas ?? 0) > 0) {
      stopped = await scale(world, deployment, { set, replicas: 0 }) || stopped;
    }
  }
  const pods = old.flatMap((set) => controlledBy<Pod>(world, PLACES.pods, set));
  const running = pods.some(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded");
  if (stopped || running || current === undefined) return;
  await scale(world, deployment, { set: current, replicas: deployment.spec?.replicas ?? 0 });
}

/** While a Deployment is paused, only the number of its Pods changes, in the ReplicaSet that has them. */
async function scaleAlone(world: World, { deployment, current, old }: Rollout): Promise<void> {
  const active = [...old, ...(current === undefined ? [] : [current])].filter(({ spec }) => spec?.replicas);
  const set = active.length === 0 ? current ?? old.at(-1) : active.at(-1);
  if (set !== undefined) {
    await scale(world, deployment, { set, replicas: deployment.spec?.replicas ?? 0 });
  }
}

/** Changes how many Pods a ReplicaSet wants; tells whether that differs. */
async function scale(
  world: World,
  deployment: Deployment,
  { set, replicas }: { readonly set: ReplicaSet; readonly replicas: number },
): Promise<boolean> {
  const { replicas: wanted = 0 } = deployment.spec ?? {};
  const annotations = {
    ...set.metadata.annotations,
    [DESIRED]: String(wanted),
    [MOST]: String(wanted + fences(deployment).surge),
  };
  const differs = set.spec?.replicas !== replicas;
  if (!differs && equal(annotations, set.metadata.annotations)) return false;
  const next = clone(plain(set));
  next.metadata.annotations = annotations;
  next.spec = { ...next.spec, replicas };
  await world.replace(PLACES.replicaSets, next);
  return differs;
}

/** Returns the annotations that a Deployment's ReplicaSets have, too. */
function copiedNotes({ metadata }: Deployment): Record<string, string> {
  const { [APPLIED]: _applied, [REVISION]: _revision, [HISTORY]: _history, ...notes } =
    metadata.annotations ?? {};
  return notes;
}

async function annotate(world: World, set: ReplicaSet, annotations: Record<string, string>): Promise<void> {
  await world.replace(PLACES.replicaSets, plain({ ...set, metadata: { ...set.metadata, annotations } }));
}

/** Of the ReplicaSets that have no Pods any more, some are kept to go back to. */
async function dropOldest(world: World, { deployment, current, old }: Rollout): Promise<void> {
  const { replicas = 0, revisionHistoryLimit = 10 } = deployment.spec ?? {};
  if (current?.status?.availableReplicas !== replicas && replicas > 0) return;
  const empty = old.filter(({ spec, status, metadata }) =>
    spec?.replicas === 0 && (status?.replicas ?? 0) === 0 && metadata.deletionTimestamp === undefined
  );
  for (const set of empty.slice(0, Math.max(0, empty.length - revisionHistoryLimit))) {
    await world.remove(PLACES.replicaSets, set);
  }
}
