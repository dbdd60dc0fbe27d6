/**
 * Jobs: Pods that end, as often as `completions` says.
 *
 * Source: k8s.io/kubernetes, pkg/controller/job. Without the finalizers by which the real controller counts Pods: here
 * no ended Pod is deleted before its Job was told.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { ObjectKey } from "../kinds.ts";
import { claim, createPod, isActive, isReady, type PodOwner, withCondition } from "./pods.ts";
import type { Condition, Job, JobSpec, Pod } from "./types.ts";
import { PLACES, type World } from "./world.ts";

const INDEX = "batch.kubernetes.io/job-completion-index";
const FIRST_BACKOFF = 10;
const LONGEST_BACKOFF = 600;

/** A Job at one moment. */
interface Scene {
  readonly world: World;
  readonly job: Job;
  readonly spec: JobSpec;
  readonly owner: PodOwner;
  readonly pods: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
}

/** Brings a Job in order. */
export async function reconcileJob(world: World, key: ObjectKey): Promise<number | undefined> {
  const job = world.get<Job>(PLACES.jobs, key);
  if (job?.spec === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const over = conditionsOf(job).find(({ type, status }) => status === "True" && isEnd(type));
  if (over !== undefined) return await expire(world, job, over);
  const owner = { apiVersion: "batch/v1", kind: "Job", object: job };
  const scene = look({ world, job, spec: job.spec, owner }, await find(world, owner, job.spec));
  const end = endOf(scene);
  if (end !== undefined) return await finish(scene, end);
  if (job.spec.suspend === true) return await suspend(scene);
  const wait = await fill(scene);
  const now = look(scene, await find(world, owner, job.spec));
  await report(now, {});
  const { activeDeadlineSeconds } = job.spec;
  const deadline = activeDeadlineSeconds === undefined
    ? undefined
    : Math.max(0, activeDeadlineSeconds - world.since(job.status?.startTime ?? world.now));
  const waits = [wait, deadline].filter((seconds) => seconds !== undefined);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

function find(world: World, owner: PodOwner, { selector }: JobSpec): Promise<Pod[]> {
  return claim<Pod>(world, PLACES.pods, { owner, selector });
}

function look(base: Pick<Scene, "world" | "job" | "spec" | "owner">, pods: readonly Pod[]): Scene {
  const done = pods.filter(({ status }) => status?.phase === "Succeeded");
  const indexes = new Set(done.map(indexOf));
  return {
    ...base,
    pods,
    succeeded: base.spec.completionMode === "Indexed" ? indexes.size : done.length,
    failed: pods.filter(({ status }) => status?.phase === "Failed").length,
  };
}

function indexOf({ metadata }: Pod): string {
  return metadata.annotations?.[INDEX] ?? "";
}

function conditionsOf({ status }: Job): readonly Condition[] {
  return status?.conditions ?? [];
}

function isEnd(type: string): boolean {
  return type === "Complete" || type === "Failed";
}

interface End {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

function endOf({ world, job, spec, pods, succeeded, failed }: Scene): End | undefined {
  const { completions, backoffLimit = 6, activeDeadlineSeconds } = spec;
  const reached = {
    type: "Complete",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  } as const;
  if (completions !== undefined && succeeded >= completions) return reached;
  if (completions === undefined && succeeded > 0 && !pods.some(isActive)) return reached;
  if (failed > backoffLimit) {
    return {
      type: "Failed",
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    };
  }
  const { startTime } = job.status ?? {};
  const isLate = activeDeadlineSeconds !== undefined && startTime !== undefined && spec.suspend !== true &&
    world.since(startTime) >= activeDeadlineSeconds;
  return isLate
    ? { type: "Failed", reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" }
    : undefined;
}

/** Ends the Pods that still run, and writes how the Job ended. */
async function finish(scene: Scene, { type, reason, message }: End): Promise<number | undefined> {
  const { world, pods } = scene;
  for (const pod of pods.filter(isActive)) await world.remove(PLACES.pods, pod);
  const now = world.now;
  const make = (name: string): Condition => ({
    type: name,
    status: "True",
    reason,
    message,
    lastProbeTime: now,
    lastTransitionTime: now,
  });
  const target = make(type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget");
  const conditions = withCondition(withCondition(conditionsOf(scene.job), target), make(type));
  const left = look(scene, await find(world, scene.owner, scene.spec));
  await report(left, { conditions, ...(type === "Complete" ? { completionTime: now } : {}) });
  return scene.spec.ttlSecondsAfterFinished;
}

async function expire(
  world: World,
  job: Job,
  { lastTransitionTime }: Condition,
): Promise<number | undefined> {
  const ttl = job.spec?.ttlSecondsAfterFinished;
  if (ttl === undefined) return undefined;
  const left = ttl - world.since(lastTransitionTime);
  if (left > 0) return left;
  await world.remove(PLACES.jobs, job, { options: { propagationPolicy: "Foreground" } });
  return undefined;
}

async function suspend(scene: Scene): Promise<undefined> {
  const { world, job, pods } = scene;
  for (const pod of pods.filter(isActive)) await world.remove(PLACES.pods, pod);
  const conditions = withCondition(conditionsOf(job), {
    type: "Suspended",
    status: "True",
    reason: "JobSuspended",
    message: "Job suspended",
    lastProbeTime: world.now,
    lastTransitionTime: world.now,
  });
  const left = look(scene, await find(world, scene.owner, scene.spec));
  await report(left, { conditions, startTime: undefined });
  return undefined;
}

/** Makes the Pods that are missing; returns how long it waits before it makes more, after failures. */
async function fill(scene: Scene): Promise<number | undefined> {
  const { world, spec, owner, pods, succeeded, failed } = scene;
  const active = pods.filter(isActive);
  const going = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
  const { parallelism = 1, completions } = spec;
  const open = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  const wanted = Math.min(parallelism, open);
  for (const pod of active.slice(wanted)) await world.remove(PLACES.pods, pod);
  const missing = wanted - active.length - going;
  if (missing <= 0) return undefined;
  const pause = backoff(scene, failed);
  if (pause > 0) return pause;
  if (spec.completionMode !== "Indexed") {
    for (let i = 0; i < missing; i++) await createPod(world, { owner, template: spec.template });
    return undefined;
  }
  const used = new Set(pods.filter(({ status }) => status?.phase !== "Failed").map(indexOf));
  let left = missing;
  for (let index = 0; index < (completions ?? 0) && left > 0; index++) {
    if (used.has(String(index))) continue;
    await createPod(world, indexed(scene, index));
    left--;
  }
  return undefined;
}

function indexed({ world, job, spec, owner }: Scene, index: number): Parameters<typeof createPod>[1] {
  const note = { [INDEX]: String(index) };
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
  };
  const containers = spec.template.spec.containers.map((container) => {
    const { env = [] } = container as { env?: readonly JsonObject[] };
    return { ...container, env: [...env, variable] };
  });
  const suffix = world.random.uuid().slice(0, 5);
  return {
    owner,
    template: spec.template,
    name: `${job.metadata.name}-${index}-${suffix}`,
    labels: note,
    annotations: note,
    spec: { containers, hostname: `${job.metadata.name}-${index}` },
  };
}

/** After failures, the next Pod waits: 10 seconds, 20, 40 and so on. */
function backoff({ world, pods }: Scene, failed: number): number {
  if (failed === 0) return 0;
  const ends = pods.filter(({ status }) => status?.phase === "Failed").map(({ status }) => {
    const [first] = status?.containerStatuses as readonly JsonObject[] | undefined ?? [];
    const state = first?.state as { terminated?: { finishedAt?: string } } | undefined;
    return world.since(state?.terminated?.finishedAt);
  });
  const pause = Math.min(FIRST_BACKOFF * 2 ** (failed - 1), LONGEST_BACKOFF);
  return Math.max(0, pause - Math.min(...ends));
}

async function report(scene: Scene, changes: JsonObject): Promise<void> {
  const { world, job, pods, succeeded, failed, spec } = scene;
  const { namespace, name = "" } = job.metadata;
  const live = world.get<Job>(PLACES.jobs, { namespace, name });
  if (live === undefined) return;
  const active = pods.filter(isActive);
  const going = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
  const resumed = conditionsOf(live).map((condition) =>
    condition.type === "Suspended" && spec.suspend !== true && condition.status === "True"
      ? {
        ...condition,
        status: "False",
        reason: "JobResumed",
        message: "Job resumed",
        lastTransitionTime: world.now,
      }
      : condition
  );
  const done = pods.filter(({ status }) => status?.phase === "Succeeded").map((pod) => Number(indexOf(pod)));
  const status: JsonObject = {
    ...(resumed.length > 0 ? { conditions: resumed } : {}),
    startTime: live.status?.startTime ?? world.now,
    ...(active.length > 0 ? { active: active.length } : {}),
    ...(succeeded > 0 ? { succeeded } : {}),
    ...(failed > 0 ? { failed } : {}),
    ready: active.filter(isReady).length,
    terminating: going,
    uncountedTerminatedPods: {},
    ...(spec.completionMode === "Indexed" && succeeded > 0 ? { completedIndexes: ranges(done) } : {}),
    ...changes,
  };
  await world.report(PLACES.jobs, live, { status });
}

/** Numbers as Kubernetes writes them: "0-2,5". */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    const length = end - i;
    if (length === 0) parts.push(String(sorted[i]));
    else parts.push(`${sorted[i]}${length === 1 ? "," : "-"}${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(",");
}
