/**
 * Refusals of Kubernetes for Events: they are in the namespace of the object that they are about, and who writes them as
 * `events.k8s.io/v1` says all about them, once.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation/events.go.
 */

import type { KubeObject } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { qualifiedNameErrors } from "../names.ts";
import { equal, isObject, objectAt } from "../values.ts";

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

/** Returns what is wrong with an Event. */
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

function textAt(event: KubeObject, field: string): string {
  const value = event[field];
  return typeof value === "string" ? value : "";
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
