/** Deployments: strategies and deadlines. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported } from "../../causes.ts";
import { PrintedStruct } from "../../formats/go_format.ts";
import { objectAt } from "../../values.ts";
import { ageOf, containerCells, numberAt, numberCell, row, selectorCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { podsCauses, templateWarnings } from "../templates.ts";
import { excessCauses, negativeCauses, shareCauses } from "../value_checks.ts";

export const DEPLOYMENT: KindModule = {
  status: {},
  template: "spec.template",
  // NB: a Deployment's own controller notes the revision in an annotation, with the status; users' annotations are counted.
  keptWithStatus: ["labels"],
  countsAnnotations: true,
  causes: ({ spec = {} }) => [
    ...negativeCauses(spec, "spec", ["replicas"]),
    ...podsCauses("Deployment", spec),
    ...strategyCauses(objectAt(spec, "strategy") ?? {}),
    ...negativeCauses(spec, "spec", ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]),
    ...deadlineCauses(spec),
  ],
  warnings: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  cells: row(
    (object) => `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
    numberCell("status.updatedReplicas"),
    numberCell("status.availableReplicas"),
    ageOf,
    ...containerCells("spec.template.spec"),
    selectorCell(),
  ),
};

const STRATEGIES = ["Recreate", "RollingUpdate"];

function strategyCauses(strategy: JsonObject): Cause[] {
  const { type } = strategy;
  const rolling = objectAt(strategy, "rollingUpdate");
  const path = "spec.strategy.rollingUpdate";
  if (!STRATEGIES.includes(String(type))) {
    const value = new PrintedStruct({ Type: type, RollingUpdate: rolling ?? null });
    return [notSupported("spec.strategy", { value, supported: STRATEGIES })];
  }
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbidden(path, detail)];
  }
  return rollingCauses(rolling ?? {}, path);
}

function rollingCauses({ maxUnavailable, maxSurge }: JsonObject, path: string): Cause[] {
  const isZero = (value: unknown) => parseInt(String(value ?? 0)) === 0;
  const detail = "may not be 0 when `maxSurge` is 0";
  return [
    ...shareCauses(maxUnavailable, `${path}.maxUnavailable`),
    ...shareCauses(maxSurge, `${path}.maxSurge`),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalid(`${path}.maxUnavailable`, { value: maxUnavailable ?? 0, detail })]
      : []),
    ...excessCauses(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

function deadlineCauses({ progressDeadlineSeconds: value, minReadySeconds = 0 }: JsonObject): Cause[] {
  if (typeof value !== "number" || value > Number(minReadySeconds)) return [];
  return [invalid("spec.progressDeadlineSeconds", { value, detail: "must be greater than minReadySeconds" })];
}
