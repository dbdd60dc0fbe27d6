/** IngressClasses. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, at, byDefault, textAt, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const INGRESS_CLASS: KindModule = {
  cells: byDefault(
    "ingressclass.kubernetes.io/is-default-class",
    textCell("spec.controller"),
    ingressParameters,
    ageOf,
  ),
};

function ingressParameters(object: KubeObject): string {
  const parameters = at(object, "spec", "parameters");
  if (parameters === undefined) return "<none>";
  const group = textAt(parameters, "apiGroup");
  return `${textAt(parameters, "kind")}${group === "" ? "" : `.${group}`}/${textAt(parameters, "name")}`;
}
