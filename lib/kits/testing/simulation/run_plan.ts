/**
 * One simulated run, from the first step to the end of the last process, and the verdict about it.
 */

import type { HandlerCall } from "../../../engines/calls.ts";
import type { Seconds } from "../../../runtime/host.ts";
import type { TestCluster } from "../cluster.ts";
import { type Found, isForChange, judgeRecord, judgeRest } from "./invariants.ts";
import type { Journal } from "./journal.ts";
import type { Simulated } from "./life.ts";
import { type Action, isAboutObject, type Plan } from "./plan.ts";
import { waitForRest } from "./rest.ts";
import { calmPlans, turnedSteps } from "./calm.ts";
import { differenceOf, movingIn, type Picture, takePicture } from "./picture.ts";
import { World, type WorldOptions } from "./world.ts";

/** A look of the author's at a world at rest: throws, or returns the fault. */
export type Invariant = (
  world: RestingWorld,
) => void | string | readonly string[] | Promise<void | string | readonly string[]>;

/** A world at rest, for invariants of the author's. */
export interface RestingWorld extends Pick<TestCluster, "api" | "host" | "server"> {
  /** All calls of handlers so far, of all processes. */
  readonly calls: readonly HandlerCall[];
  /** "alive": the objects are there; "deleted": all of them were deleted. */
  readonly phase: "alive" | "deleted";
}

/** The surroundings of runs. */
export interface RunSetting extends Pick<WorldOptions, "kinds" | "replicas"> {
  /** Returns a new cluster for a run. */
  readonly fork: () => TestCluster;
  /** Makes an operator for each process. */
  readonly make: () => Simulated;
  /** Takes operators back whose process has ended in order. Default: they are not wanted back. */
  readonly release: ((simulated: Simulated) => void) | undefined;
  readonly invariants: readonly Invariant[];
  /**
   * The ends of calm runs so far, by their plans, where plans come again and again. NB: not the runs, as a journal holds on to its whole world.
   * Default: none is kept.
   */
  readonly calm?: Map<string, CalmRun>;
  /** Looks at code that reads the real clock and the like. */
  readonly chance?: () => Found | undefined;
}

/** A run, and its finding. */
export interface PlanRun {
  readonly found: Found | undefined;
  readonly journal: Journal;
  /** How many objects were created. */
  readonly created: number;
  /** Creations and edits that the server has refused: its words. */
  readonly refusals: readonly string[];
  /** The world at its rests; undefined where there was a finding before. */
  readonly pictures: Pictures | undefined;
}

/** A run without faults, as far as others are compared with it. */
export type CalmRun = Pick<PlanRun, "pictures">;

/** A world with its objects, and after their deletion. */
export interface Pictures {
  readonly alive: Picture;
  /** The parts of it that never rest. */
  readonly moving: ReadonlySet<string>;
  /** Undefined: it did not come to that. */
  readonly deleted: Picture | undefined;
}

/** How much time passes after the last step before the world is asked for its rest: so long, some faults go unnoticed. */
const AFTERMATH = { unnoticed: 200, others: 30, calm: 2 };

/** Runs a plan. */
export async function runPlan(plan: Plan, setting: RunSetting): Promise<PlanRun> {
  const run = await runOnce(plan, setting);
  if (run.found !== undefined || plan.compare !== true || run.pictures === undefined) return run;
  const found = await compareWithCalm(plan, setting, { pictures: run.pictures, journal: run.journal });
  if (found !== undefined) run.journal.say("finding", found.message);
  return { ...run, found };
}

/** Runs a plan without comparing it. @param isCalm Whether the world comes to rest after each step. */
async function runOnce(plan: Plan, setting: RunSetting, isCalm = false): Promise<PlanRun> {
  const cluster = setting.fork();
  const world = new World({ ...setting, cluster, seed: plan.seed });
  const { journal } = world;
  try {
    const outcome = await liveThrough(plan, { world, setting, isCalm });
    const found = "pictures" in outcome ? undefined : outcome;
    if (found !== undefined) journal.say("finding", found.message);
    const pictures = "pictures" in outcome ? outcome.pictures : undefined;
    return { found, journal, created: world.created, refusals: world.refusals, pictures };
  } finally {
    await endWorld(world, setting);
  }
}

