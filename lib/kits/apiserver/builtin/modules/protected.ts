/** Claims, volumes and classes of volumes: a finalizer protects each while it is in use (`lifecycle/protection.ts`). */

import type { KubeObject } from "../../../../model/object.ts";

/** By kind: the finalizer. */
export const PROTECTION = {
  PersistentVolume: "kubernetes.io/pv-protection",
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
  VolumeAttributesClass: "kubernetes.io/vac-protection",
} as const;

/** Returns what gives the finalizer to new objects of a kind. */
export function protect(kind: keyof typeof PROTECTION): (object: KubeObject, old?: KubeObject) => void {
  return ({ metadata }, old) => {
    const { finalizers = [] } = metadata;
    if (old === undefined && !finalizers.includes(PROTECTION[kind])) {
      metadata.finalizers = [...finalizers, PROTECTION[kind]];
    }
  };
}
