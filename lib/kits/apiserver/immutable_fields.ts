/**
 * Fields of built-in kinds that cannot be changed once they are there.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation (ValidateConfigMapUpdate, ValidateSecretUpdate) and
 * pkg/apis/apps/validation.
 */

import type { KubeObject } from "../../model/object.ts";
import { type Cause, invalid } from "./causes.ts";
import { equal, objectAt } from "./values.ts";

const SEALED = "Forbidden: field is immutable when `immutable` is set";
const SELECTING = ["Deployment", "DaemonSet", "ReplicaSet"];

/** Says which fields were changed that must not be. */
export function immutableCauses(kind: string, object: KubeObject, old: KubeObject): Cause[] {
  if (kind === "ConfigMap" || kind === "Secret") return dataCauses(kind, object, old);
  if (!SELECTING.includes(kind)) return [];
  const [value, before] = [object, old].map((one) => objectAt(one.spec, "selector"));
  return equal(value, before) ? [] : [invalid("spec.selector", { value, detail: "field is immutable" })];
}

function dataCauses(kind: string, object: KubeObject, old: KubeObject): Cause[] {
  const causes: Cause[] = [];
  if (kind === "Secret" && object.type !== old.type) {
    causes.push(invalid("type", { value: object.type, detail: "field is immutable" }));
  }
  if (old.immutable !== true) return causes;
  for (const field of ["immutable", "data", "binaryData"]) {
    if (equal(object[field] ?? {}, old[field] ?? {})) continue;
    causes.push({ reason: "FieldValueForbidden", message: SEALED, field });
  }
  return causes;
}
