/** ReplicaSets, and the rules that ReplicationControllers share with them. */

import { ageOf, type Cell, containerCells, numberCell, row, selectorCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { podsCauses, templateWarnings } from "../templates.ts";
import { negativeCauses } from "../value_checks.ts";

export const REPLICA_SET: KindModule = {
  status: { replicas: 0 },
  template: "spec.template",
  causes: ({ spec = {} }) => [
    ...negativeCauses(spec, "spec", ["replicas", "minReadySeconds"]),
    ...podsCauses("ReplicaSet", spec),
  ],
  warnings: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  cells: replicaCells(selectorCell()),
};

/** Returns the cells of a kind that keeps a number of Pods alike. */
export function replicaCells(selecting: Cell): ReturnType<typeof row> {
  return row(
    numberCell("spec.replicas"),
    numberCell("status.replicas"),
    numberCell("status.readyReplicas"),
    ageOf,
    ...containerCells("spec.template.spec"),
    selecting,
  );
}
