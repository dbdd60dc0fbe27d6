/**
 * The tables of claims and volumes.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import { AGE, ageOf, at, columnsFrom, type KindTable, listAt, NAME, textAt } from "./kind_table.ts";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** By plural. */
export const VOLUMES: Readonly<Record<string, KindTable>> = {
  persistentvolumeclaims: {
    columns: columnsFrom(
      NAME,
      "Status",
      "Volume",
      "Capacity",
      "Access Modes",
      "StorageClass",
      "VolumeAttributesClass",
      AGE,
      "VolumeMode:string:wide",
    ),
    cells(claim, nowMs) {
      const bound = textAt(claim, "spec", "volumeName") !== "";
      return [
        claim.metadata.name,
        phaseOf(claim),
        textAt(claim, "spec", "volumeName"),
        bound ? textAt(claim, "status", "capacity", "storage") || "0" : "",
        bound ? accessModes(listAt(claim, "status", "accessModes")) : "",
        storageClass(claim),
        textAt(claim, "spec", "volumeAttributesClassName") || "<unset>",
        ageOf(claim, nowMs),
        textAt(claim, "spec", "volumeMode") || "<unset>",
      ];
    },
  },
  persistentvolumes: {
    columns: columnsFrom(
      NAME,
      "Capacity",
      "Access Modes",
      "Reclaim Policy",
      "Status",
      "Claim",
      "StorageClass",
      "VolumeAttributesClass",
      "Reason",
      AGE,
      "VolumeMode:string:wide",
    ),
    cells(volume, nowMs) {
      const claim = at(volume, "spec", "claimRef");
      return [
        volume.metadata.name,
        textAt(volume, "spec", "capacity", "storage") || "0",
        accessModes(listAt(volume, "spec", "accessModes")),
        textAt(volume, "spec", "persistentVolumeReclaimPolicy"),
        phaseOf(volume),
        claim === undefined ? "" : `${textAt(claim, "namespace")}/${textAt(claim, "name")}`,
        storageClass(volume),
        textAt(volume, "spec", "volumeAttributesClassName") || "<unset>",
        textAt(volume, "status", "reason"),
        ageOf(volume, nowMs),
        textAt(volume, "spec", "volumeMode") || "<unset>",
      ];
    },
  },
};

function phaseOf(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? "Terminating" : textAt(object, "status", "phase");
}

function storageClass(object: KubeObject): string {
  return object.metadata.annotations?.[CLASS_ANNOTATION] ?? textAt(object, "spec", "storageClassName");
}

function accessModes(modes: readonly unknown[]): string {
  const given = new Set(modes);
  return Object.entries(SHORT_MODES).filter(([mode]) => given.has(mode)).map(([, short]) => short).join(",");
}
