/** ReplicationControllers, whose selector is a map of labels. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, required } from "../../causes.ts";
import { isObject, objectAt } from "../../values.ts";
import { at, labelText } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { lastingTemplateCauses, mismatchCauses, templateWarnings } from "../templates.ts";
import { negativeCauses } from "../value_checks.ts";
import { replicaCells } from "./replica_set.ts";

export const REPLICATION_CONTROLLER: KindModule = {
  status: { replicas: 0 },
  template: "spec.template",
  // NB: these alone leave their Pods behind, unless the client wants it otherwise.
  orphans: true,
  complete: (object) => defaultReplicationController(object.spec ?? {}, object),
  causes: ({ spec = {} }) => controllerCauses(spec),
  warnings: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  cells: replicaCells((object) => labelText(at(object, "spec", "selector"))),
};

/** It selects by the labels of its Pods, and has them as well, unless it says otherwise. */
function defaultReplicationController(spec: JsonObject, { metadata }: KubeObject): void {
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  if (labels === undefined) return;
  const isEmpty = (map: unknown) => !isObject(map) || Object.keys(map).length === 0;
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  // Labels are texts, as their type says.
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels } as Record<string, string>;
}

/** Returns the faults of a ReplicationController, whose selector is a map of labels. */
function controllerCauses(spec: JsonObject): Cause[] {
  const selector = isObject(spec.selector) ? spec.selector : {};
  const isEmpty = Object.keys(selector).length === 0;
  return [
    ...negativeCauses(spec, "spec", ["minReadySeconds"]),
    ...(isEmpty ? [required("spec.selector")] : []),
    ...negativeCauses(spec, "spec", ["replicas"]),
    ...templateCauses(spec, selector),
  ];
}

/** NB: without a selector all Pods fit. */
function templateCauses(spec: JsonObject, selector: JsonObject): Cause[] {
  const { template } = spec;
  if (!isObject(template)) return [required("spec.template")];
  const isEmpty = Object.keys(selector).length === 0;
  return [
    ...(isEmpty ? [] : mismatchCauses({ selector: { matchLabels: selector }, template })),
    ...lastingTemplateCauses(spec, "ReplicationController"),
  ];
}
