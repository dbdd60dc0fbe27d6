/**
 * CronJobs: a Job at each time that the schedule names.
 *
 * Source: k8s.io/kubernetes, pkg/controller/cronjob.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { readSchedule } from "../formats/cron.ts";
import type { ObjectKey } from "../kinds.ts";
import { timestamp } from "../formats/timestamp.ts";
import { isObject, objectsIn } from "../values.ts";
import { controlledBy, controllerReference } from "./pods.ts";
import type { CronJob, CronJobSpec, Job } from "./types.ts";
import { ControlError, PLACES, type World } from "./world.ts";

const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/** More missed times than this are not looked for: the clock has jumped. */
const MOST_MISSED = 100_000;

/** A CronJob at one moment. */
interface Scene {
  readonly world: World;
  readonly cronJob: CronJob;
  readonly spec: CronJobSpec;
  readonly jobs: readonly Job[];
}

/** Brings a CronJob in order. Returns when its next Job is due. */
export async function reconcileCronJob(world: World, key: ObjectKey): Promise<number | undefined> {
  const cronJob = world.get<CronJob>(PLACES.cronJobs, key);
  if (cronJob?.spec === undefined || cronJob.metadata.deletionTimestamp !== undefined) return undefined;
  const scene = { world, cronJob, spec: cronJob.spec, jobs: controlledBy<Job>(world, PLACES.jobs, cronJob) };
  await clearHistory(scene);
  const { suspend, schedule, timeZone } = cronJob.spec;
  if (suspend === true) return await report(scene, {});
  const times = readSchedule(schedule, timeZone);
  const due = latestDue(scene, times);
  const started = due === undefined ? undefined : await start(scene, due);
  await report(scene, { due, started });
  const next = times.next(world.clock.now());
  return next === undefined ? undefined : (next - world.clock.now()) / 1000;
}

function endOf({ status }: Job): string | undefined {
  return status?.conditions?.find(({ type, status: is }) =>
    is === "True" && (type === "Complete" || type === "Failed")
  )?.type;
}

/** Returns the last time that has come since the last Job; undefined if none has, or if it is too late for it. */
function latestDue(
  { world, cronJob, spec: { startingDeadlineSeconds } }: Scene,
  times: { next(after: number): number | undefined },
): number | undefined {
  const now = world.clock.now();
  const last = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? "");
  const deadline = startingDeadlineSeconds === undefined ? -Infinity : now - startingDeadlineSeconds * 1000;
  let found: number | undefined;
  let time = times.next(Math.max(last, deadline));
  for (let count = 0; time !== undefined && time <= now && count < MOST_MISSED; count++) {
    found = time;
    time = times.next(time);
  }
  return found;
}

/** Makes the Job of a time, unless another is in its way. */
async function start({ world, cronJob, spec, jobs }: Scene, due: number): Promise<KubeObject | undefined> {
  const active = jobs.filter((job) => endOf(job) === undefined);
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) return undefined;
  if (spec.concurrencyPolicy === "Replace") {
    for (const job of active) {
      await world.remove(PLACES.jobs, job, { options: { propagationPolicy: "Background" } });
    }
  }
  const { metadata: { namespace, name = "" } } = cronJob;
  const { metadata, spec: wanted } = spec.jobTemplate;
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      namespace,
      name: `${name}-${Math.floor(due / 60_000)}`,
      labels: metadata?.labels,
      annotations: { ...metadata?.annotations, [SCHEDULED]: timestamp(due) },
      ownerReferences: [controllerReference({ apiVersion: "batch/v1", kind: "CronJob", object: cronJob })],
    },
    spec: wanted,
  };
  try {
    return await world.create(PLACES.jobs, job);
  } catch (error) {
    // It was made before, and the status could not be written.
    if (error instanceof ControlError && error.code === 409) return undefined;
    throw error;
  }
}

/** Keeps as many Jobs that have ended as the CronJob says. */
async function clearHistory({ world, spec, jobs }: Scene): Promise<void> {
  const limits = [
    ["Complete", spec.successfulJobsHistoryLimit],
    ["Failed", spec.failedJobsHistoryLimit],
  ] as const;
  for (const [end, limit] of limits) {
    if (limit === undefined) continue;
    const ended = jobs.filter((job) => endOf(job) === end)
      .sort((a, b) => (a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1);
    for (const job of ended.slice(0, Math.max(0, ended.length - limit))) {
      await world.remove(PLACES.jobs, job, { options: { propagationPolicy: "Background" } });
    }
  }
}

interface Outcome {
  readonly due?: number | undefined;
  readonly started?: KubeObject | undefined;
}

async function report({ world, cronJob, jobs }: Scene, { due, started }: Outcome): Promise<undefined> {
  const { name = "", namespace } = cronJob.metadata;
  const fresh = world.get<CronJob>(PLACES.cronJobs, { namespace, name });
  if (fresh === undefined) return undefined;
  const running = [
    ...jobs.filter((job) => endOf(job) === undefined),
    ...(started === undefined ? [] : [started]),
  ]
    .filter(({ metadata }) => world.get(PLACES.jobs, { namespace, name: metadata.name ?? "" }) !== undefined);
  const { active: _before, ...kept } = fresh.status ?? {};
  const succeeded = jobs.filter((job) => endOf(job) === "Complete")
    .map(({ status }) => status?.completionTime).filter((time) => time !== undefined).sort().at(-1);
  const seen = kept.lastSuccessfulTime;
  const isLater = succeeded !== undefined && (typeof seen !== "string" || succeeded > seen);
  const status: JsonObject = {
    ...kept,
    ...(running.length === 0 ? {} : { active: running.map((job) => referenceTo(job, known(fresh, job))) }),
    ...(due === undefined || (started === undefined && running.length > 0)
      ? {}
      : { lastScheduleTime: timestamp(due) }),
    ...(isLater ? { lastSuccessfulTime: succeeded } : {}),
  };
  await world.report(PLACES.cronJobs, fresh, { status });
  return undefined;
}

/** The reference that the status has to a Job already: it keeps its version. */
function known(
  { status }: CronJob,
  { metadata }: KubeObject<JsonObject, JsonObject>,
): JsonObject | undefined {
  return objectsIn(isObject(status) ? status.active : undefined).find(({ uid }) => uid === metadata.uid);
}

function referenceTo(
  { metadata: { namespace, name, uid, resourceVersion } }: KubeObject<JsonObject, JsonObject>,
  before: JsonObject | undefined,
): JsonObject {
  return before ?? { kind: "Job", namespace, name, uid, apiVersion: "batch/v1", resourceVersion };
}
