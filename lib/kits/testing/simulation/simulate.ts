/**
 * Simulates an operator: very many runs with faults, each a function of the code and a seed, until one of them breaks a rule;
 * that one is made small, and told.
 */

import { digestOf } from "../../../model/encoding.ts";
import { currentHost } from "../../../runtime/current_host.ts";
import type { Seconds } from "../../../runtime/host.ts";
import { checkOptions } from "./checked_options.ts";
import { drawPlan, type SimulatedFaults } from "./draw.ts";
import type { Found } from "./invariants.ts";
import { Laboratory, type LaboratoryOptions } from "./laboratory.ts";
import type { SimulatedOperator } from "./life.ts";
import type { Plan } from "./plan.ts";
import { type Invariant, type PlanRun, runPlan } from "./run_plan.ts";
import { shrinkPlan } from "./shrink.ts";
import { tellStory, testOf } from "./story.ts";

/** How to simulate. */
export interface SimulateOptions extends LaboratoryOptions {
  /** The seed of the first run; the next ones follow. Default: 1. */
  readonly seed?: number;
  /** How many runs. Default: 100. */
  readonly runs?: number;
  /** No run begins after so much real time. Default: Infinity. */
  readonly seconds?: Seconds;
  /** How many steps a run has. Default: 10. */
  readonly steps?: number;
  /** How many objects of a kind there are at once, from 1 to 8. Default: 2. */
  readonly objects?: number;
  /** Which faults there are; false: none. Default: all. */
  readonly faults?: boolean | SimulatedFaults;
  /** How many replicas run, with Leases. Default: one process, without. */
  readonly replicas?: number;
  /**
   * Whether results are compared with the results of calm runs, and of other orders of objects. Default: true. False for operators whose
   * results depend on their history on purpose.
   */
  readonly compare?: boolean;
  /** Looks of the author's at the world at rest: each throws, or returns the fault. Default: none. */
  readonly invariants?: readonly Invariant[];
  /** One run of this plan, as a finding has printed it, in place of drawn ones. */
  readonly plan?: Plan;
  /** Is called after each run. */
  readonly onRun?: (progress: SimulationProgress) => void;
  /** How long a finding may be made smaller, in seconds of the processor. Default: 20. */
  readonly shrinkFor?: Seconds;
}

/** How far a simulation has come. */
export interface SimulationProgress {
  /** How many runs are over. */
  readonly runs: number;
  /** How many objects have lived in them. */
  readonly objects: number;
  /** How much real time has passed. */
  readonly seconds: Seconds;
}

/** The result of a simulation without a finding. */
export interface Simulation extends SimulationProgress {
  /** The same for the same code and seeds, on each runtime. */
  readonly digest: string;
  /** How many requests the operators have made. */
  readonly requests: number;
  /** How many handlers were called. */
  readonly calls: number;
}

/** A run that breaks a rule. */
export interface Finding extends Found {
  /** The seed of the run. */
  readonly seed: number;
  /** The run, made small. */
  readonly plan: Plan;
  /** The run in at most twelve lines. */
  readonly story: readonly string[];
  /** A test to paste. */
  readonly test: string;
  /** Which run it was, from 1. */
  readonly run: number;
}

/** A simulation has a finding. */
export class SimulationError extends Error {
  /** "SimulationError". */
  override readonly name = "SimulationError";
  /** The finding. */
  readonly finding: Finding;

  /** Made by `simulate()`. */
  constructor(finding: Finding) {
    const { message, seed, story, test } = finding;
    super([`${message} (seed ${seed}):`, ...story, "As a test:", test].join("\n"));
    this.finding = finding;
  }
}

/** Each so many runs one is repeated, to see that it is a function of its seed. */
const REPEATED = 50;

/**
 * Runs an operator again and again in virtual time, while objects come, change and go, requests fail, watches break and
 * processes are killed, by a seed. Resolves when all runs have kept the rules.
 *
 * @param make Makes an operator: one for each process.
 * @throws {SimulationError} If a run breaks a rule: with its story, and a test to paste.
 * @throws {TypeError} If an option is wrong, or the server takes none of the objects.
 * @example
 * ```ts
 * import { operator, resource } from "@lotse/lotse";
 * import { simulate } from "@lotse/lotse/testing";
 *
 * const manifests = `
 * apiVersion: apiextensions.k8s.io/v1
 * kind: CustomResourceDefinition
 * metadata: { name: teas.example.com }
 * spec:
 *   group: example.com
 *   names: { plural: teas, kind: Tea, listKind: TeaList, singular: tea }
 *   scope: Namespaced
 *   versions:
 *     - name: v1
 *       served: true
 *       storage: true
 *       subresources: { status: {} }
 *       schema:
 *         openAPIV3Schema:
 *           type: object
 *           properties:
 *             spec: { type: object, properties: { cups: { type: integer, minimum: 1, maximum: 9 } } }
 *             status: { type: object, properties: { brewed: { type: integer } } }
 * `;
 *
 * const Tea = resource<{ cups?: number }, { brewed?: number }>({ group: "example.com", version: "v1", plural: "teas" });
 *
 * function makeOperator() {
 *   const op = operator();
 *   op.on.create(Tea, ({ spec, patch }) => void (patch.status.brewed = spec.cups ?? 1));
 *   op.on.update(Tea, ({ spec, patch }) => void (patch.status.brewed = spec.cups ?? 1));
 *   return op;
 * }
 *
 * await simulate(makeOperator, { manifests, runs: 5 });
 * ```
 */
