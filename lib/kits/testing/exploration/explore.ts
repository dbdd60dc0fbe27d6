/**
 * Explores an operator: all runs of a small world, each order of deliveries, each lost answer and a kill at each write, until one of
 * them breaks a rule, or there is no other run.
 *
 * Closures cannot be copied, so that a run is repeated from its start up to the choice that differs; a state that was seen is not
 * entered twice.
 */

import { currentHost } from "../../../runtime/current_host.ts";
import type { Seconds } from "../../../runtime/host.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import { checkOptions } from "../simulation/checked_options.ts";
import type { ObjectSource } from "../simulation/draw.ts";
import type { Found } from "../simulation/invariants.ts";
import { Laboratory, type LaboratoryOptions } from "../simulation/laboratory.ts";
import type { SimulatedOperator } from "../simulation/life.ts";
import type { Plan, Step } from "../simulation/plan.ts";
import type { CalmRun, Invariant } from "../simulation/run_plan.ts";
import { shrinkPlan } from "../simulation/shrink.ts";
import { tellStory } from "../simulation/story.ts";
import { World } from "../simulation/world.ts";
import { subjectOf } from "./author.ts";
import { Footprints } from "./footprints.ts";
import { type ChoicesRun, type Point, runChoices, type Verdict } from "./run_choices.ts";
import { Search } from "./search.ts";
import { StateKeys } from "./state_key.ts";

/** How to explore. */
export interface ExploreOptions extends LaboratoryOptions {
  /** How many objects of each kind there are, from 1 to 4. Default: 2. */
  readonly objects?: number;
  /** How many edits there are in a run, of all objects: changes, deletions, and creations anew. Default: 2. */
  readonly edits?: number;
  /** How many kills there are in a run: before a write has arrived, or when it was applied. Default: 1. */
  readonly kills?: number;
  /** How many writes, or answers to them, are lost in a run. Default: 1. */
  readonly losses?: number;
  /** Whether answers to reads of handlers may come late, and time may pass while events are on their way. Default: true. */
  readonly staleReads?: boolean;
  /** How many faults there are in a run at most, of all sorts. Default: as many as `kills`, and 1 at least. */
  readonly faults?: number;
  /** How many choices there are in a run at most; what comes after is not chosen. Default: 200. */
  readonly depth?: number;
  /** No run begins after so much real time. Default: Infinity. */
  readonly seconds?: Seconds;
  /** The seed by which the objects and changes are drawn. Default: 1. */
  readonly seed?: number;
  /**
   * Whether objects that have no request in common are explored in all orders, too. Default: false; one comes after the other then,
   * which finds nothing that two objects do to each other in the memory of a process.
   */
  readonly interleave?: boolean;
  /** Whether results are compared with the results of calm runs. Default: true. */
  readonly compare?: boolean;
  /** Looks of the author's at the world at rest: each throws, or returns the fault. Default: none. */
  readonly invariants?: readonly Invariant[];
  /** Creations and edits in the place of drawn ones. */
  readonly plan?: Plan;
  /** One run of these choices, as a finding has printed it. */
  readonly choices?: readonly string[];
  /** Is called after each run. */
  readonly onRun?: (progress: ExplorationProgress) => void;
  /** How long a finding may be made smaller, in seconds of the processor. Default: 20. */
  readonly shrinkFor?: Seconds;
}

/** How far an exploration has come. */
export interface ExplorationProgress {
  /** How many runs are over. */
  readonly runs: number;
  /** How many states were entered. */
  readonly states: number;
  /** How many beginnings of runs wait to be tried. */
  readonly waiting: number;
  /** How much real time has passed. */
  readonly seconds: Seconds;
}

