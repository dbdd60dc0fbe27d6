/**
 * The tables of what devices are claimed by.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import { AGE, ageOf, at, columnsFrom, type KindTable, listAt, NAME, textAt } from "./kind_table.ts";

const NAMED: KindTable = {
  columns: columnsFrom(NAME, AGE),
  cells: (object, nowMs) => [object.metadata.name, ageOf(object, nowMs)],
};

/** By plural and group. */
export const DEVICES: Readonly<Record<string, KindTable>> = {
  "deviceclasses.resource.k8s.io": NAMED,
  "resourceclaimtemplates.resource.k8s.io": NAMED,
  "resourceclaims.resource.k8s.io": {
    columns: columnsFrom(NAME, "State", AGE),
    cells: (claim, nowMs) => [claim.metadata.name, stateOf(claim), ageOf(claim, nowMs)],
  },
  "resourceslices.resource.k8s.io": {
    columns: columnsFrom(NAME, "Node", "Driver", "Pool", AGE),
    cells: (slice, nowMs) => [
      slice.metadata.name,
      textAt(slice, "spec", "nodeName"),
      textAt(slice, "spec", "driver"),
      textAt(slice, "spec", "pool", "name"),
      ageOf(slice, nowMs),
    ],
  },
};

function stateOf(claim: KubeObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ["deleted"] : [];
  if (at(claim, "status", "allocation") === undefined) {
    if (!isDeleted) states.push("pending");
  } else {
    states.push("allocated");
    if (listAt(claim, "status", "reservedFor").length > 0) states.push("reserved");
  }
  return states.join(",");
}