export async function simulate(
  make: () => SimulatedOperator,
  options: SimulateOptions = {},
): Promise<Simulation> {
  checkOptions(make, options, RULES);
  if ((options.objects ?? 1) > 8) throw new TypeError("Cannot simulate with more than 8 `objects` at once");
  await using simulator = await Simulator.open(make, options);
  return await simulator.run();
}

const OPTIONS: Readonly<Record<keyof SimulateOptions, true>> = {
  manifests: true,
  samples: true,
  sources: true,
  seed: true,
  runs: true,
  seconds: true,
  steps: true,
  objects: true,
  faults: true,
  replicas: true,
  compare: true,
  invariants: true,
  plan: true,
  beforeRun: true,
  onEnded: true,
  onRun: true,
  shrinkFor: true,
};

const RULES = { verb: "simulate", known: OPTIONS, least: { runs: 1, steps: 1, objects: 1, replicas: 1 } };

/** Runs plans, and keeps what they need. */
export class Simulator implements AsyncDisposable {
  readonly #options: SimulateOptions;
  readonly #laboratory: Laboratory;

  private constructor(options: SimulateOptions, laboratory: Laboratory) {
    this.#options = options;
    this.#laboratory = laboratory;
  }

  /** Makes the cluster that all runs begin with. */
  static async open(make: () => SimulatedOperator, options: SimulateOptions): Promise<Simulator> {
    return new Simulator(options, await Laboratory.open(make, options));
  }

  /** Runs all plans. @throws {SimulationError} If one breaks a rule. */
  async run(): Promise<Simulation> {
    const { seed = 1, runs = 100, seconds = Infinity, plan, onRun } = this.#options;
    const { clock } = currentHost();
    const begun = clock.monotonic();
    const total = { runs: 0, objects: 0, requests: 0, calls: 0 };
    let digest = "";
    const count = plan === undefined ? runs : 1;
    for (let number = 0; number < count && clock.monotonic() - begun < seconds; number++) {
      const each = plan ?? this.#draw(seed + number);
      const run = await this.#try(each);
      const { found = await this.#repeated(each, { run, number }) } = run;
      if (found !== undefined) throw new SimulationError(await this.#explain(each, { found, run, number }));
      total.runs += 1;
      total.objects += run.created;
      total.requests += run.journal.requests.length;
      total.calls += run.journal.calls.length;
      digest = digestOf(digest + run.journal.digest);
      onRun?.({ runs: total.runs, objects: total.objects, seconds: clock.monotonic() - begun });
    }
    return { ...total, digest, seconds: clock.monotonic() - begun };
  }

  #draw(seed: number): Plan {
    const { steps = 10, objects = 2, faults = true, replicas = 1, compare = true } = this.#options;
    const { sources } = this.#laboratory.sources;
    const chosen = typeof faults === "boolean" ? allFaults(faults) : faults;
    const plan = drawPlan(seed, { sources, steps, objects, replicas, faults: chosen });
    return compare ? plan : { ...plan, compare: false };
  }

  async #try(plan: Plan): Promise<PlanRun> {
    const { invariants = [], replicas } = this.#options;
    return await runPlan(plan, await this.#laboratory.prepare({ invariants, replicas }));
  }

  /** Now and then, a run is repeated: then it must go the same way. */
  async #repeated(
    plan: Plan,
    { run, number }: { readonly run: PlanRun; readonly number: number },
  ): Promise<Found | undefined> {
    if (number % REPEATED !== 0) return undefined;
    return differenceOf(run, await this.#try(plan));
  }

  async #explain(
    plan: Plan,
    { found, run, number }: { readonly found: Found; readonly run: PlanRun; readonly number: number },
  ): Promise<Finding> {
    const again = await this.#try(plan);
    const differs = found.rule === "chance" ? undefined : differenceOf(run, again);
    const { shrinkFor = 20 } = this.#options;
    // Time of the processor, so that a busy machine finds the same.
    const { process } = currentHost();
    const end = process.cpu() + shrinkFor;
    let best = run;
    const small = differs !== undefined ? plan : await shrinkPlan(plan, {
      mayGoOn: () => process.cpu() < end,
      fails: async (candidate) => {
        const tried = await this.#try(candidate);
        if (tried.found?.rule !== found.rule) return false;
        best = tried;
        return true;
      },
    });
    const last = differs ?? best.found ?? found;
    return {
      ...last,
      seed: plan.seed,
      plan: small,
      story: tellStory(best.journal),
      test: testOf(small, last.rule),
      run: number + 1,
    };
  }

  /** Ends the laboratory. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#laboratory[Symbol.asyncDispose]();
  }
}

function allFaults(areOn: boolean): SimulatedFaults {
  return { requests: areOn, watches: areOn, kills: areOn, processes: areOn, writers: areOn };
}

/** Returns the first difference between two runs of one plan. */
export function differenceOf(first: PlanRun, second: PlanRun): Found | undefined {
  if (first.journal.digest === second.journal.digest) return undefined;
  const [one, two] = [first.journal.text, second.journal.text];
  const place = one.findIndex((line, index) => line !== two[index]);
  const [here = "the end", there = "the end"] = [one[place], two[place]];
  return {
    rule: "chance",
    message:
      `Two runs of one plan differ, so that they depend on something else than the seed, such as variables of a module that outlive a process: "${here}" in the first, "${there}" in the second`,
  };
}
