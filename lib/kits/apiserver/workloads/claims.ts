/**
 * PersistentVolumeClaims: bound to a volume that fits, or to one that is made for them.
 *
 * Source: k8s.io/kubernetes, pkg/controller/volume/persistentvolume.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { ObjectKey } from "../kinds.ts";
import { selects } from "../selectors/selector.ts";
import { clone, objectAt } from "../values.ts";
import { ofClaim } from "./lookup.ts";
import { PLACES, type World } from "./world.ts";

/** The class of claims that name none. */
export const STORAGE_CLASS = "standard";
const PROVISIONER = "lotse.dev/volumes";
const BOUND = "pv.kubernetes.io/bind-completed";
const BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
const IS_DEFAULT = "storageclass.kubernetes.io/is-default-class";

/** Makes the class by which volumes are made for claims, unless it is there. */
export async function ensureStorageClass(world: World): Promise<undefined> {
  if (world.get(PLACES.storageClasses, { name: STORAGE_CLASS }) !== undefined) return undefined;
  await world.create(PLACES.storageClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: STORAGE_CLASS, annotations: { [IS_DEFAULT]: "true" } },
    provisioner: PROVISIONER,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  });
  return undefined;
}

/** Binds a claim. */
export async function reconcileClaim(world: World, key: ObjectKey): Promise<undefined> {
  const claim = world.get<KubeObject>(PLACES.claims, key);
  if (claim?.spec === undefined) return undefined;
  if (claim.metadata.deletionTimestamp !== undefined) return undefined;
  if (claim.status?.phase === "Bound") return undefined;
  const { spec } = claim;
  const wanted = spec.storageClassName ?? STORAGE_CLASS;
  const candidates = world.having<KubeObject>(PLACES.volumes, ofClaim(), ofClaim(key));
  const volume = candidates.find((candidate) => fits(candidate, claim)) ??
    await provision(world, claim, String(wanted));
  if (volume === undefined) return undefined;
  const { name = "", namespace, uid, annotations } = claim.metadata;
  if (objectAt(volume.spec, "claimRef")?.uid !== uid) {
    const next = clone(volume);
    next.spec = { ...next.spec, claimRef: referenceTo(claim) };
    await world.replace(PLACES.volumes, next);
  }
  const taken = world.get<KubeObject>(PLACES.volumes, { name: volume.metadata.name ?? "" });
  if (taken !== undefined) await world.report(PLACES.volumes, taken, { status: { phase: "Bound" } });
  const bound = clone(claim);
  const isChosen = spec.volumeName === undefined || spec.volumeName === "";
  bound.metadata.annotations = { ...annotations, [BOUND]: "yes" };
  if (isChosen) bound.metadata.annotations[BY_CONTROLLER] = "yes";
  bound.spec = { ...spec, volumeName: volume.metadata.name };
  if (spec.storageClassName === undefined) bound.spec.storageClassName = wanted;
  await world.replace(PLACES.claims, bound);
  const live = world.get<KubeObject>(PLACES.claims, { namespace, name });
  if (live === undefined) return undefined;
  const status: JsonObject = {
    phase: "Bound",
    accessModes: volume.spec?.accessModes,
    capacity: volume.spec?.capacity,
  };
  const attributes = volume.spec?.volumeAttributesClassName;
  if (attributes !== undefined) status.currentVolumeAttributesClassName = attributes;
  await world.report(PLACES.claims, live, { status });
  return undefined;
}

