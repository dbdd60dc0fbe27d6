/**
 * Events: they are in the namespace of the object that they are about, and a client that writes them as `events.k8s.io/v1` sets
 * all fields at once. They are stored as core `v1`.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation/events.go and pkg/apis/events/v1/conversion.go.
 */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, required } from "../../causes.ts";
import { humanAge } from "../../formats/human_duration.ts";
import type { Conversion } from "../../kinds.ts";
import { qualifiedNameErrors } from "../../names.ts";
import { equal, isObject, objectAt, setOwn } from "../../values.ts";
import { at, numberAt, textAt } from "../cells.ts";
import type { KindContext, KindModule } from "../kind_module.ts";

/** Returns the rules of Events of a group. */
export function eventModule({ group }: KindContext): KindModule {
  return {
    causes: (object, { old }) => eventCauses(object, { old, isStrict: group === "events.k8s.io" }),
    sealed: () => [],
    cells: eventCells,
  };
}

/** The most characters of some fields. */
const LONGEST = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** Fields that cannot be changed, in the core group's names. */
const CONSTANT = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
];

/** The write of an Event, which has the shape of the core group. */
export interface EventWrite {
  readonly old?: KubeObject;
  /** It is written as `events.k8s.io/v1`. */
  readonly isStrict: boolean;
}

/** Returns the faults of an Event. */
export function eventCauses(event: KubeObject, { old, isStrict }: EventWrite): Cause[] {
  const causes = [...placeCauses(event), ...(isSet(event, "eventTime") ? reportCauses(event, isStrict) : [])];
  if (!isStrict) return causes;
  return old === undefined ? [...causes, ...seriesCauses(event), ...newCauses(event)] : [
    ...causes,
    ...(equal(event.series, old.series) ? [] : seriesCauses(event)),
    ...changeCauses(event, old),
  ];
}

function isSet(event: KubeObject, field: string): boolean {
  const value = event[field];
  if (isObject(value)) return Object.values(value).some((part) => part !== "");
  return value !== undefined && value !== null && value !== "" && value !== 0;
}

/** NB: an Event about an object without a namespace may be in some namespaces of Kubernetes' own. */
function placeCauses(event: KubeObject): Cause[] {
  const namespace = event.metadata.namespace ?? "";
  const value = String(objectAt(event, "involvedObject")?.namespace ?? "");
  const isTimed = isSet(event, "eventTime");
  const fits = value === ""
    ? namespace === "default" || (isTimed && namespace === "kube-system")
    : isTimed || namespace === value;
  if (fits) return [];
  return [invalid("involvedObject.namespace", { value, detail: "does not match event.namespace" })];
}

function reportCauses(event: KubeObject, isStrict: boolean): Cause[] {
  const reporter = textAt(event, "reportingComponent");
  const at = isStrict ? "reportingController" : "reportingComponent";
  const missing = [["reportingInstance", "reportingInstance"], ["action", "action"], ["reason", "reason"]]
    .filter(([field = ""]) => textAt(event, field) === "")
    .map(([, name = ""]) => required(name));
  const long = Object.entries(LONGEST)
    .filter(([field, most]) => textAt(event, field).length > most)
    .map(([field, most]) => invalid(field, { value: "", detail: `can have at most ${most} characters` }));
  return [
    ...(reporter === "" ? [required(at)] : []),
    ...qualifiedNameErrors(reporter).map((detail) => invalid(at, { value: reporter, detail })),
    ...missing,
    ...long,
  ];
}

function seriesCauses({ series }: KubeObject): Cause[] {
  if (!isObject(series)) return [];
  const { count, lastObservedTime } = series;
  const isFew = typeof count !== "number" || count < 2;
  return [
    ...(isFew ? [invalid("series.count", { value: "", detail: "should be at least 2" })] : []),
    ...((lastObservedTime ?? "") === "" ? [required("series.lastObservedTime")] : []),
  ];
}

function newCauses(event: KubeObject): Cause[] {
  const type = textAt(event, "type");
  const isKnown = type === "Normal" || type === "Warning";
  return [
    ...(isSet(event, "eventTime") ? [] : [required("eventTime")]),
    ...(isKnown ? [] : [invalid("type", { value: "", detail: `has invalid value: ${type}` })]),
    ...["firstTimestamp", "lastTimestamp", "count", "source"]
      .filter((field) => isSet(event, field))
      .map((field) => invalid(field, { value: "", detail: "needs to be unset" })),
  ];
}

function changeCauses(event: KubeObject, old: KubeObject): Cause[] {
  return CONSTANT
    .filter((field) => (isSet(event, field) || isSet(old, field)) && !equal(event[field], old[field]))
    .map((field) => {
      const name = field === "reportingComponent" ? "reportingController" : field;
      return invalid(name, { value: event[field] ?? null, detail: "field is immutable" });
    });
}

function eventCells(event: KubeObject, nowMs: number): unknown[] {
  const first = humanAge(
    at(event, "firstTimestamp") ?? at(event, "deprecatedFirstTimestamp") ?? at(event, "eventTime"),
    nowMs,
  );
  const series = at(event, "series");
  const lastTime = at(event, "lastTimestamp") ?? at(event, "deprecatedLastTimestamp");
  const last = series !== undefined
    ? humanAge(at(series, "lastObservedTime"), nowMs)
    : lastTime === undefined
    ? first
    : humanAge(lastTime, nowMs);
  const involved = at(event, "involvedObject") ?? at(event, "regarding");
  const name = textAt(involved, "name");
  const kind = textAt(involved, "kind").toLowerCase();
  return [
    last,
    textAt(event, "type"),
    textAt(event, "reason"),
    name === "" ? kind : `${kind}/${name}`,
    textAt(involved, "fieldPath"),
    sourceOf(event),
    (textAt(event, "message") || textAt(event, "note")).trim(),
    first,
    numberAt(series, "count") || numberAt(event, "count") || numberAt(event, "deprecatedCount") || 1,
    event.metadata.name,
  ];
}

function sourceOf(event: KubeObject): string {
  const source = at(event, "source") ?? at(event, "deprecatedSource");
  const component = textAt(source, "component") || textAt(event, "reportingComponent") ||
    textAt(event, "reportingController");
  const host = textAt(source, "host") || textAt(event, "reportingInstance");
  return host === "" ? component : `${component}, ${host}`;
}

/** Core name to name in events.k8s.io. Other fields have the same name in both. */
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
