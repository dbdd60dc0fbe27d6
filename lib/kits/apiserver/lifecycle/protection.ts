/**
 * Claims, volumes and classes of volumes that are being deleted: they go when no object uses them any more.
 *
 * Each has a finalizer from its creation on (`builtin/modules/protected.ts`). Source: k8s.io/kubernetes,
 * pkg/controller/volume/pvcprotection, pvprotection and vacprotection.
 */

import type { KubeObject } from "../../../model/object.ts";
import { PROTECTION } from "../builtin/volumes.ts";
import type { Chores } from "../chores.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Change, Collection } from "../storage/collection.ts";
import { objectAt, objectsIn } from "../values.ts";
import { editObject } from "../writes/update.ts";

/** The kinds, and whether an object is in use. */
const KINDS: readonly {
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: keyof typeof PROTECTION;
  readonly isUsed: (cluster: Cluster, object: KubeObject) => boolean;
}[] = [
  { apiVersion: "v1", plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim", isUsed: isMounted },
  {
    apiVersion: "v1",
    plural: "persistentvolumes",
    kind: "PersistentVolume",
    isUsed: (_cluster, { status }) => status?.phase === "Bound",
  },
  {
    apiVersion: "storage.k8s.io/v1",
    plural: "volumeattributesclasses",
    kind: "VolumeAttributesClass",
    isUsed: isClaimed,
  },
];

const PODS = "pods";

export class Protection {
  readonly #cluster: Cluster;
  readonly #chores: Chores;
  /** An object is being deleted that others still use. */
  #isWaiting = false;

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** To be called on each change. */
  changed({ current }: Change, { name }: Collection): void {
    const isOurs = KINDS.some(({ plural }) => name.startsWith(plural));
    const isEnding = isOurs && current?.metadata.deletionTimestamp !== undefined;
    if (isEnding || (this.#isWaiting && (isOurs || name === PODS))) {
      this.#chores.add("protected objects", () => this.#release());
    }
  }

  #release(): void {
    this.#isWaiting = false;
    for (const { apiVersion, plural, kind: name, isUsed } of KINDS) {
      const kind = this.#cluster.kinds.at(apiVersion, plural);
      if (kind === undefined) continue;
      for (const { object } of [...kind.collection.values()]) {
        const { deletionTimestamp, finalizers = [] } = object.metadata;
        if (deletionTimestamp === undefined || !finalizers.includes(PROTECTION[name])) continue;
        if (isUsed(this.#cluster, object)) this.#isWaiting = true;
        else this.#letGo(kind, object, PROTECTION[name]);
      }
    }
  }

  #letGo(kind: Kind, { metadata: { namespace, name = "" } }: KubeObject, finalizer: string): void {
    editObject(this.#cluster, {
      kind,
      reference: { namespace, name },
      edit: ({ metadata }) => {
        metadata.finalizers = metadata.finalizers?.filter((each) => each !== finalizer);
      },
    });
  }
}

/** NB: a Pod that is on no node will not be started with a claim that is being deleted. */
function isMounted({ store }: Cluster, { metadata: { namespace, name } }: KubeObject): boolean {
  return [...store.collection(PODS).values()].some(({ object: { metadata, spec, status } }) =>
    metadata.namespace === namespace && spec?.nodeName !== undefined && spec.nodeName !== "" &&
    status?.phase !== "Succeeded" && status?.phase !== "Failed" &&
    objectsIn(spec.volumes).some((volume) => objectAt(volume, "persistentVolumeClaim")?.claimName === name)
  );
}

function isClaimed({ store }: Cluster, { metadata: { name } }: KubeObject): boolean {
  return ["persistentvolumeclaims", "persistentvolumes"].some((plural) =>
    [...store.collection(plural).values()].some(({ object: { spec, status } }) =>
      spec?.volumeAttributesClassName === name || status?.currentVolumeAttributesClassName === name
    )
  );
}
