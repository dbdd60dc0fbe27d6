/** Jobs: the labels by which each selects its own Pods, and Pods that come to an end. Source: k8s.io/kubernetes, pkg/apis/batch/validation. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../../causes.ts";
import { humanDuration } from "../../formats/human_duration.ts";
import { objectAt } from "../../values.ts";
import { ageOf, at, conditionOf, containerCells, numberAt, row, selectorCell, textAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { templateCauses } from "../pod_checks.ts";
import { templateWarnings } from "../templates.ts";
import { choiceCauses, negativeCauses } from "../value_checks.ts";

export const JOB: KindModule = {
  status: {},
  template: "spec.template",
  // NB: one map for both, so that the labels of its own that the template gets are the Job's as well.
  complete({ metadata, spec }) {
    const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
    if (labels === undefined || Object.keys(metadata.labels ?? {}).length > 0) return;
    metadata.labels = labels as Record<string, string>;
  },
  settle(object, old) {
    if (old === undefined) labelJob(object);
  },
  causes: ({ spec = {} }) => jobCauses(spec, "spec"),
  mayChange,
  warnings: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  cells: row(
    jobStatus,
    jobCompletions,
    jobDuration,
    ageOf,
    ...containerCells("spec.template.spec"),
    selectorCell(),
  ),
};

/** A Job selects its own Pods: by labels made of its uid. */
function labelJob(job: KubeObject): void {
  const { metadata } = job;
  const spec = objectAt(job, "spec") ?? {};
  const template = objectAt(spec, "template");
  if (template === undefined || spec.manualSelector === true) return;
  const labels = {
    "batch.kubernetes.io/controller-uid": metadata.uid ?? "",
    "batch.kubernetes.io/job-name": metadata.name ?? "",
    "controller-uid": metadata.uid ?? "",
    "job-name": metadata.name ?? "",
  };
  const meta = objectAt(template, "metadata") ?? {};
  const isShared = Object.keys(metadata.labels ?? {}).length === 0 || metadata.labels === meta.labels;
  const all = { ...objectAt(meta, "labels") as Record<string, string> | undefined, ...labels };
  template.metadata = { ...meta, labels: all };
  if (isShared) metadata.labels = { ...all };
  const uid = "batch.kubernetes.io/controller-uid";
  spec.selector = { matchLabels: { ...objectAt(spec.selector, "matchLabels"), [uid]: metadata.uid } };
}

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

/** Returns the faults of a Job, whose Pods come to an end. */
export function jobCauses(spec: JsonObject, path: string): Cause[] {
  const pod = objectAt(objectAt(spec, "template"), "spec") ?? {};
  const causes = negativeCauses(spec, path, COUNTS);
  causes.push(...indexCauses(spec, path));
  causes.push(...templateCauses(spec.template, { path: `${path}.template` }));
  const { restartPolicy: value } = pod;
  const [field, supported] = [`${path}.template.spec.restartPolicy`, ["OnFailure", "Never"]];
  if (value === undefined || value === "" || value === "Always") {
    return [...causes, required(field, 'valid values: "OnFailure", "Never"')];
  }
  if (!supported.includes(String(value))) return [...causes, notSupported(field, { value, supported })];
  if (spec.podFailurePolicy === undefined || value === "Never") return causes;
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return [...causes, invalid(field, { value, detail })];
}

/** Pods with numbers, and the fields that only Jobs with such Pods may have. */
function indexCauses({ completionMode = "NonIndexed", ...spec }: JsonObject, path: string): Cause[] {
  const supported = ["NonIndexed", "Indexed"];
  const causes = choiceCauses(completionMode, `${path}.completionMode`, supported);
  const isMissing = spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined;
  if (isMissing) {
    causes.unshift(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (completionMode === "Indexed" && spec.completions === undefined) {
    causes.push(required(`${path}.completions`, "when completion mode is Indexed"));
  }
  if (completionMode !== "NonIndexed") return causes;
  for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
    const value = spec[field];
    if (value === undefined) continue;
    causes.push(invalid(`${path}.${field}`, { value, detail: "requires indexed completion mode" }));
  }
  return causes;
}

/** A suspended Job may be told where its Pods shall run; an indexed one may have more or fewer Pods. */
function mayChange(field: string, { spec = {} }: KubeObject, { spec: before = {} }: KubeObject): boolean {
  if (field === "spec.completions") {
    return spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  }
  return field === "spec.template" && before.suspend === true;
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
