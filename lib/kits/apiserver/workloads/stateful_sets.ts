/**
 * StatefulSets: Pods with names and claims of their own, made and replaced in order.
 *
 * Source: k8s.io/kubernetes, pkg/controller/statefulset (stateful_set_control.go, stateful_set_utils.go).
 */

import type { KubeObject } from "../../../model/object.ts";
import type { ObjectKey } from "../kinds.ts";
import {
  availableIn,
  claim,
  controlledBy,
  controllerReference,
  createPod,
  isActive,
  isReady,
  type PodOwner,
} from "./pods.ts";
import { currentRevision, dropRevisions, REVISION_LABEL, revisionsOf, templateOf } from "./revisions.ts";
import type { Pod, PodTemplate, StatefulSet, StatefulSetSpec } from "./types.ts";
import { PLACES, type World } from "./world.ts";

const POD_NAME = "statefulset.kubernetes.io/pod-name";
const POD_INDEX = "apps.kubernetes.io/pod-index";

/** A StatefulSet at one moment. */
interface Scene {
  readonly world: World;
  readonly set: StatefulSet;
  readonly spec: StatefulSetSpec;
  readonly owner: PodOwner;
  /** The revision that the Pods come from, and the one that they go to. */
  readonly current: string;
  readonly update: string;
}

/** Brings a StatefulSet in order. */
export async function reconcileStatefulSet(world: World, key: ObjectKey): Promise<number | undefined> {
  const set = world.get<StatefulSet>(PLACES.statefulSets, key);
  if (set?.spec === undefined) return undefined;
  const { spec } = set;
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", object: set };
  await claim<Pod>(world, PLACES.pods, { owner, selector: spec.selector });
  const revision = await currentRevision(world, { owner, template: spec.template });
  const update = revision.metadata.name ?? "";
  const known = set.status?.currentRevision;
  const exists = revisionsOf(world, owner).some(({ metadata }) => metadata.name === known);
  const scene: Scene = { world, set, spec, owner, update, current: exists && known ? known : update };
  if (set.metadata.deletionTimestamp === undefined) await step(scene);
  const next = await report(scene);
  const live = new Set([scene.current, update, ...podsOf(scene).map(revisionOf)]);
  await dropRevisions(world, { owner, live, limit: Number(spec.revisionHistoryLimit ?? 10) });
  return next;
}

function podsOf({ world, set }: Scene): Pod[] {
  const { name = "" } = set.metadata;
  return controlledBy<Pod>(world, PLACES.pods, set)
    .filter(({ metadata }) => ordinalOf(name, metadata.name) !== undefined)
    .sort((a, b) => (ordinalOf(name, a.metadata.name) ?? 0) - (ordinalOf(name, b.metadata.name) ?? 0));
}

function ordinalOf(set: string, pod = ""): number | undefined {
  const digits = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : "";
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[REVISION_LABEL];
}

/** Goes as far as can be gone now. Whatever changes next, the set has another turn. */
async function step(scene: Scene): Promise<void> {
  const { spec, set } = scene;
  const isOrdered = spec.podManagementPolicy !== "Parallel";
  const start = spec.ordinals?.start ?? 0;
  for (let ordinal = start; ordinal < start + spec.replicas; ordinal++) {
    const isDone = await ensure(scene, ordinal);
    if (!isDone && isOrdered) return;
  }
  const { name = "" } = set.metadata;
  const surplus = podsOf(scene).filter(({ metadata }) => {
    const ordinal = ordinalOf(name, metadata.name) ?? 0;
    return ordinal < start || ordinal >= start + spec.replicas;
  });
  for (const pod of surplus.reverse()) {
    const isGoing = pod.metadata.deletionTimestamp !== undefined;
    if (!isGoing) await scene.world.remove(PLACES.pods, pod);
    if (isOrdered) return;
  }
  await dropClaims(scene);
  await replaceOutdated(scene);
}

