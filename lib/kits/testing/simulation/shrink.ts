/**
 * Makes a plan with a finding small: steps are left out and made simpler as long as the finding stays.
 */

import { isObject } from "../../../model/json.ts";
import type { JsonObject } from "../../../model/object.ts";
import { LONG_NAME } from "./draw.ts";
import type { Plan, Step } from "./plan.ts";

/** How plans are tried. */
export interface ShrinkOptions {
  /** Runs a plan, and tells whether the same is found. */
  readonly fails: (plan: Plan) => Promise<boolean>;
  /** Whether there is time for one more. */
  readonly mayGoOn: () => boolean;
}

/** Returns the smallest plan that was found. */
export async function shrinkPlan(plan: Plan, options: ShrinkOptions): Promise<Plan> {
  let best = plan;
  const attempt = async (candidate: Plan): Promise<boolean> => {
    if (!options.mayGoOn() || !await options.fails(candidate)) return false;
    best = candidate;
    return true;
  };
  if (best.compare === true) await attempt({ ...best, compare: false });
  if (best.probe === true) await attempt({ ...best, probe: false });
  await attempt({ ...best, steps: best.steps.map(withShortName) });
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = best.steps.length - size; from >= 0; from -= size) {
      await attempt({ ...best, steps: without(best.steps, from, size) });
      from = Math.min(from, best.steps.length);
    }
  }
  for (let index = 0; index < best.steps.length; index++) {
    for (let isSimpler = true; isSimpler;) {
      isSimpler = false;
      for (const step of simpler(best.steps[index])) {
        const steps = best.steps.with(index, step);
        if (await attempt({ ...best, steps })) {
          isSimpler = true;
          break;
        }
      }
    }
  }
  for (let from = best.steps.length - 1; from >= 0; from--) {
    await attempt({ ...best, steps: without(best.steps, from, 1) });
  }
  return best;
}

/** A name that is drawn to be long may be an ordinary one. */
function withShortName(step: Step): Step {
  return "name" in step && step.name === LONG_NAME ? { ...step, name: "h" } : step;
}

function without(steps: readonly Step[], from: number, count: number): Step[] {
  return [...steps.slice(0, from), ...steps.slice(from + count)];
}

/** Returns simpler forms of a step, the simplest first. */
function* simpler(step: Step | undefined): Generator<Step> {
  if (step === undefined) return;
  const { wait, ...action } = step;
  if (wait !== undefined) yield action;
  if (wait !== undefined && wait !== 1 && wait !== 100) {
    yield { ...action, wait: 1 };
    yield { ...action, wait: 100 };
  }
  switch (step.do) {
    case "create":
      for (const body of smaller(step.body)) yield { ...step, body };
      return;
    case "edit":
      for (const patch of smaller(step.patch)) yield { ...step, patch };
      return;
    case "fail":
      if (step.times > 1) yield { ...step, times: 1 };
      if (step.after > 0) yield { ...step, after: 0 };
      return;
    case "kill":
      if (step.after > 0) yield { ...step, after: 0 };
      if (step.down !== 1) yield { ...step, down: 1 };
      return;
    case "suspend":
    case "suspend-machine":
    case "isolate":
      if (step.seconds > 1) yield { ...step, seconds: Math.ceil(step.seconds / 2) };
  }
}

/** Returns an object without one of its values, at any depth. */
function* smaller(object: JsonObject): Generator<JsonObject> {
  for (const key of Object.keys(object)) {
    const { [key]: value, ...rest } = object;
    yield rest;
    if (isObject(value)) { for (const less of smaller(value)) yield { ...object, [key]: less }; }
  }
}
