/**
 * Refusals of CronJobs and HorizontalPodAutoscalers.
 *
 * Source: k8s.io/kubernetes, pkg/apis/batch/validation and pkg/apis/autoscaling/validation.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { readSchedule } from "../formats/cron.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { jobCauses } from "./pod_checks.ts";

/** A name of eleven characters is added to that of each Job, which must not have more than 63. */
const LONGEST_NAME = 52;
const POLICIES = ["Allow", "Forbid", "Replace"];

/** Says what is wrong with a CronJob. */
export function cronJobCauses({ metadata: { name = "" }, ...object }: KubeObject): Cause[] {
  const spec = objectAt(object, "spec") ?? {};
  const { concurrencyPolicy } = spec;
  const causes = [...scheduleCauses(spec), ...timeZoneCauses(spec)];
  if (!POLICIES.includes(String(concurrencyPolicy))) {
    causes.push(notSupported("spec.concurrencyPolicy", { value: concurrencyPolicy, supported: POLICIES }));
  }
  for (const field of ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"]) {
    const value = spec[field];
    if (typeof value !== "number" || value >= 0) continue;
    causes.push(invalid(`spec.${field}`, { value, detail: "must be greater than or equal to 0" }));
  }
  const job = objectAt(objectAt(spec, "jobTemplate"), "spec") ?? {};
  causes.push(...jobCauses(job, "spec.jobTemplate.spec"));
  if (name.length > LONGEST_NAME) {
    causes.push(invalid("metadata.name", { value: name, detail: "must be no more than 52 characters" }));
  }
  return causes;
}

function scheduleCauses({ schedule = "" }: JsonObject): Cause[] {
  if (schedule === "") return [required("spec.schedule")];
  const text = String(schedule);
  const causes: Cause[] = [];
  // NB: zones at the beginning are taken when the schedule is read, and refused afterwards.
  const [, , rest = text] = /^(CRON_)?TZ=\S+\s+(.*)$/.exec(text) ?? [];
  try {
    readSchedule(rest);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    causes.push(invalid("spec.schedule", { value: text, detail: error.message }));
  }
  if (text.includes("TZ")) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    causes.push(invalid("spec.schedule", { value: text, detail }));
  }
  return causes;
}

function timeZoneCauses({ timeZone }: JsonObject): Cause[] {
  if (timeZone === undefined || timeZone === null) return [];
  const bad = (detail: string) => [invalid("spec.timeZone", { value: timeZone, detail })];
  if (timeZone === "") return bad("timeZone must be nil or non-empty string");
  const name = String(timeZone);
  if (name.toLowerCase() === "local") {
    return bad("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  try {
    readSchedule("@daily", name);
    return [];
  } catch {
    return bad(`unknown time zone ${name}`);
  }
}

/** Says what is wrong with a HorizontalPodAutoscaler. */
export function autoscalerCauses(object: KubeObject): Cause[] {
  const spec = objectAt(object, "spec") ?? {};
  const [least, most] = [Number(spec.minReplicas ?? 1), Number(spec.maxReplicas ?? 0)];
  const causes: Cause[] = [];
  if (least < 1) {
    const detail = "must be greater than or equal to 1";
    causes.push(invalid("spec.minReplicas", { value: least, detail }));
  }
  if (most < least) {
    const detail = "must be greater than or equal to `minReplicas`";
    causes.push(invalid("spec.maxReplicas", { value: most, detail }));
  }
  if (most < 1) causes.push(required("spec.maxReplicas", "must be set and greater than 0"));
  const { apiVersion = "", kind = "", name = "" } = objectAt(spec, "scaleTargetRef") ?? {};
  const isOld = apiVersion === "v1" && kind === "ReplicationController";
  if (!String(apiVersion).includes("/") && !isOld) {
    const detail = "apiVersion must specify API group";
    causes.push(invalid("spec.scaleTargetRef.apiVersion", { value: apiVersion, detail }));
  }
  if (kind === "") causes.push(required("spec.scaleTargetRef.kind"));
  if (name === "") causes.push(required("spec.scaleTargetRef.name"));
  return [
    ...causes,
    ...objectsIn(spec.metrics).flatMap((each, i) => metricCauses(each, `spec.metrics[${i}]`)),
  ];
}

/** By type: the field that says more. */
const METRICS: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

/** In the order in which the real server looks at them. */
const SOURCES = ["object", "external", "pods", "resource", "containerResource"];

function metricCauses(metric: JsonObject, path: string): Cause[] {
  const { type = "" } = metric;
  const field = `${path}.type`;
  const isKnown = Object.hasOwn(METRICS, String(type));
  const present = SOURCES.filter((source) => isObject(metric[source]));
  const [first] = present;
  const causes: Cause[] = type === "" ? [required(field, "must specify a metric source type")] : [];
  if (!isKnown) causes.push(notSupported(field, { value: type, supported: Object.keys(METRICS) }));
  if (first !== undefined) {
    causes.push(...sourceCauses(objectAt(metric, first) ?? {}, first, `${path}.${first}`));
  }
  const expected = isKnown ? METRICS[String(type)] : undefined;
  if (expected !== undefined && !isObject(metric[expected])) {
    causes.push(required(`${path}.${expected}`, "must populate information for the given metric source"));
  }
  // NB: the real server says so twice.
  if (!isKnown) causes.push(notSupported(field, { value: type, supported: Object.keys(METRICS) }));
  if (present.length === 1) return causes;
  const others = present.filter((source) => source !== expected);
  const detail = "must populate the given metric source only";
  return [...causes, ...others.map((source) => forbidden(`${path}.${source}`, detail))];
}

const TARGETS = ["Utilization", "Value", "AverageValue"];

/** The target of a metric; of resources, its name, too. */
function sourceCauses(source: JsonObject, kind: string, path: string): Cause[] {
  const isResource = kind === "resource" || kind === "containerResource";
  const causes: Cause[] = isResource && (source.name ?? "") === ""
    ? [required(`${path}.name`, "must specify a resource name")]
    : [];
  const { type = "", averageUtilization: value, averageValue } = objectAt(source, "target") ?? {};
  const at = `${path}.target`;
  if (type === "") causes.push(required(`${at}.type`, "must specify a metric target type"));
  if (!TARGETS.includes(String(type))) {
    const detail = "must be either Utilization, Value, or AverageValue";
    causes.push(invalid(`${at}.type`, { value: type, detail }));
  }
  if (typeof value === "number" && value < 1) {
    causes.push(invalid(`${at}.averageUtilization`, { value, detail: "must be greater than 0" }));
  }
  return kind === "resource" ? [...causes, ...amountCauses(value, averageValue, at)] : causes;
}

function amountCauses(utilization: unknown, amount: unknown, path: string): Cause[] {
  const count = [utilization, amount].filter((each) => each !== undefined).length;
  if (count === 1) return [];
  return count === 0
    ? [required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization")]
    : [forbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization")];
}