/** The result of an exploration without a finding. */
export interface Exploration extends ExplorationProgress {
  /** Whether all runs within the numbers of objects, edits and faults were tried. */
  readonly isWhole: boolean;
  /** The bounds that have cut the search, in words. */
  readonly bounds: readonly string[];
  /** How many choices the longest run had. */
  readonly depth: number;
  /** The first thing that two objects have in common, such as "configmaps shared"; undefined: they were explored one after the other. */
  readonly shared: string | undefined;
  /** The result in a sentence, such as "Converges in all 41,872 runs, 3,114 states". */
  readonly summary: string;
}

/** A run that breaks a rule: the shortest of all. */
export interface Counterexample extends Found {
  /** The creations and edits of the run, made small. */
  readonly plan: Plan;
  /** The choices of the run, up to the last one that is not the ordinary one. */
  readonly choices: readonly string[];
  /** The run in at most twelve lines. */
  readonly story: readonly string[];
  /** A test to paste. */
  readonly test: string;
  /** Which run it was, from 1. */
  readonly run: number;
  /** How many states were entered before. */
  readonly states: number;
}

/** An exploration has found a counter-example. */
export class ExplorationError extends Error {
  /** "ExplorationError". */
  override readonly name = "ExplorationError";
  /** The run. */
  readonly finding: Counterexample;

  /** Made by `explore()`. */
  constructor(finding: Counterexample) {
    const { message, run, story, test } = finding;
    super([`${message} (run ${run}):`, ...story, "As a test:", test].join("\n"));
    this.finding = finding;
  }
}

const OPTIONS: Readonly<Record<keyof ExploreOptions, true>> = {
  manifests: true,
  samples: true,
  sources: true,
  beforeRun: true,
  onEnded: true,
  objects: true,
  edits: true,
  kills: true,
  losses: true,
  staleReads: true,
  faults: true,
  depth: true,
  seconds: true,
  seed: true,
  interleave: true,
  compare: true,
  invariants: true,
  plan: true,
  choices: true,
  onRun: true,
  shrinkFor: true,
};

/**
 * Tries all runs of a small world: each order in which requests, answers and events may arrive, each lost write, each kill at a write,
 * and edits at each point. Resolves when all have kept the rules, or a bound has cut the search.
 *
 * @param make Makes an operator: one for each process.
 * @throws {ExplorationError} If a run breaks a rule: with its story, and a test to paste.
 * @throws {TypeError} If an option is wrong, or the server takes none of the objects.
 * @example
 * ```ts
 * import { operator, resource } from "@lotse/lotse";
 * import { explore } from "@lotse/lotse/testing";
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
 *   return op;
 * }
 *
 * const { isWhole } = await explore(makeOperator, { manifests, objects: 1, edits: 0, kills: 0, losses: 0 });
 * console.assert(isWhole);
 * ```
 */
export async function explore(
  make: () => SimulatedOperator,
  options: ExploreOptions = {},
): Promise<Exploration> {
  checkOptions(make, options, RULES);
  if ((options.objects ?? 1) > 4) throw new TypeError("Cannot explore more than 4 `objects` of a kind");
  await using laboratory = await Laboratory.open(make, options);
  return await new Explorer(laboratory, options).run();
}

const RULES = {
  verb: "explore",
  known: OPTIONS,
  least: { objects: 1, edits: 0, kills: 0, losses: 0, faults: 0, depth: 1 },
};

/** How many choices a run has at most, by default. */
const DEPTH = 200;

const NAMES = ["a", "b", "c", "d"] as const;

/** How often an object is drawn until the server takes it. */
const TRIED = 40;

class Explorer {
  readonly #laboratory: Laboratory;
  readonly #options: ExploreOptions;
  readonly #calm = new Map<string, CalmRun>();
  readonly #keys = new StateKeys();
  #footprints = new Footprints();
  #killed = new Set<string>();
  #areApart: boolean;

  constructor(laboratory: Laboratory, options: ExploreOptions) {
    this.#laboratory = laboratory;
    this.#options = options;
    this.#areApart = options.interleave !== true;
  }

