/** PodDisruptionBudgets. Source: k8s.io/kubernetes, pkg/apis/policy/validation. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, invalid } from "../../causes.ts";
import { formatJson, PrintedStruct } from "../../formats/go_format.ts";
import { selectorCauses } from "../../labels.ts";
import { isObject } from "../../values.ts";
import { ageOf, numberCell, row, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { choiceCauses, excessCauses, shareCauses } from "../value_checks.ts";

export const POD_DISRUPTION_BUDGET: KindModule = {
  status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  causes: ({ spec = {} }) => budgetCauses(spec),
  cells: row(
    textCell("spec.minAvailable", "N/A"),
    textCell("spec.maxUnavailable", "N/A"),
    numberCell("status.disruptionsAllowed"),
    ageOf,
  ),
};

/** NB: labels are a map, which Go prints in the order of its keys; the selector is none. */
function printedSelector({ matchLabels, ...others }: JsonObject): JsonObject {
  if (!isObject(matchLabels)) return others;
  return { matchLabels: JSON.parse(formatJson(matchLabels)), ...others };
}

/** Returns the faults of a PodDisruptionBudget. */
function budgetCauses(spec: JsonObject): Cause[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const causes: Cause[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const value = new PrintedStruct({
      MinAvailable: minAvailable,
      Selector: isObject(selector) ? printedSelector(selector) : null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    });
    causes.push(invalid("spec", { value, detail: "minAvailable and maxUnavailable cannot be both set" }));
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    causes.push(...shareCauses(value, `spec.${field}`), ...excessCauses(value, `spec.${field}`));
  }
  causes.push(...selectorCauses(selector, "spec.selector"));
  const supported = ["AlwaysAllow", "IfHealthyBudget"];
  return [...causes, ...choiceCauses(policy, "spec.unhealthyPodEvictionPolicy", supported)];
}
