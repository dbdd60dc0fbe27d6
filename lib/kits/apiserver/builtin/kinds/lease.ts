/** Leases. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, invalid } from "../../causes.ts";
import { ageOf, row, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { negativeCauses } from "../value_checks.ts";

export const LEASE: KindModule = {
  causes: ({ spec = {} }) => leaseCauses(spec),
  cells: row(textCell("spec.holderIdentity"), ageOf),
};

function leaseCauses(spec: JsonObject): Cause[] {
  const { leaseDurationSeconds: value } = spec;
  const causes = typeof value === "number" && value <= 0
    ? [invalid("spec.leaseDurationSeconds", { value, detail: "must be greater than 0" })]
    : [];
  return [...causes, ...negativeCauses(spec, "spec", ["leaseTransitions"])];
}