/** Makes the Pod of a number, or anew if it has ended; tells whether it is there and available. */
async function ensure(scene: Scene, ordinal: number): Promise<boolean> {
  const { world, set, spec, owner, current, update } = scene;
  const { namespace, name: setName = "" } = set.metadata;
  const name = `${setName}-${ordinal}`;
  const pod = world.get<Pod>(PLACES.pods, { namespace, name });
  await ensureClaims(scene, name);
  if (pod !== undefined) {
    const hasEnded = pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
    if (hasEnded && pod.metadata.deletionTimestamp === undefined) await world.remove(PLACES.pods, pod);
    return isActive(pod) && availableIn(world, pod, spec.minReadySeconds) === 0;
  }
  const { partition = 0 } = spec.updateStrategy.rollingUpdate ?? {};
  const stays = spec.updateStrategy.type === "RollingUpdate" && ordinal < partition;
  const revision = stays ? current : update;
  const kept = revisionsOf(world, owner).find(({ metadata }) => metadata.name === revision);
  const template: PodTemplate = templateOf(kept) ?? spec.template;
  const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "");
  const volumes = (template.spec.volumes ?? []).filter((volume) => !claims.includes(volume.name));
  const own = claims.map((claim) => ({
    name: claim,
    persistentVolumeClaim: { claimName: `${claim}-${name}` },
  }));
  await createPod(world, {
    owner,
    template,
    name,
    labels: { [POD_NAME]: name, [POD_INDEX]: String(ordinal), [REVISION_LABEL]: revision },
    spec: {
      hostname: name,
      ...(spec.serviceName === undefined || spec.serviceName === "" ? {} : { subdomain: spec.serviceName }),
      ...(own.length === 0 ? {} : { volumes: [...own, ...volumes] }),
    },
  });
  return false;
}

async function ensureClaims({ world, set, spec, owner }: Scene, pod: string): Promise<void> {
  const { namespace } = set.metadata;
  for (const template of spec.volumeClaimTemplates ?? []) {
    const name = `${template.metadata.name}-${pod}`;
    if (world.get(PLACES.claims, { namespace, name }) !== undefined) continue;
    const labels = { ...template.metadata.labels, ...spec.selector.matchLabels as Record<string, string> };
    const goesWith = spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
    const { blockOwnerDeletion: _blocks, ...reference } = controllerReference(owner);
    const claim: KubeObject = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name,
        namespace,
        labels,
        ...(template.metadata.annotations === undefined
          ? {}
          : { annotations: template.metadata.annotations }),
        ...(goesWith ? { ownerReferences: [reference] } : {}),
      },
      spec: template.spec,
    };
    await world.create(PLACES.claims, claim);
  }
}

/** The claims of Pods that were scaled away go with them, where the set says so. */
async function dropClaims({ world, set, spec }: Scene): Promise<void> {
  if (spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return;
  const { namespace, name = "" } = set.metadata;
  const start = spec.ordinals?.start ?? 0;
  for (const template of spec.volumeClaimTemplates ?? []) {
    for (const claim of world.list(PLACES.claims, namespace)) {
      const ordinal = ordinalOf(`${template.metadata.name}-${name}`, claim.metadata.name);
      const isKept = ordinal === undefined || (ordinal >= start && ordinal < start + spec.replicas);
      if (!isKept && claim.metadata.deletionTimestamp === undefined) await world.remove(PLACES.claims, claim);
    }
  }
}

/** Replaces one Pod of an older template: the last one first, and only while all after it are well. */
async function replaceOutdated(scene: Scene): Promise<void> {
  const { world, spec, update, set } = scene;
  if (spec.updateStrategy.type !== "RollingUpdate") return;
  const { partition = 0 } = spec.updateStrategy.rollingUpdate ?? {};
  for (const pod of podsOf(scene).reverse()) {
    if ((ordinalOf(set.metadata.name ?? "", pod.metadata.name) ?? 0) < partition) return;
    if (pod.metadata.deletionTimestamp !== undefined) return;
    if (revisionOf(pod) !== update) return await world.remove(PLACES.pods, pod);
    if (availableIn(world, pod, spec.minReadySeconds) !== 0) return;
  }
}

async function report(scene: Scene): Promise<number | undefined> {
  const { world, spec, update, set } = scene;
  const { namespace, name = "", generation } = set.metadata;
  const live = world.get<StatefulSet>(PLACES.statefulSets, { namespace, name });
  if (live === undefined) return undefined;
  const pods = podsOf(scene);
  const waits = pods.map((pod) => availableIn(world, pod, spec.minReadySeconds));
  const count = (revision: string) =>
    pods.filter((pod) => revisionOf(pod) === revision && isActive(pod)).length;
  const ready = pods.filter(isReady).length;
  const { partition = 0 } = spec.updateStrategy.rollingUpdate ?? {};
  const updated = count(update);
  const isDone = partition === 0 && updated === spec.replicas && pods.length === spec.replicas &&
    ready === spec.replicas;
  const current = isDone ? update : scene.current;
  await world.report(PLACES.statefulSets, live, {
    status: {
      observedGeneration: generation,
      replicas: pods.length,
      ...(ready > 0 ? { readyReplicas: ready } : {}),
      ...(count(current) > 0 ? { currentReplicas: count(current) } : {}),
      ...(updated > 0 ? { updatedReplicas: updated } : {}),
      currentRevision: current,
      updateRevision: update,
      collisionCount: 0,
      availableReplicas: waits.filter((wait) => wait === 0).length,
    },
  });
  const later = waits.filter((wait) => wait !== undefined && wait > 0) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
}
