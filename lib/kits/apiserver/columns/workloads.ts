/**
 * The tables of the kinds that run pods.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import { humanAge, humanDuration } from "../formats/human_duration.ts";
import {
  AGE,
  ageOf,
  at,
  columnsFrom,
  conditionOf,
  containersText,
  type KindTable,
  labelText,
  listAt,
  NAME,
  numberAt,
  selectorText,
  textAt,
} from "./kind_table.ts";

const CONTAINERS = ["Containers:string:wide", "Images:string:wide"] as const;
const SELECTOR = "Selector:string:wide";

/** apps/v1 and batch/v1, by plural and group. */
export const WORKLOADS: Readonly<Record<string, KindTable>> = {
  "deployments.apps": {
    columns: columnsFrom(NAME, "Ready", "Up-to-date", "Available", AGE, ...CONTAINERS, SELECTOR),
    cells: (object, nowMs) => [
      object.metadata.name,
      `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
      numberAt(object, "status", "updatedReplicas"),
      numberAt(object, "status", "availableReplicas"),
      ageOf(object, nowMs),
      ...containersText(at(object, "spec", "template", "spec")),
      selectorText(at(object, "spec", "selector")),
    ],
  },
  "statefulsets.apps": {
    columns: columnsFrom(NAME, "Ready", AGE, ...CONTAINERS),
    cells: (object, nowMs) => [
      object.metadata.name,
      `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
      ageOf(object, nowMs),
      ...containersText(at(object, "spec", "template", "spec")),
    ],
  },
  "replicasets.apps": {
    columns: columnsFrom(
      NAME,
      "Desired:integer",
      "Current:integer",
      "Ready:integer",
      AGE,
      ...CONTAINERS,
      SELECTOR,
    ),
    cells: (object, nowMs) => [
      object.metadata.name,
      numberAt(object, "spec", "replicas"),
      numberAt(object, "status", "replicas"),
      numberAt(object, "status", "readyReplicas"),
      ageOf(object, nowMs),
      ...containersText(at(object, "spec", "template", "spec")),
      selectorText(at(object, "spec", "selector")),
    ],
  },
  "daemonsets.apps": {
    columns: columnsFrom(
      NAME,
      "Desired:integer",
      "Current:integer",
      "Ready:integer",
      "Up-to-date:integer",
      "Available:integer",
      "Node Selector",
      AGE,
      ...CONTAINERS,
      SELECTOR,
    ),
    cells: daemonSetCells,
  },
  "jobs.batch": {
    columns: columnsFrom(NAME, "Status", "Completions", "Duration", AGE, ...CONTAINERS, SELECTOR),
    cells: (object, nowMs) => [
      object.metadata.name,
      jobStatus(object),
      jobCompletions(object),
      jobDuration(object, nowMs),
      ageOf(object, nowMs),
      ...containersText(at(object, "spec", "template", "spec")),
      selectorText(at(object, "spec", "selector")),
    ],
  },
  "cronjobs.batch": {
    columns: columnsFrom(
      NAME,
      "Schedule",
      "Timezone",
      "Suspend:boolean",
      "Active:integer",
      "Last Schedule",
      AGE,
      ...CONTAINERS,
      SELECTOR,
    ),
    cells: cronJobCells,
  },
};

function daemonSetCells(object: KubeObject, nowMs: number): unknown[] {
  return [
    object.metadata.name,
    numberAt(object, "status", "desiredNumberScheduled"),
    numberAt(object, "status", "currentNumberScheduled"),
    numberAt(object, "status", "numberReady"),
    numberAt(object, "status", "updatedNumberScheduled"),
    numberAt(object, "status", "numberAvailable"),
    labelText(at(object, "spec", "template", "spec", "nodeSelector")),
    ageOf(object, nowMs),
    ...containersText(at(object, "spec", "template", "spec")),
    selectorText(at(object, "spec", "selector")),
  ];
}

function cronJobCells(object: KubeObject, nowMs: number): unknown[] {
  const last = at(object, "status", "lastScheduleTime");
  const suspend = at(object, "spec", "suspend");
  return [
    object.metadata.name,
    textAt(object, "spec", "schedule"),
    textAt(object, "spec", "timeZone") || "<none>",
    typeof suspend === "boolean" ? (suspend ? "True" : "False") : "<unset>",
    listAt(object, "status", "active").length,
    last === undefined ? "<none>" : humanAge(last, nowMs),
    ageOf(object, nowMs),
    ...containersText(at(object, "spec", "jobTemplate", "spec", "template", "spec")),
    selectorText(at(object, "spec", "jobTemplate", "spec", "selector")),
  ];
}

function jobStatus(job: KubeObject): string {
  const holds = (type: string): boolean => textAt(conditionOf(job, type), "status") === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds) ?? "Running";
}

function jobCompletions(job: KubeObject): string {
  const succeeded = numberAt(job, "status", "succeeded");
  const wanted = at(job, "spec", "completions");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallel = numberAt(job, "spec", "parallelism");
  return parallel > 1 ? `${succeeded}/1 of ${parallel}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, nowMs: number): string {
  const start = Date.parse(textAt(job, "status", "startTime"));
  if (Number.isNaN(start)) return "";
  const end = Date.parse(textAt(job, "status", "completionTime"));
  return humanDuration((Number.isNaN(end) ? nowMs : end) - start);
}
