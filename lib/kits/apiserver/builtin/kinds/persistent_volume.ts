/** PersistentVolumes. Source: k8s.io/kubernetes, pkg/apis/core/validation. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../../causes.ts";
import { readQuantity } from "../../formats/quantity.ts";
import { timestamp } from "../../formats/timestamp.ts";
import { fill, isObject, objectAt, objectsIn } from "../../values.ts";
import { ageOf, at, listAt, row, textAt, textCell } from "../cells.ts";
import type { KindContext, KindModule } from "../kind_module.ts";
import { nodeSelectorCauses } from "../place_checks.ts";
import { termWarnings } from "../pod_warnings.ts";
import { annotationWarnings } from "../templates.ts";
import { choiceCauses } from "../value_checks.ts";
import {
  accessModes,
  CLASS_ANNOTATION,
  modeCauses,
  phaseOf,
  protect,
  storageClass,
  VOLUME_MODES,
} from "../volumes.ts";

export const persistentVolumeModule = ({ now }: KindContext): KindModule => ({
  status: { phase: "Pending" },
  admit: protect("PersistentVolume"),
  settlesStatus: true,
  settle: (volume, old) => notePhase(volume, { old, now }),
  causes: ({ spec = {} }) => volumeCauses(spec),
  warnings: volumeWarnings,
  cells: row(
    textCell("spec.capacity.storage", "0"),
    (volume) => accessModes(listAt(volume, "spec", "accessModes")),
    textCell("spec.persistentVolumeReclaimPolicy"),
    phaseOf,
    (volume) => {
      const claim = at(volume, "spec", "claimRef");
      return claim === undefined ? "" : `${textAt(claim, "namespace")}/${textAt(claim, "name")}`;
    },
    storageClass,
    textCell("spec.volumeAttributesClassName", "<unset>"),
    textCell("status.reason"),
    ageOf,
    textCell("spec.volumeMode", "<unset>"),
  ),
});

interface PhaseChange {
  readonly old: KubeObject | undefined;
  readonly now: () => number;
}

/** Notes since when a volume is in its phase, unless the writer says it. */
function notePhase(volume: KubeObject, { old, now }: PhaseChange): void {
  const status = volume.status ??= {};
  const before = old?.status ?? {};
  const { lastPhaseTransitionTime: since } = before;
  if (old === undefined || status.phase !== before.phase) {
    const isSaid = status.lastPhaseTransitionTime !== undefined && status.lastPhaseTransitionTime !== since;
    if (!isSaid) status.lastPhaseTransitionTime = timestamp(now());
  } else if (since !== undefined) fill(status, { lastPhaseTransitionTime: since });
}

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

/** Returns the fields of a volume that say where it is. */
function sourcesOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !SHARED.includes(field)));
}

/** Returns the faults of a volume. */
function volumeCauses(spec: JsonObject): Cause[] {
  const modes = Array.isArray(spec.accessModes) ? spec.accessModes : [];
  const causes: Cause[] = modes.length === 0 ? [required("spec.accessModes")] : [];
  causes.push(...modeCauses(modes, "spec.accessModes"));
  const capacity = Object.keys(objectAt(spec, "capacity") ?? {});
  if (capacity.length === 0) causes.push(required("spec.capacity"));
  if (String(capacity) !== "storage") {
    causes.push(notSupported("spec.capacity", { value: spec.capacity ?? null, supported: ["storage"] }));
  }
  causes.push(...emptyCauses(objectAt(spec, "capacity") ?? {}));
  const nodes = objectAt(spec, "nodeAffinity");
  const needed = objectAt(nodes, "required");
  const at = "spec.nodeAffinity.required";
  if (needed !== undefined) causes.push(...nodeSelectorCauses(needed, at));
  else if (nodes !== undefined) causes.push(required(at, "must specify required node constraints"));
  if (nodes === undefined && objectAt(spec, "local") !== undefined) {
    causes.push(required("spec.nodeAffinity", "Local volume requires node affinity"));
  }
  const hasSource = Object.values(sourcesOf(spec)).some(isObject);
  if (!hasSource) causes.push(required("spec", "must specify a volume type"));
  return [...causes, ...choiceCauses(spec.volumeMode, "spec.volumeMode", VOLUME_MODES)];
}

/** A volume has room. */
function emptyCauses(capacity: JsonObject): Cause[] {
  return Object.entries(capacity).flatMap(([name, value]) => {
    const isEmpty = (readQuantity(String(value))?.value ?? 1n) <= 0n;
    const field = `spec.capacity[${name}]`;
    return isEmpty ? [invalid(field, { value, detail: "must be greater than zero" })] : [];
  });
}

/** The sources of volumes whose plugins have gone, by since when. */
const GONE: Readonly<Record<string, string>> = {
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

function volumeWarnings({ metadata, spec = {} }: KubeObject): string[] {
  const terms = objectAt(objectAt(spec, "nodeAffinity"), "required")?.nodeSelectorTerms;
  return [
    ...annotationWarnings(metadata, [
      CLASS_ANNOTATION,
      [
        "volume.beta.kubernetes.io/mount-options",
        'deprecated since v1.31; use "mountOptions" attribute instead',
      ],
    ]),
    ...(spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      ]
      : []),
    ...objectsIn(terms).flatMap((term, index) =>
      termWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`)
    ),
    ...Object.keys(GONE).filter((source) => isObject(spec[source])).map((source) =>
      `spec.${source === "storageos" ? "storageOS" : source}: ${GONE[source]}`
    ),
  ];
}
