/**
 * Calm runs: the steps of a plan on objects alone, without faults, with a rest after each.
 *
 * An operator may see each state of an object, or only the last of several, and both are right; so there is one calm run for
 * each choice of states that it may have missed, and the result of a plan must equal the result of one of these runs. A state that is missed is
 * left out: its step becomes a part of the next one.
 */

import { isObject } from "../../../model/json.ts";
import type { JsonObject } from "../../../model/object.ts";
import { isForChange } from "./invariants.ts";
import type { Journal, SeenCall } from "./journal.ts";
import { isAboutObject, type Plan, type Step } from "./plan.ts";
import { isAuthorsWrite } from "./wire.ts";
import { FOREIGN_FINALIZER } from "./world.ts";

/** A step of a calm run. `isHasty`: the next step follows without a rest, as the operator is not to see the state between. */
export type CalmStep = Step & { readonly isHasty?: boolean };

type ObjectStep = Exclude<Extract<CalmStep, { readonly name: string }>, { readonly do: "pause" }>;

/** How many choices are tried: of many steps, the last ones vary. */
const MOST_VARIED = 4;

/**
 * Returns the steps whose states the operator has worked on, before the next step on the same object.
 *
 * @param counts Tells which calls count as work: handlers of raw events and indexes are called for states, too, that are never worked on.
 */
export function seenSteps(
  { steps }: Plan,
  { steps: times, calls, requests }: Journal,
  counts: (seen: SeenCall) => boolean = () => true,
): ReadonlySet<Step> {
  const seen = new Set<Step>();
  for (const [index, step] of steps.entries()) {
    if (!isAboutObject(step)) continue;
    const next = nextOf(step, steps, index);
    const [from = 0, to = Infinity] = [times[index], next === undefined ? undefined : times[next]];
    const isMeant = (at: number, name: string | undefined): boolean =>
      at > from && at <= to && name === step.name;
    const isSeen = calls.some((seen) => counts(seen) && isMeant(seen.at, seen.call.object?.name)) ||
      requests.some((request) =>
        request.status < 300 && isAuthorsWrite(request) && isMeant(request.at, request.name)
      );
    if (isSeen) seen.add(step);
  }
  return seen;
}

/**
 * Returns the steps of the calm runs of a plan, the likeliest first: of one object after the other, and then of all as they come.
 *
 * @param journal The record of the run that is to be compared.
 */
export function* calmPlans(
  { steps, probe = false, ...plan }: Plan,
  journal: Journal,
): Generator<readonly CalmStep[]> {
  const seen = seenSteps({ ...plan, steps }, journal);
  const changed = seenSteps({ ...plan, steps }, journal, isForChange);
  const calm = steps.filter((step, index): step is ObjectStep =>
    isAboutObject(step) && !journal.refused.has(index)
  );
  const sorted = [...Map.groupBy(calm, ({ kind, name }) => `${kind} ${name}`).values()].flat();
  const varied = sorted.filter((step, index) => nextOf(step, sorted, index) !== undefined);
  const missed = varied.filter((step) => !seen.has(step));
  const isRestarted = probe || steps.some(({ do: action }) => action === "kill" || action === "restart");
  const all: (readonly CalmStep[])[] = [
    without(missed, sorted),
    without(varied.filter((step) => !changed.has(step)), sorted),
    calm,
    ...choices(varied.slice(-MOST_VARIED)).map((some) => without(some, sorted)),
  ];
  for (const each of all) {
    if (isRestarted) yield [...each, RESTART];
    yield each;
  }
}

/** Returns the steps of a calm run with its objects in the reverse order; undefined: there is only one. */
export function turnedSteps(steps: readonly Step[]): readonly Step[] | undefined {
  const groups = Map.groupBy(steps.filter(isAboutObject), ({ kind, name }) => `${kind} ${name}`);
  if (groups.size < 2) return undefined;
  return [...[...groups.values()].reverse().flat(), ...steps.filter((step) => !isAboutObject(step))];
}

const RESTART: Step = { do: "restart", replica: 0 };

/** Returns the place of the next step on the same object. */
function nextOf(step: Step | undefined, steps: readonly Step[], place: number): number | undefined {
  if (step === undefined || !isAboutObject(step)) return undefined;
  const next = steps.findIndex((each, index) =>
    index > place && isAboutObject(each) && each.kind === step.kind && each.name === step.name
  );
  return next < 0 ? undefined : next;
}

/** Leaves states out: each of these steps becomes a part of the next one. */
function without(missed: readonly Step[], steps: readonly ObjectStep[]): readonly CalmStep[] {
  const left: CalmStep[] = [];
  let pending: ObjectStep | undefined;
  for (const step of steps) {
    const whole = pending === undefined ? [step] : joined(pending, step);
    pending = undefined;
    const last = whole.at(-1);
    left.push(...whole.slice(0, -1));
    if (last === undefined) continue;
    if (missed.includes(step)) pending = last;
    else left.push(last);
  }
  return pending === undefined ? left : [...left, pending];
}

/** Returns two steps on one object as one; both where they cannot be one; none where the second takes the first back. */
function joined(first: ObjectStep, second: ObjectStep): ObjectStep[] {
  if (second.do === "delete") {
    // A finalizer of others keeps the object there, although its creation was missed.
    if (isHold(first)) return [first, second];
    if (first.do === "create" && isHeld(first.body)) return [{ ...first, isHasty: true }, second];
    return first.do === "create" ? [] : [second];
  }
  if (first.do === "delete" || second.do === "create" || isHold(first)) return [first, second];
  if (isHold(second)) {
    if (first.do !== "create" || second.do === "release") return [second, first];
    return [{ ...first, body: merged(first.body, HELD, true) }];
  }
  const [one, two] = [changeOf(first), changeOf(second)];
  if (one === undefined || two === undefined) return [first, second];
  return first.do === "create"
    ? [{ ...first, body: merged(one, two, true) }]
    : [{ ...second, do: "edit", patch: merged(one, two, false) }];
}

/** The metadata of an object that is created with another program's finalizer. */
const HELD: JsonObject = { metadata: { finalizers: [FOREIGN_FINALIZER] } };

function isHeld({ metadata }: JsonObject): boolean {
  return isObject(metadata) && metadata.finalizers !== undefined;
}

/** Whether a step puts another program's finalizer on the object, or takes it off: it changes nothing else. */
function isHold({ do: action }: ObjectStep): boolean {
  return action === "hold" || action === "release";
}

/** Returns the change that a step makes to an object. */
function changeOf(step: ObjectStep): JsonObject | undefined {
  switch (step.do) {
    case "create":
      return step.body;
    case "edit":
      return step.patch;
    case "write":
      return step.subresource === undefined ? step.patch : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns an object with a merge patch in it. Source: RFC 7386.
 *
 * @param isWhole Whether the first is a whole object, from which null takes a value away; else it is a patch itself.
 */
function merged(object: JsonObject, patch: JsonObject, isWhole: boolean): JsonObject {
  const result: JsonObject = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    const old = result[key];
    if (value === null && isWhole) delete result[key];
    else result[key] = isObject(value) ? merged(isObject(old) ? old : {}, value, isWhole) : value;
  }
  return result;
}

/** Returns all choices of some steps: none and all of them first, as mostly it is one of these. */
function choices(steps: readonly Step[]): Step[][] {
  const last = 2 ** steps.length - 1;
  const masks = new Set([0, last, ...Array.from({ length: last }, (_, mask) => mask)]);
  return [...masks].map((mask) => steps.filter((_, index) => (mask & (1 << index)) !== 0));
}
