/** FlowSchemas and PriorityLevelConfigurations, which are only stored: no request waits. */

import { ageOf, conditionOf, numberCell, row, textAt, textCell, valueCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

const QUEUES = "spec.limited.limitResponse.queuing";

export const FLOW_SCHEMA: KindModule = {
  status: {},
  cells: row(
    textCell("spec.priorityLevelConfiguration.name"),
    numberCell("spec.matchingPrecedence"),
    valueCell("spec.distinguisherMethod.type", "<none>"),
    ageOf,
    (object) => textAt(conditionOf(object, "Dangling"), "status") || "?",
  ),
};

export const PRIORITY_LEVEL: KindModule = {
  status: {},
  cells: row(
    textCell("spec.type"),
    valueCell("spec.limited.nominalConcurrencyShares", "<none>"),
    valueCell(`${QUEUES}.queues`, "<none>"),
    valueCell(`${QUEUES}.handSize`, "<none>"),
    valueCell(`${QUEUES}.queueLengthLimit`, "<none>"),
    ageOf,
  ),
};
