/** PodTemplates. */

import { at, containerCells, labelText, row } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { templateCauses } from "../pod_checks.ts";
import { templateWarnings } from "../templates.ts";

export const POD_TEMPLATE: KindModule = {
  template: "template",
  causes: ({ template }) => templateCauses(template, { path: "template" }),
  warnings: (object, old) => templateWarnings(object, old, { path: "template" }),
  cells: row(
    ...containerCells("template.spec"),
    (object) => labelText(at(object, "template", "metadata", "labels")),
  ),
};