  async run(): Promise<Exploration> {
    const { choices, depth = DEPTH, seconds = Infinity, onRun } = this.#options;
    const { clock } = currentHost();
    const begun = clock.monotonic();
    const plan = this.#options.plan ?? await this.#draw();
    if (choices !== undefined) return await this.#once(plan, choices);
    let search = new Search({ depth });
    let runs = 0;
    let isLate = false;
    for (let next = search.next(); next !== undefined; next = search.next()) {
      if (clock.monotonic() - begun >= seconds) {
        isLate = true;
        break;
      }
      const current = search;
      const run = await this.#try(plan, { given: next, visit: (point) => current.visit(point) });
      runs += 1;
      const progress = {
        runs,
        states: search.states,
        waiting: search.waiting,
        seconds: clock.monotonic() - begun,
      };
      const found = run.isOther ? differing(run) : run.found;
      if (found !== undefined) {
        throw new ExplorationError(await this.#explain(plan, { found, run, ...progress }));
      }
      onRun?.(progress);
      if (!this.#areApart || this.#footprints.shared === undefined) continue;
      // They have something in common after all: each order of them counts.
      this.#areApart = false;
      this.#killed = new Set();
      search = new Search({ depth });
    }
    const bounds = [
      ...isLate ? [`${search.waiting} beginnings of runs were not tried, as the time was over`] : [],
      ...search.cut > 0 ? [`${search.cut} runs were cut at ${depth} choices`] : [],
    ];
    return this.#result({ runs, search, bounds, seconds: clock.monotonic() - begun });
  }

  #result(
    { runs, search, bounds, seconds }: {
      readonly runs: number;
      readonly search: Search;
      readonly bounds: readonly string[];
      readonly seconds: Seconds;
    },
  ): Exploration {
    const { states, waiting, deepest } = search;
    const isWhole = bounds.length === 0;
    const numbers = `${counted(runs, "run")}, ${counted(states, "state")}`;
    const summary = isWhole
      ? `Converges in all ${numbers}`
      : `Nothing found in ${numbers}; not all: ${bounds.join("; ")}`;
    return {
      runs,
      states,
      waiting,
      seconds,
      isWhole,
      bounds,
      depth: deepest,
      shared: this.#footprints.shared,
      summary,
    };
  }

  /** Repeats one run. */
  async #once(plan: Plan, choices: readonly string[]): Promise<Exploration> {
    const begun = currentHost().clock.monotonic();
    const run = await this.#try(plan, {
      given: choices,
      visit: (point) => this.#goOn(point),
      isTolerant: true,
    });
    const progress = { runs: 1, states: 0, waiting: 0, seconds: currentHost().clock.monotonic() - begun };
    if (run.found !== undefined) {
      throw new ExplorationError(await this.#explain(plan, { found: run.found, run, ...progress }));
    }
    const bounds = ["it was one run, of given choices"];
    return this.#result({ runs: 1, search: new Search({ depth: 1 }), bounds, seconds: progress.seconds });
  }

  /** Goes on with what is ordinary, where all choices were given. */
  #goOn({ choices }: Point): Verdict {
    const { depth = DEPTH } = this.#options;
    return choices.length < depth ? "go" : "end";
  }

  async #try(
    plan: Plan,
    how: Pick<Parameters<typeof runChoices>[0], "given" | "visit" | "isTolerant">,
  ): Promise<ChoicesRun> {
    const { invariants = [], edits = 2, kills = 1, losses = 1, staleReads = true, compare = true } =
      this.#options;
    const setting = await this.#laboratory.prepare({ invariants, replicas: undefined });
    return await runChoices({
      ...how,
      plan,
      author: { edits, areApart: this.#areApart },
      setting: { ...setting, calm: this.#calm },
      faults: { kills, losses, delays: staleReads ? 1 : 0 },
      most: this.#options.faults ?? Math.max(kills, 1),
      holdsReads: staleReads,
      compare,
      keys: this.#keys,
      footprints: this.#footprints,
      killed: this.#killed,
    });
  }

  async #explain(
    plan: Plan,
    { found, run, runs, states }: ExplorationProgress & { readonly found: Found; readonly run: ChoicesRun },
  ): Promise<Counterexample> {
    const { process } = currentHost();
    const { shrinkFor = 20 } = this.#options;
    const end = process.cpu() + shrinkFor;
    const again = await this.#try(plan, {
      given: run.choices,
      visit: (point) => this.#goOn(point),
      isTolerant: true,
    });
    const isSame =
      again.journal.text.slice(0, run.lines).join() === run.journal.text.slice(0, run.lines).join();
    let best = run;
    const small = found.rule === "chance" || !isSame ? plan : await shrinkPlan(plan, {
      mayGoOn: () => process.cpu() < end,
      fails: async (candidate) => {
        if (!createsFirst(candidate)) return false;
        const tried = await this.#try(candidate, {
          given: run.needed,
          visit: (point) => this.#goOn(point),
          isTolerant: true,
        });
        if (tried.found?.rule !== found.rule) return false;
        best = tried;
        return true;
      },
    });
    const last = isSame || found.rule === "chance" ? best.found ?? found : differing(run);
    const choices = best.needed;
    return {
      ...last,
      plan: small,
      choices,
      story: tellStory(best.journal),
      test: testOf({ plan: small, choices }, last.rule),
      run: runs,
      states,
    };
  }

  /** Draws the creations and edits of all objects, so that the server takes them. */
  async #draw(): Promise<Plan> {
    const { seed = 1, objects = 2, edits = 2 } = this.#options;
    const { sources } = this.#laboratory.sources;
    const steps: Step[] = [];
    for (const source of sources) {
      for (const name of NAMES.slice(0, objects)) {
        steps.push(...await this.#drawObject(source, { name, edits, seed: seed + steps.length }));
      }
    }
    return { seed, steps };
  }

  async #drawObject(
    { kind, make, change }: ObjectSource,
    { name, edits, seed }: { readonly name: string; readonly edits: number; readonly seed: number },
  ): Promise<Step[]> {
    const random = createVirtualRandom(seed);
    const { invariants = [] } = this.#options;
    const setting = await this.#laboratory.prepare({ invariants, replicas: undefined });
    await using cluster = setting.fork();
    const world = new World({ ...setting, cluster, seed });
    const steps: Step[] = [];
    for (let tries = 0; tries < TRIED && steps.length <= edits; tries++) {
      const step: Step = steps.length === 0
        ? { do: "create", kind, name, body: make(random) }
        : { do: "edit", kind, name, patch: change(random) };
      const before = JSON.stringify(await world.find(step));
      await world.take(step, 0);
      // A change that changes nothing is none.
      if (JSON.stringify(await world.find(step)) !== before) steps.push(step);
    }
    return steps;
  }
}

/** Whether each object of a plan is created before it is changed. */
function createsFirst({ steps }: Plan): boolean {
  const created = new Set<string>();
  for (const step of steps) {
    if (step.do === "create") created.add(subjectOf(step));
    else if (step.do !== "edit" || !created.has(subjectOf(step))) return false;
  }
  return steps.length > 0;
}

function differing({ choices }: ChoicesRun): Found {
  return {
    rule: "chance",
    message: `Two runs of the same choices differ after "${
      choices.at(-1)
    }", so that they depend on something else, such as variables of a module that outlive a process`,
  };
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a test of the run. */
function testOf(
  { plan: { seed, steps }, choices }: { readonly plan: Plan; readonly choices: readonly string[] },
  rule: string,
): string {
  return [
    `it("keeps the rule \\"${rule}\\" in the run that an exploration has found", async () => {`,
    `  await explore(makeOperator, { manifests, plan: ${JSON.stringify({ seed, steps })}, choices: ${
      JSON.stringify(choices)
    } });`,
    "});",
  ].join("\n");
}
