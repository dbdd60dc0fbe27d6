/** StatefulSets: their claims, their order, the name of their Service. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, invalid } from "../../causes.ts";
import { dnsLabelErrors } from "../../names.ts";
import { objectAt, objectsIn } from "../../values.ts";
import { ageOf, containerCells, numberAt, row } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { fractionWarnings } from "../pod_warnings.ts";
import { podsCauses, templateWarnings } from "../templates.ts";
import { negativeCauses } from "../value_checks.ts";
import { claimCauses } from "../volumes.ts";

export const STATEFUL_SET: KindModule = {
  status: { availableReplicas: 0, replicas: 0 },
  template: "spec.template",
  complete({ spec }) {
    for (const claim of objectsIn(spec?.volumeClaimTemplates)) {
      Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
    }
  },
  causes: ({ spec = {} }) => [
    ...orderCauses(spec),
    ...objectsIn(spec.volumeClaimTemplates).flatMap((claim, index) =>
      claimCauses(objectAt(claim, "spec") ?? {}, `spec.volumeClaimTemplates[${index}].spec`)
    ),
    ...negativeCauses(spec, "spec", ["replicas", "minReadySeconds"]),
    ...serviceNameCauses(spec),
    ...podsCauses("StatefulSet", spec),
    ...negativeCauses(spec, "spec", ["revisionHistoryLimit"]),
  ],
  warnings: (object, old) => [
    ...templateWarnings(object, old, { path: "spec.template" }),
    ...(old === undefined ? setWarnings(object.spec ?? {}) : []),
  ],
  cells: row(
    (object) => `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
    ageOf,
    ...containerCells("spec.template.spec"),
  ),
};

function orderCauses({ podManagementPolicy: value }: JsonObject): Cause[] {
  if (value === undefined || ["OrderedReady", "Parallel"].includes(String(value))) return [];
  return [invalid("spec.podManagementPolicy", { value, detail: "must be 'OrderedReady' or 'Parallel'" })];
}

function serviceNameCauses({ serviceName: value = "" }: JsonObject): Cause[] {
  const errors = value === "" ? [] : dnsLabelErrors(String(value));
  return errors.map((detail) => invalid("spec.serviceName", { value, detail }));
}

function setWarnings({ volumeClaimTemplates, revisionHistoryLimit }: JsonObject): string[] {
  const claims = objectsIn(volumeClaimTemplates).flatMap(({ spec }, index) =>
    fractionWarnings(objectAt(spec, "resources"), {
      path: `spec.volumeClaimTemplates[${index}].resources`,
      names: ["storage"],
    })
  );
  return typeof revisionHistoryLimit === "number" && revisionHistoryLimit < 0
    ? [
      ...claims,
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ]
    : claims;
}