/** Whether a volume that there is serves a claim. */
function fits(volume: KubeObject, claim: KubeObject): boolean {
  const { spec = {} } = volume;
  const reference = objectAt(spec, "claimRef");
  const isForClaim = reference?.name === claim.metadata.name &&
    reference?.namespace === claim.metadata.namespace &&
    (reference?.uid === undefined || reference.uid === claim.metadata.uid);
  if (reference !== undefined && !isForClaim) return false;
  const { volumeName, storageClassName = STORAGE_CLASS, accessModes = [], selector } = claim.spec ?? {};
  if (volumeName !== undefined && volumeName !== "") return volume.metadata.name === volumeName;
  if (isForClaim) return true;
  const modes = Array.isArray(spec.accessModes) ? spec.accessModes : [];
  const hasModes = Array.isArray(accessModes) && accessModes.every((mode) => modes.includes(mode));
  const requests = objectAt(objectAt(claim.spec, "resources"), "requests");
  const asked = amount(requests?.storage);
  const has = amount(objectAt(spec, "capacity")?.storage);
  const isSelected = selector === undefined || selects(selector, volume.metadata.labels);
  const hasAttributes =
    (spec.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "");
  return (spec.storageClassName ?? "") === storageClassName && hasModes && has >= asked && isSelected &&
    hasAttributes && volume.metadata.deletionTimestamp === undefined;
}

/** Makes a volume for a claim, if its class is one of ours. */
async function provision(
  world: World,
  claim: KubeObject,
  className: string,
): Promise<KubeObject | undefined> {
  const found = world.get<KubeObject>(PLACES.storageClasses, { name: className });
  const { volumeName } = claim.spec ?? {};
  if (found?.provisioner !== PROVISIONER || (volumeName !== undefined && volumeName !== "")) return undefined;
  const name = `pvc-${claim.metadata.uid}`;
  const requests = objectAt(objectAt(claim.spec, "resources"), "requests");
  const attributes = claim.spec?.volumeAttributesClassName;
  return await world.create(PLACES.volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
    spec: {
      accessModes: claim.spec?.accessModes,
      capacity: { storage: requests?.storage ?? "1Gi" },
      claimRef: referenceTo(claim),
      hostPath: { path: `/volumes/${name}`, type: "DirectoryOrCreate" },
      persistentVolumeReclaimPolicy: found.reclaimPolicy ?? "Delete",
      storageClassName: className,
      ...(attributes === undefined ? {} : { volumeAttributesClassName: attributes }),
      volumeMode: claim.spec?.volumeMode ?? "Filesystem",
    },
  });
}

function referenceTo({ metadata: { name, namespace, uid } }: KubeObject): JsonObject {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
}

/** A volume goes with its claim, or is set free, as its policy says. */
export async function reconcileVolume(world: World, key: ObjectKey): Promise<undefined> {
  const volume = world.get<KubeObject>(PLACES.volumes, key);
  if (volume === undefined) return undefined;
  const reference = objectAt(volume.spec, "claimRef");
  if (reference?.uid === undefined) {
    if (volume.status?.phase === "Pending") {
      await world.report(PLACES.volumes, volume, { status: { ...volume.status, phase: "Available" } });
    }
    return undefined;
  }
  const claim = world.get<KubeObject>(PLACES.claims, {
    namespace: String(reference.namespace),
    name: String(reference.name),
  });
  if (claim?.metadata.uid === reference.uid) return undefined;
  const released = { ...volume.status, phase: "Released" };
  if (volume.spec?.persistentVolumeReclaimPolicy === "Delete") {
    await world.remove(PLACES.volumes, volume);
    const left = world.get<KubeObject>(PLACES.volumes, key);
    if (left !== undefined) await world.report(PLACES.volumes, left, { status: released });
  } else await world.report(PLACES.volumes, volume, { status: { ...volume.status, phase: "Released" } });
  return undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
  m: 1e-3,
  u: 1e-6,
  n: 1e-9,
};

/** A quantity as a number; 0 if it is none. Source: Kubernetes API reference, Quantity. */
export function amount(quantity: unknown): number {
  const [, digits, exponent, unit = ""] = /^([+-]?[0-9.]+)(?:[eE]([+-]?[0-9]+)|([A-Za-z]*))$/.exec(
    String(quantity ?? ""),
  ) ?? [];
  if (digits === undefined) return 0;
  if (exponent !== undefined) return Number(digits) * 10 ** Number(exponent);
  return Number(digits) * (Object.hasOwn(UNITS, unit) ? UNITS[unit] ?? 0 : 0);
}
