/**
 * Events under their two names: stored as core `v1`, also served as `events.k8s.io/v1`.
 *
 * Source: k8s.io/kubernetes, pkg/apis/events/v1/conversion.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Conversion } from "../kinds.ts";
import { isObject, setOwn } from "../values.ts";

/** Core name to name in events.k8s.io. What is not listed is called the same. */
const NAMES: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
  reportingComponent: "reportingController",
};

const BACK: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([core, other]) => [other, core]),
);

/** The fields that selectors of events.k8s.io may use, and where they are kept. */
export const EVENT_FIELDS: Readonly<Record<string, string>> = {
  "regarding.kind": "involvedObject.kind",
  "regarding.namespace": "involvedObject.namespace",
  "regarding.name": "involvedObject.name",
  "regarding.uid": "involvedObject.uid",
  "regarding.apiVersion": "involvedObject.apiVersion",
  "regarding.resourceVersion": "involvedObject.resourceVersion",
  "regarding.fieldPath": "involvedObject.fieldPath",
  "reason": "reason",
  "reportingController": "reportingComponent",
  "type": "type",
};

export const EVENT_CONVERSION: Conversion = {
  toServed: (stored) => shown({ ...rename(stored, NAMES), apiVersion: "events.k8s.io/v1" }),
  toStored: (served) => ({ ...rename(served, BACK), apiVersion: "v1" }),
};

/** The core group shows empty reporters, and no count of zero; this group does the opposite. */
function shown(event: JsonObject): JsonObject {
  if (isObject(event.series)) event.series = { count: 0, ...event.series };
  for (const key of ["reportingController", "reportingInstance"]) if (event[key] === "") delete event[key];
  return event;
}

function rename(event: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const renamed: JsonObject = {};
  for (const key of Object.keys(event)) {
    setOwn(renamed, Object.hasOwn(names, key) ? names[key] ?? key : key, event[key]);
  }
  return renamed;
}
