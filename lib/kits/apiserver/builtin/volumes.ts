/** The common rules of claims, volumes and their classes: ways of access, a finalizer while they are in use (`lifecycle/protection.ts`). */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, required } from "../causes.ts";
import { readQuantity } from "../formats/quantity.ts";
import { dnsSubdomainErrors } from "../names.ts";
import { objectAt } from "../values.ts";
import { textAt } from "./cells.ts";
import { choiceCauses } from "./value_checks.ts";

const STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class";
/** A deprecated annotation, and the warning of it. */
export const CLASS_ANNOTATION = [
  STORAGE_CLASS,
  'deprecated since v1.8; use "storageClassName" attribute instead',
] as const;
const MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/** The ways in which a volume is seen. */
export const VOLUME_MODES = ["Block", "Filesystem"];
const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

export function modeCauses(modes: readonly unknown[], field: string): Cause[] {
  const causes = modes.flatMap((mode) => choiceCauses(mode, field, MODES));
  const isAlone = modes.every((mode) => mode === "ReadWriteOncePod");
  if (isAlone || !modes.includes("ReadWriteOncePod")) return causes;
  return [...causes, forbidden(field, "may not use ReadWriteOncePod with other access modes")];
}

/** Returns the faults of a claim. */
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
  return [
    ...causes,
    ...choiceCauses(spec.volumeMode, `${path}.volumeMode`, VOLUME_MODES),
    ...["dataSource", "dataSourceRef"].flatMap((field) => {
      const source = objectAt(spec, field);
      return source === undefined ? [] : sourceCauses(source, `${path}.${field}`);
    }),
  ];
}

/** Returns the faults of the object that a claim is filled from. */
function sourceCauses({ name, kind: value, apiGroup }: JsonObject, path: string): Cause[] {
  const group = String(apiGroup ?? "");
  const errors = group === "" ? [] : dnsSubdomainErrors(group);
  const isNoClaim = group === "" && value !== "PersistentVolumeClaim";
  const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(name ? [] : [required(`${path}.name`)]),
    ...(value ? [] : [required(`${path}.kind`)]),
    ...(isNoClaim ? [invalid(path, { value: value ?? "", detail })] : []),
    ...errors.map((detail) => invalid(`${path}.apiGroup`, { value: group, detail })),
  ];
}

export function phaseOf(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? "Terminating" : textAt(object, "status", "phase");
}

export function storageClass(object: KubeObject): string {
  return object.metadata.annotations?.[STORAGE_CLASS] ?? textAt(object, "spec", "storageClassName");
}

export function accessModes(modes: readonly unknown[]): string {
  const given = new Set(modes);
  return Object.entries(SHORT_MODES).filter(([mode]) => given.has(mode)).map(([, short]) => short).join(",");
}

/** By kind: the finalizer. */
export const PROTECTION = {
  PersistentVolume: "kubernetes.io/pv-protection",
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
  VolumeAttributesClass: "kubernetes.io/vac-protection",
} as const;

/** Returns a function that gives the finalizer to new objects of a kind. */
export function protect(kind: keyof typeof PROTECTION): (object: KubeObject, old?: KubeObject) => void {
  return ({ metadata }, old) => {
    const { finalizers = [] } = metadata;
    if (old === undefined && !finalizers.includes(PROTECTION[kind])) {
      metadata.finalizers = [...finalizers, PROTECTION[kind]];
    }
  };
}
