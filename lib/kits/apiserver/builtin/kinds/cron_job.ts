/** CronJobs. Source: k8s.io/kubernetes, pkg/apis/batch/validation. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../../causes.ts";
import { readSchedule } from "../../formats/cron.ts";
import { humanAge } from "../../formats/human_duration.ts";
import { objectAt } from "../../values.ts";
import { ageOf, at, containerCells, countCell, row, selectorCell, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { jobCauses } from "./job.ts";
import { templateWarnings } from "../templates.ts";

export const CRON_JOB: KindModule = {
  status: {},
  template: "spec.jobTemplate.spec.template",
  causes: cronJobCauses,
  warnings: (object, old) =>
    templateWarnings(object, old, { path: "spec.jobTemplate.spec.template", isNamed: true }),
  cells: row(
    textCell("spec.schedule"),
    textCell("spec.timeZone", "<none>"),
    ({ spec }) => typeof spec?.suspend === "boolean" ? (spec.suspend ? "True" : "False") : "<unset>",
    countCell("status.active"),
    (object, nowMs) => {
      const last = at(object, "status", "lastScheduleTime");
      return last === undefined ? "<none>" : humanAge(last, nowMs);
    },
    ageOf,
    ...containerCells("spec.jobTemplate.spec.template.spec"),
    selectorCell("spec.jobTemplate.spec.selector"),
  ),
};

/** A name of eleven characters is added for each Job, whose name must not have more than 63. */
const LONGEST_NAME = 52;
const POLICIES = ["Allow", "Forbid", "Replace"];

/** Returns the faults of a CronJob. */
function cronJobCauses({ metadata: { name = "" }, ...object }: KubeObject): Cause[] {
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
