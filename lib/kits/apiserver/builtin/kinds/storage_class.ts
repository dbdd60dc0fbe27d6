/** StorageClasses. Source: k8s.io/kubernetes, pkg/apis/storage/validation. */

import type { KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, required } from "../../causes.ts";
import { qualifiedNameErrors } from "../../names.ts";
import { objectsIn } from "../../values.ts";
import { ageOf, byDefault, textCell, valueCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { DEPRECATED_LABELS } from "../pod_warnings.ts";
import { isDeprecatedLabel } from "../templates.ts";
import { choiceCauses } from "../value_checks.ts";

export const STORAGE_CLASS: KindModule = {
  causes: storageClassCauses,
  warnings: ({ allowedTopologies }) =>
    objectsIn(allowedTopologies).flatMap(({ matchLabelExpressions }, index) =>
      objectsIn(matchLabelExpressions).flatMap(({ key }, i) =>
        isDeprecatedLabel(String(key))
          ? [`allowedTopologies[${index}].matchLabelExpressions[${i}].key: ${DEPRECATED_LABELS[String(key)]}`]
          : []
      )
    ),
  cells: byDefault(
    "storageclass.kubernetes.io/is-default-class",
    textCell("provisioner"),
    textCell("reclaimPolicy"),
    textCell("volumeBindingMode"),
    valueCell("allowVolumeExpansion", false),
    ageOf,
  ),
};

/** Returns the faults of a StorageClass. */
function storageClassCauses(object: KubeObject): Cause[] {
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