/** Ends a world after its run: all processes, and the cluster. */
export async function endWorld(world: World, { release }: Pick<RunSetting, "release">): Promise<void> {
  world.end();
  if (release !== undefined) await releaseAll(world, release);
  await world.cluster[Symbol.asyncDispose]();
}

/** How long the code of a dead process is given to run out. */
const BURIAL: Seconds = 90;

/** Hands operators back whose code runs no more. */
async function releaseAll(world: World, release: (simulated: Simulated) => void): Promise<void> {
  const killed = world.lives.filter(({ isKilled }) => isKilled);
  for (const life of killed) life.bury();
  const end = world.now + BURIAL;
  while (killed.some(({ hasEnded }) => !hasEnded) && world.now < end) await world.advance(1);
  for (const life of world.lives) if (life.hasEnded) release(life.simulated);
}

/** A world, and its surroundings. */
interface Living {
  readonly world: World;
  readonly setting: RunSetting;
  readonly isCalm: boolean;
}

/** Returns the first thing that was found, or the pictures of the world. */
async function liveThrough(plan: Plan, living: Living): Promise<Found | { readonly pictures: Pictures }> {
  const { world, setting, isCalm } = living;
  await world.start();
  for (const [index, step] of plan.steps.entries()) {
    await world.take(isCalm ? { ...step, wait: 0 } : step, index);
    if (isCalm && !("isHasty" in step)) await waitForRest(world);
    const found = setting.chance?.();
    if (found !== undefined) return found;
  }
  await world.calm();
  await world.advance(aftermathOf(plan));
  const alive = await judge(living, "alive");
  if (alive !== undefined) return alive;
  if (plan.probe === true) {
    const missed = await probe(world);
    if (missed !== undefined) return missed;
  }
  const pictures = { alive: await takePicture(world), moving: await lookForMoves(plan, world) };
  const deleted = await deleteAll(plan, living);
  if (deleted !== undefined) return deleted;
  const after = await takePicture(world);
  const late = await world.stop();
  if (late.length > 0) {
    return { rule: "stop", message: `Process ${late[0]?.number} does not end when it is stopped` };
  }
  return { pictures: { ...pictures, deleted: after } };
}

/** How long timers are given to show their work. */
const LOOKED: Seconds = 130;

/** Returns the parts of a world at rest that go on changing. */
export async function lookForMoves(
  { compare }: Pick<Plan, "compare">,
  world: World,
): Promise<ReadonlySet<string>> {
  if (compare !== true) return new Set();
  const first = await takePicture(world);
  await world.advance(LOOKED);
  return movingIn(first, await takePicture(world));
}

const UNNOTICED: readonly Action["do"][] = [
  "silence",
  "lag",
  "gap",
  "suspend",
  "suspend-machine",
  "isolate",
  "delete-leases",
];

function aftermathOf({ steps }: Plan): number {
  if (steps.some((step) => UNNOTICED.includes(step.do))) return AFTERMATH.unnoticed;
  return steps.every(isAboutObject) ? AFTERMATH.calm : AFTERMATH.others;
}

/** Waits for the world's rest, and judges it. */
export async function judge(
  { world, setting }: Omit<Living, "isCalm">,
  phase: RestingWorld["phase"],
): Promise<Found | undefined> {
  const unrest = await waitForRest(world);
  const chance = setting.chance?.();
  if (chance !== undefined) return chance;
  const [found] = judgeRecord(world);
  if (found !== undefined) return found;
  if (unrest !== undefined) {
    return { rule: "rest", message: `The world never comes to rest: ${unrest}` };
  }
  const [wrong] = await judgeRest(world);
  return wrong ?? await askAuthor(world, { setting, phase });
}

