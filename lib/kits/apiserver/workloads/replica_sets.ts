/**
 * ReplicaSets and ReplicationControllers: as many Pods as are wanted.
 *
 * Source: k8s.io/kubernetes, pkg/controller/{replicaset,replication}.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { ObjectKey } from "../kinds.ts";
import { selects } from "../selectors/selector.ts";
import { claim, countPods, createPod, isActive, isReady } from "./pods.ts";
import type { Pod, ReplicaSet, ReplicationController } from "./types.ts";
import { PLACES, type World } from "./world.ts";

/** Brings a ReplicaSet in order. */
export async function reconcileReplicaSet(world: World, key: ObjectKey): Promise<number | undefined> {
  const set = world.get<ReplicaSet>(PLACES.replicaSets, key);
  if (set?.spec === undefined) return undefined;
  const { selector } = set.spec;
  return await reconcileReplicas(world, set, { ...REPLICA_SET, selector });
}

/** Brings a ReplicationController in order: the forerunner, which selects by labels alone. */
export async function reconcileReplicationController(
  world: World,
  key: ObjectKey,
): Promise<number | undefined> {
  const set = world.get<ReplicationController>(PLACES.replicationControllers, key);
  if (set?.spec?.template === undefined) return undefined;
  const selector = { matchLabels: { ...set.spec.selector } };
  return await reconcileReplicas(world, set, { ...REPLICATION_CONTROLLER, selector });
}

const REPLICA_SET = { place: PLACES.replicaSets, apiVersion: "apps/v1", kind: "ReplicaSet" };
const REPLICATION_CONTROLLER = {
  place: PLACES.replicationControllers,
  apiVersion: "v1",
  kind: "ReplicationController",
};

/** The differences between the two kinds. */
interface Variety {
  readonly place: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly selector: JsonObject;
}

async function reconcileReplicas(
  world: World,
  set: ReplicaSet | ReplicationController,
  { place, apiVersion, kind, selector }: Variety,
): Promise<number | undefined> {
  if (set.spec === undefined) return undefined;
  const owner = { apiVersion, kind, object: set };
  const find = () => claim<Pod>(world, PLACES.pods, { owner, selector });
  const pods = await find();
  if (set.metadata.deletionTimestamp === undefined) {
    const active = pods.filter(isActive);
    const missing = set.spec.replicas - active.length;
    for (let i = 0; i < missing; i++) await createPod(world, { owner, template: set.spec.template });
    for (const pod of leastNeeded(world, active).slice(0, Math.max(0, -missing))) {
      await world.remove(PLACES.pods, pod);
    }
  }
  return await report(world, place, { set, pods: await find() });
}

/** The Pods in the order in which they can go: the least useful first, and among equals the youngest. */
function leastNeeded(world: World, pods: readonly Pod[]): Pod[] {
  const use = (pod: Pod) => (pod.spec?.nodeName === undefined ? 0 : 1) + (isReady(pod) ? 2 : 0);
  const born = (pod: Pod) => world.since(pod.metadata.creationTimestamp);
  return [...pods].sort((a, b) => use(a) - use(b) || born(a) - born(b));
}

async function report(
  world: World,
  place: string,
  { set, pods }: { readonly set: ReplicaSet | ReplicationController; readonly pods: readonly Pod[] },
): Promise<number | undefined> {
  const { minReadySeconds = 0, template } = set.spec ?? {};
  const active = pods.filter(isActive);
  const { ready, available, next } = countPods(world, active, minReadySeconds);
  const labels = template?.metadata?.labels ?? {};
  const labeled = active.filter(({ metadata }) => selects({ matchLabels: labels }, metadata.labels)).length;
  const terminating = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
  const current = world.get<ReplicaSet>(place, {
    namespace: set.metadata.namespace,
    name: set.metadata.name ?? "",
  });
  if (current === undefined) return undefined;
  await world.report(place, current, {
    status: {
      replicas: active.length,
      ...(labeled > 0 ? { fullyLabeledReplicas: labeled } : {}),
      ...(ready > 0 ? { readyReplicas: ready } : {}),
      ...(available > 0 ? { availableReplicas: available } : {}),
      ...(place === PLACES.replicaSets ? { terminatingReplicas: terminating } : {}),
      observedGeneration: set.metadata.generation,
    },
  });
  return next;
}
