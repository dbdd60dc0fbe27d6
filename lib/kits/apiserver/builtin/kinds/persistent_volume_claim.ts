/** PersistentVolumeClaims: the two fields for the first content of a volume, and the fields that may change. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, forbidden, invalid, required } from "../../causes.ts";
import { readQuantity } from "../../formats/quantity.ts";
import { dnsSubdomainErrors } from "../../names.ts";
import { equal, isObject, objectAt } from "../../values.ts";
import { ageOf, listAt, row, textAt, textCell } from "../cells.ts";
import { sameField } from "../sealed.ts";
import type { KindModule } from "../kind_module.ts";
import { fractionWarnings } from "../pod_warnings.ts";
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

export const PERSISTENT_VOLUME_CLAIM: KindModule = {
  status: { phase: "Pending" },
  admit: protect("PersistentVolumeClaim"),
  /** NB: the newer field can name another namespace, which the older one cannot. */
  settle({ spec = {} }) {
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

function isBound(claim: KubeObject): boolean {
  return textAt(claim, "spec", "volumeName") !== "";
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
  return [...causes, ...choiceCauses(spec.volumeMode, `${path}.volumeMode`, VOLUME_MODES)];
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
