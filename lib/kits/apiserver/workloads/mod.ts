/**
 * The life of workloads, on request: the work of kube-controller-manager, the scheduler and kubelets for the kinds that
 * operators make most, so that operators that wait for readiness can be tried.
 *
 * Each controller looks at one object at a time and brings the cluster nearer to the object's spec; writes of
 * other clients wake it. Containers do not really run, and images are not pulled.
 */

import type { Seconds } from "../../../runtime/host.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import type { ObjectKey } from "../kinds.ts";
import { rangeOf } from "../storage/collection.ts";
import { selects } from "../selectors/selector.ts";
import { objectAt } from "../values.ts";
import { ensureStorageClass, reconcileClaim, reconcileVolume } from "./claims.ts";
import { reconcileDaemonSet } from "./daemon_sets.ts";
import { reconcileDeployment } from "./deployments.ts";
import { reconcileEndpoints } from "./endpoints.ts";
import { reconcileJob } from "./jobs.ts";
import { reconcilePod } from "./kubelet.ts";
import { reconcileCronJob } from "./cron_jobs.ts";
import { ensureNode } from "./node.ts";
import { controllerOf } from "./pods.ts";
import { reconcileReplicaSet, reconcileReplicationController } from "./replica_sets.ts";
import { reconcileStatefulSet } from "./stateful_sets.ts";
import { WorkLoop } from "./work_loop.ts";
import { type Serve, World } from "./world.ts";

/** Which of the cluster's own programs run. */
export interface WorkloadsOptions {
  /**
   * How many nodes there are: "node-1" and so on. Default: 1. With 0 no kubelet starts Pods: controllers make
   * them, and a test that plays the kubelet writes their status.
   */
  readonly nodes?: number;
}

type Reconcile = (world: World, key: ObjectKey) => Promise<Seconds | undefined>;

/** By the collection of the objects that a controller looks at. */
const CONTROLLERS: Readonly<Record<string, Reconcile>> = {
  "deployments.apps": reconcileDeployment,
  "replicasets.apps": reconcileReplicaSet,
  "replicationcontrollers": reconcileReplicationController,
  "statefulsets.apps": reconcileStatefulSet,
  "daemonsets.apps": reconcileDaemonSet,
  "jobs.batch": reconcileJob,
  "cronjobs.batch": reconcileCronJob,
  "persistentvolumeclaims": reconcileClaim,
  "persistentvolumes": reconcileVolume,
  "services": reconcileEndpoints,
};

/** By the kind of an owner: its collection. */
const OWNERS: Readonly<Record<string, string>> = {
  Deployment: "deployments.apps",
  ReplicaSet: "replicasets.apps",
  ReplicationController: "replicationcontrollers",
  StatefulSet: "statefulsets.apps",
  DaemonSet: "daemonsets.apps",
  Job: "jobs.batch",
  CronJob: "cronjobs.batch",
  Service: "services",
};

/** The collections whose objects may adopt a Pod without a controller. */
const ADOPTERS = ["replicasets.apps", "replicationcontrollers", "statefulsets.apps", "daemonsets.apps"];

