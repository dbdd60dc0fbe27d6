/** RuntimeClasses. */

import { invalid } from "../../causes.ts";
import { dnsLabelErrors } from "../../names.ts";
import { objectAt } from "../../values.ts";
import { ageOf, row, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { DEPRECATED_LABELS } from "../pod_warnings.ts";
import { isDeprecatedLabel } from "../templates.ts";

export const RUNTIME_CLASS: KindModule = {
  causes: ({ handler }) =>
    dnsLabelErrors(String(handler ?? "")).map((detail) => invalid("handler", { value: handler, detail })),
  warnings: ({ scheduling }) =>
    Object.keys(objectAt(scheduling, "nodeSelector") ?? {}).filter(isDeprecatedLabel)
      .map((label) => `scheduling.nodeSelector: ${DEPRECATED_LABELS[label]}`),
  cells: row(textCell("handler"), ageOf),
};
