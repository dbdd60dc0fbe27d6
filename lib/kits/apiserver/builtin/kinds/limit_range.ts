/** LimitRanges: amounts that follow from others. */

import type { JsonObject } from "../../../../model/object.ts";
import { limitRangeCauses } from "../../quota/rules.ts";
import { fill, objectAt, objectsIn } from "../../values.ts";
import type { KindModule } from "../kind_module.ts";

export const LIMIT_RANGE: KindModule = {
  complete({ spec }) {
    for (const limit of objectsIn(spec?.limits)) defaultLimit(limit);
  },
  causes: limitRangeCauses,
  // NB: there is no table of its own, but of its name and its creation.
};

/** Fills in the defaults that follow from the other amounts of a limit: the maximum is the default, and so on. */
function defaultLimit(limit: JsonObject): void {
  if (limit.type !== "Container") return;
  fill(limit, { default: {}, defaultRequest: {} });
  const [given, asked] = [objectAt(limit, "default") ?? {}, objectAt(limit, "defaultRequest") ?? {}];
  fill(given, objectAt(limit, "max") ?? {});
  fill(asked, given);
  fill(asked, objectAt(limit, "min") ?? {});
  for (const field of ["default", "defaultRequest"]) {
    if (Object.keys(objectAt(limit, field) ?? {}).length === 0) delete limit[field];
  }
}