async function askAuthor(
  world: World,
  { setting, phase }: { readonly setting: RunSetting; readonly phase: RestingWorld["phase"] },
): Promise<Found | undefined> {
  const { cluster: { api, host, server }, journal } = world;
  const calls = journal.calls.map(({ call }) => call);
  for (const invariant of setting.invariants) {
    const name = invariant.name === "" ? "an invariant" : `\`${invariant.name}\``;
    try {
      const [wrong] = [await invariant({ api, host, server, calls, phase }) ?? []].flat();
      if (wrong !== undefined) return { rule: "author", message: `${name} does not hold: ${wrong}` };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { rule: "author", message: `${name} does not hold: ${why}` };
    }
  }
}

/** 1. The last state of each object is handled: a new process finds no change to handle. */
async function probe(world: World): Promise<Found | undefined> {
  const late = await world.stop();
  if (late.length > 0) {
    return { rule: "stop", message: `Process ${late[0]?.number} does not end when it is stopped` };
  }
  const { journal } = world;
  const before = journal.calls.length;
  await world.start();
  await waitForRest(world);
  const missed = journal.calls.slice(before).find(isForChange);
  if (missed === undefined) return undefined;
  const { call: { handler, object, reason } } = missed;
  return {
    rule: "handled",
    message:
      `The last state of \`${object?.name}\` was not handled: a new process calls \`${handler}\` (${reason})`,
  };
}

/** Deletes all planned objects, and looks whether they go. */
async function deleteAll(plan: Plan, living: Living): Promise<Found | undefined> {
  const { world } = living;
  for (const kind of world.kinds.keys()) {
    for (const { metadata: { name = "" } } of await world.list(kind)) {
      if (!plan.steps.some((step) => isAboutObject(step) && step.kind === kind && step.name === name)) {
        continue;
      }
      await world.take({ do: "release", kind, name });
      await world.take({ do: "delete", kind, name, wait: 1 });
    }
  }
  const found = await judge(living, "deleted");
  if (found !== undefined) return found;
  for (const step of plan.steps) {
    if (!isAboutObject(step)) continue;
    const left = await world.find(step);
    if (left === undefined) continue;
    const finalizers = left.metadata.finalizers?.join(", ");
    return { rule: "deletion", message: `\`${step.name}\` does not go: its finalizers are ${finalizers}` };
  }
}

/** Looks whether the result is the result of a run without faults: of one among several that differ in the states that the operator sees in between. */
export async function compareWithCalm(
  plan: Plan,
  setting: RunSetting,
  { pictures, journal }: { readonly pictures: Pictures; readonly journal: Journal },
): Promise<Found | undefined> {
  let first: string | undefined;
  for (const steps of calmPlans(plan, journal)) {
    const run = await runCalm({ seed: plan.seed, steps }, setting);
    // A calm run with a finding does not speak about this one.
    if (run.pictures === undefined) return undefined;
    const moving = new Set([...pictures.moving, ...run.pictures.moving]);
    const alive = differenceOf(pictures.alive, run.pictures.alive, moving);
    if (alive === undefined) {
      const after = [pictures.deleted, run.pictures.deleted] as const;
      const deleted = after[0] && after[1] && differenceOf(after[0], after[1], moving);
      if (deleted === undefined) {
        return await compareWithTurned({ seed: plan.seed, steps }, setting, pictures);
      }
      first ??= `after the deletion, ${deleted}`;
    }
    first ??= alive;
  }
  return { rule: "convergence", message: `The result is not that of a calm run: ${first}` };
}

async function runCalm(plan: Plan, setting: RunSetting): Promise<CalmRun> {
  const key = JSON.stringify(plan);
  const known = setting.calm?.get(key);
  if (known !== undefined) return known;
  const { pictures } = await runOnce({ ...plan, compare: setting.calm !== undefined }, setting, true);
  const run = { pictures };
  setting.calm?.set(key, run);
  return run;
}

/** Looks whether the result is the same where the objects come in another order. */
async function compareWithTurned(
  calm: Plan,
  setting: RunSetting,
  pictures: Pictures,
): Promise<Found | undefined> {
  const steps = turnedSteps(calm.steps);
  if (steps === undefined) return undefined;
  const run = await runCalm({ ...calm, steps }, setting);
  const difference = run.pictures && differenceOf(pictures.alive, run.pictures.alive, pictures.moving);
  if (difference === undefined) return undefined;
  return { rule: "order", message: `The result depends on which object comes first: ${difference}` };
}