/** Starts the controllers, and makes the nodes and other objects that they need. They follow the store from then on. */
export function startWorkloads(
  cluster: Cluster,
  { serve, nodes = 1 }: WorkloadsOptions & { readonly serve: Serve },
): void {
  const world = new World(cluster, serve);
  const loop = new WorkLoop(cluster.host.clock);
  const add = (collection: string, key: ObjectKey): void => {
    const reconcile = CONTROLLERS[collection] ??
      (collection === "pods" && nodes > 0 ? reconcilePod : undefined);
    if (reconcile === undefined) return;
    loop.add(`${collection} ${key.namespace ?? ""}/${key.name}`, () => reconcile(world, key));
  };
  const addAll = (collection: string, namespace?: string): void => {
    const { keys } = cluster.store.collection(collection).present();
    const [from, to] = rangeOf(keys, namespace === undefined ? "" : `${namespace}/`);
    for (const key of keys.slice(from, to)) add(collection, objectKeyIn(key));
  };
  cluster.store.onChange(({ current, previous }, { name: collection }) => {
    const states = [previous, current].flatMap((stored) =>
      stored === undefined ? [] : world.objectOf(stored)
    );
    const object = states.at(-1);
    if (object === undefined) return;
    add(collection, keyOf(object));
    for (const one of states) {
      wakeOwner(one, add);
      if (collection === "pods") wakeServices(one, { world, add });
    }
    wakeOthers(object, { collection, isNew: previous === undefined, add, addAll });
  });
  for (let number = 1; number <= nodes; number++) {
    const name = `node-${number}`;
    loop.add(`node ${name}`, () => ensureNode(world, name));
  }
  if (nodes > 0) loop.add("storage class", () => ensureStorageClass(world));
  for (const collection of [...Object.keys(CONTROLLERS), "pods"]) addAll(collection);
}

type Add = (collection: string, key: ObjectKey) => void;

function keyOf({ metadata: { namespace, name = "" } }: KubeObject): ObjectKey {
  return { namespace, name };
}

/** Reads the key of a stored object, such as "default/one"; "one" of a cluster's own. */
function objectKeyIn(key: string): ObjectKey {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function wakeOwner(object: KubeObject, add: Add): void {
  const owner = controllerOf(object);
  const collection = owner === undefined ? undefined : OWNERS[owner.kind];
  if (owner === undefined || collection === undefined) return;
  add(collection, { namespace: object.metadata.namespace, name: owner.name });
}

/** Wakes the Services that select a Pod. */
function wakeServices(
  { metadata: { namespace, labels } }: KubeObject,
  { world, add }: { readonly world: World; readonly add: Add },
): void {
  for (const service of world.servicesFor(namespace, labels)) {
    const { selector } = service.spec ?? {};
    if (selector !== undefined && selects({ matchLabels: selector }, labels)) add("services", keyOf(service));
  }
}

interface Waking {
  readonly collection: string;
  readonly isNew: boolean;
  readonly add: Add;
  readonly addAll: (collection: string, namespace?: string) => void;
}

/** Wakes the objects that a change concerns although they do not own the changed object. */
function wakeOthers(object: KubeObject, { collection, isNew, add, addAll }: Waking): void {
  const { namespace } = object.metadata;
  switch (collection) {
    case "pods": {
      if (controllerOf(object) === undefined) { for (const adopter of ADOPTERS) addAll(adopter, namespace); }
      return wakeDeployment(object, add);
    }
    case "replicasets.apps":
      if (controllerOf(object) === undefined) addAll("deployments.apps", namespace);
      return;
    case "persistentvolumeclaims": {
      const volume = object.spec?.volumeName;
      if (typeof volume === "string") add("persistentvolumes", { name: volume });
      return;
    }
    case "persistentvolumes": {
      const claim = objectAt(object.spec, "claimRef");
      // The creator of a volume may name the claim that it is for, which then waits for it.
      if (claim === undefined) addAll("persistentvolumeclaims");
      else add("persistentvolumeclaims", { namespace: String(claim.namespace), name: String(claim.name) });
      return;
    }
    case "nodes":
      addAll("daemonsets.apps");
      if (isNew) addAll("pods");
  }
}

/** A Deployment that starts anew waits for the last Pod of the old template to go, which its ReplicaSet need not tell. */
function wakeDeployment(pod: KubeObject, add: Add): void {
  const owner = controllerOf(pod);
  const hash = pod.metadata.labels?.["pod-template-hash"];
  if (owner?.kind !== "ReplicaSet" || hash === undefined || !owner.name.endsWith(`-${hash}`)) return;
  const name = owner.name.slice(0, -hash.length - 1);
  add("deployments.apps", { namespace: pod.metadata.namespace, name });
}
