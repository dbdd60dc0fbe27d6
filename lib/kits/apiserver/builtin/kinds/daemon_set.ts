/** DaemonSets: the count of their templates, in an annotation. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, notSupported } from "../../causes.ts";
import { PrintedStruct } from "../../formats/go_format.ts";
import { equal, objectAt } from "../../values.ts";
import { ageOf, at, containerCells, labelText, numberCell, row, selectorCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { podsCauses, templateWarnings } from "../templates.ts";
import { negativeCauses } from "../value_checks.ts";

export const DAEMON_SET: KindModule = {
  status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  template: "spec.template",
  finish: annotateDaemonSet,
  settle: countTemplates,
  // NB: a write of the status does not change the annotation either.
  settlesStatus: true,
  causes: ({ spec = {} }) => [
    ...podsCauses("DaemonSet", spec),
    ...negativeCauses(spec, "spec", ["minReadySeconds"]),
    ...daemonStrategyCauses(spec),
    ...negativeCauses(spec, "spec", ["revisionHistoryLimit"]),
  ],
  warnings: (object, old) => templateWarnings(object, old, { path: "spec.template" }),
  cells: row(
    numberCell("status.desiredNumberScheduled"),
    numberCell("status.currentNumberScheduled"),
    numberCell("status.numberReady"),
    numberCell("status.updatedNumberScheduled"),
    numberCell("status.numberAvailable"),
    (object) => labelText(at(object, "spec", "template", "spec", "nodeSelector")),
    ageOf,
    ...containerCells("spec.template.spec"),
    selectorCell(),
  ),
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** NB: to whoever writes no annotation, it is 0 until the server sets it right: so they own it. */
function annotateDaemonSet({ metadata }: KubeObject): void {
  metadata.annotations = { [TEMPLATE_GENERATION]: "0", ...metadata.annotations };
}

/** Source: k8s.io/kubernetes, pkg/registry/apps/daemonset/strategy.go. */
function countTemplates({ metadata, spec }: KubeObject, old: KubeObject | undefined): void {
  const given = Number((old ?? { metadata }).metadata.annotations?.[TEMPLATE_GENERATION]);
  const isNew = old !== undefined && !equal(spec?.template, old.spec?.template);
  const count = Math.max(1, Number.isInteger(given) ? given : 1) + (isNew ? 1 : 0);
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(count) };
}

function daemonStrategyCauses(spec: JsonObject): Cause[] {
  const strategy = objectAt(spec, "updateStrategy") ?? {};
  const { type = "RollingUpdate" } = strategy;
  const supported = ["RollingUpdate", "OnDelete"];
  if (supported.includes(String(type))) return [];
  const value = new PrintedStruct({ Type: type, RollingUpdate: objectAt(strategy, "rollingUpdate") ?? null });
  return [notSupported("spec.updateStrategy", { value, supported })];
}
