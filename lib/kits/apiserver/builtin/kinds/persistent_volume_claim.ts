/** PersistentVolumeClaims: the two fields for the first content of a volume, and the fields that may change. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, forbidden } from "../../causes.ts";
import { equal, isObject, objectAt } from "../../values.ts";
import { ageOf, listAt, row, textAt, textCell } from "../cells.ts";
import { sameField } from "../sealed.ts";
import type { KindModule } from "../kind_module.ts";
import { fractionWarnings } from "../pod_warnings.ts";
import { annotationWarnings } from "../templates.ts";
import { accessModes, claimCauses, CLASS_ANNOTATION, phaseOf, protect, storageClass } from "../volumes.ts";

export const PERSISTENT_VOLUME_CLAIM: KindModule = {
  status: { phase: "Pending" },
  admit: protect("PersistentVolumeClaim"),
  /** NB: the newer field can name another namespace, which the older one cannot. */
  settle({ spec = {} }, old) {
    // The older field was once ignored where it named anything else.
    if (old === undefined && !isOldSource(objectAt(spec, "dataSource"))) delete spec.dataSource;
    const [source, reference] = [objectAt(spec, "dataSource"), objectAt(spec, "dataSourceRef")];
    const given = source ?? reference;
    if (given === undefined || (source !== undefined && isObject(reference))) return;
    if (source === undefined && reference?.namespace) return;
    const { apiGroup = null, kind, name } = given;
    spec[source === undefined ? "dataSource" : "dataSourceRef"] = { apiGroup, kind, name };
  },
  causes: ({ spec = {} }) => claimCauses(spec),
  sealed: (object, old) => [
    ...sealedCauses(object, old),
    ...sameField("volumeMode", object.spec?.volumeMode, old.spec?.volumeMode),
  ],
  warnings: ({ metadata, spec }) => [
    ...annotationWarnings(metadata, [CLASS_ANNOTATION]),
    ...fractionWarnings(objectAt(spec, "resources"), { path: "spec.resources", names: ["storage"] }),
  ],
  cells: row(
    phaseOf,
    textCell("spec.volumeName"),
    (claim) => isBound(claim) ? textAt(claim, "status", "capacity", "storage") || "0" : "",
    (claim) => isBound(claim) ? accessModes(listAt(claim, "status", "accessModes")) : "",
    storageClass,
    textCell("spec.volumeAttributesClassName", "<unset>"),
    ageOf,
    textCell("spec.volumeMode", "<unset>"),
  ),
};

function isOldSource({ apiGroup, kind }: JsonObject = {}): boolean {
  if ((apiGroup ?? "") === "") return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

function isBound(claim: KubeObject): boolean {
  return textAt(claim, "spec", "volumeName") !== "";
}

const CLAIM =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function sealedCauses(object: KubeObject, old: KubeObject): Cause[] {
  const { volumeName: bound = "" } = old.spec ?? {};
  const rest = (spec: JsonObject = {}): JsonObject => {
    const { volumeName, storageClassName, resources, volumeAttributesClassName, ...others } = spec;
    // The fields that the binding fills in, and the resources that a bound claim may ask for.
    return {
      ...others,
      ...(bound === "" ? { resources } : { volumeName }),
      ...(old.spec?.storageClassName === undefined ? {} : { storageClassName }),
      ...(bound === "" ? { volumeAttributesClassName } : {}),
    };
  };
  return equal(rest(object.spec), rest(old.spec)) ? [] : [forbidden("spec", CLAIM)];
}
