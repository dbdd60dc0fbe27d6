/**
 * Refusals of PersistentVolumeClaims, PersistentVolumes and StorageClasses.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation and pkg/apis/storage/validation.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { readQuantity } from "../formats/quantity.ts";
import { dnsSubdomainErrors, qualifiedNameErrors } from "../names.ts";
import { isObject, objectAt } from "../values.ts";
import { choiceCauses } from "./value_checks.ts";

const MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES = ["Block", "Filesystem"];
/** All fields but the sources of a volume. */
const SHARED = [
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
];

/** Says what is wrong with a claim. */
export function claimCauses(spec: JsonObject, path = "spec"): Cause[] {
  const modes = Array.isArray(spec.accessModes) ? spec.accessModes : [];
  const causes: Cause[] = [];
  if (modes.length === 0) causes.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  causes.push(...modeCauses(modes, `${path}.accessModes`));
  const requests = objectAt(objectAt(spec, "resources"), "requests") ?? {};
  const field = `${path}.resources[storage]`;
  const { storage } = requests;
  if (storage === undefined) causes.push(required(field));
  else if ((readQuantity(String(storage))?.value ?? 1n) <= 0n) {
    causes.push(invalid(field, { value: storage, detail: "must be greater than zero" }));
  }
  const { storageClassName: value } = spec;
  if (value) {
    const errors = dnsSubdomainErrors(String(value));
    causes.push(...errors.map((detail) => invalid(`${path}.storageClassName`, { value, detail })));
  }
  return [...causes, ...choiceCauses(spec.volumeMode, `${path}.volumeMode`, VOLUME_MODES)];
}

function modeCauses(modes: readonly unknown[], field: string): Cause[] {
  const causes = modes.flatMap((mode) => choiceCauses(mode, field, MODES));
  const isAlone = modes.every((mode) => mode === "ReadWriteOncePod");
  if (isAlone || !modes.includes("ReadWriteOncePod")) return causes;
  return [...causes, forbidden(field, "may not use ReadWriteOncePod with other access modes")];
}

/** Returns the fields of a volume that say where it is. */
export function sourcesOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !SHARED.includes(field)));
}

/** Says what is wrong with a volume. */
export function volumeCauses(spec: JsonObject): Cause[] {
  const modes = Array.isArray(spec.accessModes) ? spec.accessModes : [];
  const causes: Cause[] = modes.length === 0 ? [required("spec.accessModes")] : [];
  causes.push(...modeCauses(modes, "spec.accessModes"));
  const capacity = Object.keys(objectAt(spec, "capacity") ?? {});
  if (capacity.length === 0) causes.push(required("spec.capacity"));
  if (String(capacity) !== "storage") {
    causes.push(notSupported("spec.capacity", { value: spec.capacity ?? null, supported: ["storage"] }));
  }
  const hasSource = Object.values(sourcesOf(spec)).some(isObject);
  if (!hasSource) causes.push(required("spec", "must specify a volume type"));
  return [...causes, ...choiceCauses(spec.volumeMode, "spec.volumeMode", VOLUME_MODES)];
}

/** Says what is wrong with a StorageClass. */
export function storageClassCauses(object: KubeObject): Cause[] {
  const { provisioner = "", reclaimPolicy, volumeBindingMode } = object;
  const name = String(provisioner);
  const causes = name === ""
    ? [required("provisioner")]
    : qualifiedNameErrors(name.toLowerCase()).map((detail) =>
      invalid("provisioner", { value: name, detail })
    );
  return [
    ...causes,
    ...choiceCauses(reclaimPolicy || undefined, "reclaimPolicy", ["Delete", "Retain"]),
    ...choiceCauses(volumeBindingMode, "volumeBindingMode", ["Immediate", "WaitForFirstConsumer"]),
  ];
}
