/**
 * The things that all runs of one operator have in common: the cluster that each begins with, the sources of its objects, the
 * operators for its processes, and the watch over code that reads the real clock and the like.
 */

import { currentArguments, currentHandler } from "../../../execution/invoke.ts";
import type { KubeObject } from "../../../model/object.ts";
import { watchChance } from "../../../runtime/virtual/chance.ts";
import { Administrator } from "../administrator.ts";
import { type TestCluster, testCluster } from "../cluster.ts";
import { type Manifests, readManifests } from "../manifests.ts";
import { ReplicaClock } from "../replica_clock.ts";
import type { ObjectSource } from "./draw.ts";
import type { Found } from "./invariants.ts";
import type { Simulated, SimulatedOperator } from "./life.ts";
import type { RunSetting } from "./run_plan.ts";
import { checkSources, findSources, type Sources } from "./sources.ts";

/** The parts of a laboratory. */
export interface LaboratoryOptions {
  /** Definitions of the operator's kinds, and all that it needs to be there. */
  readonly manifests?: Manifests;
  /** Objects as they may be: each creation begins with one of them. Default: all values are drawn from schemas. */
  readonly samples?: Manifests;
  /** Sources of objects of one's own. Default: definitions and samples. */
  readonly sources?: readonly ObjectSource[];
  /** Is awaited before each run, such as to load modules anew. Default: there is no need. */
  readonly beforeRun?: () => void | Promise<void>;
  /** Is given each operator whose code runs no more: the function may return it again. Default: it is forgotten. */
  readonly onEnded?: (op: SimulatedOperator) => void;
}

/** Where runs take place. */
export class Laboratory implements AsyncDisposable {
  readonly sources: Sources;
  readonly #options: LaboratoryOptions;
  readonly #base: TestCluster;
  readonly #make: () => SimulatedOperator;
  readonly #chance: Disposable;
  readonly #made = new WeakSet<SimulatedOperator>();
  /** Operators whose process has ended. */
  readonly #free = new WeakMap<SimulatedOperator, Simulated>();
  #noticed: Found | undefined;

  private constructor(
    make: () => SimulatedOperator,
    options: LaboratoryOptions,
    { base, sources }: { readonly base: TestCluster; readonly sources: Sources },
  ) {
    this.#make = make;
    this.#options = options;
    this.#base = base;
    this.sources = sources;
    this.#chance = watchChance({ isInside: isInProcess, onUse: (name, place) => this.#notice(name, place) });
  }

  /** Makes the cluster that all runs begin with. */
  static async open(make: () => SimulatedOperator, options: LaboratoryOptions): Promise<Laboratory> {
    const base = await testCluster();
    const admin = new Administrator(base);
    const applied = await base.apply(options.manifests ?? []);
    const definitions = applied.filter(({ kind }) => kind === "CustomResourceDefinition");
    // Objects that are read say their own type.
    const samples = await readManifests(options.samples ?? []) as readonly KubeObject[];
    const sources = await findSources({ definitions, samples, own: options.sources ?? [] }, admin);
    const trial = base.fork();
    await checkSources(sources, new Administrator(trial));
    await trial[Symbol.asyncDispose]();
    admin[Symbol.dispose]();
    return new Laboratory(make, options, { base, sources });
  }

  /** Returns a new cluster, as all runs begin with. */
  fork(): TestCluster {
    return this.#base.fork();
  }

  /** Prepares a run, and returns its surroundings. */
  async prepare({ invariants, replicas }: Pick<RunSetting, "invariants" | "replicas">): Promise<RunSetting> {
    this.#noticed = undefined;
    const { beforeRun, onEnded } = this.#options;
    await beforeRun?.();
    return {
      fork: () => this.fork(),
      make: () => this.#newOperator(),
      release: onEnded && ((simulated) => {
        this.#free.set(simulated.op, simulated);
        onEnded(simulated.op);
      }),
      kinds: this.sources.kinds,
      replicas,
      invariants,
      chance: () => this.#noticed,
    };
  }

  /** @throws {TypeError} If the author's function has returned it before, and its process has not ended. */
  #newOperator(): Simulated {
    const op = this.#make();
    const free = this.#free.get(op);
    if (free !== undefined) {
      this.#free.delete(op);
      return free;
    }
    if (this.#made.has(op)) {
      throw new TypeError(
        "Cannot simulate: the function has returned the same operator twice, and each process has its own",
      );
    }
    this.#made.add(op);
    const watched = [...this.sources.kinds].filter(([, { plural, group }]) =>
      op.declared.some(({ resource }) => resource?.plural === plural && (resource.group ?? "") === group)
    );
    const caches = watched.map(([kind, { group, version, plural }]) =>
      [kind, op.cache(group === "" ? `${plural}.${version}` : `${plural}.${version}.${group}`)] as const
    );
    return { op, caches: new Map(caches) };
  }

  #notice(name: string, place: string | undefined): void {
    const where = place === undefined ? "" : ` at ${place}`;
    this.#noticed ??= {
      rule: "chance",
      message:
        `\`${currentHandler()}\` calls ${name}${where}: such a run cannot be repeated (take the \`clock\` of the arguments, or hand such functions in)`,
    };
  }

  /** Ends the watch over chance, and the cluster. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#chance[Symbol.dispose]();
    await this.#base[Symbol.asyncDispose]();
  }
}

/** Whether the running code is a handler of a simulated process. */
function isInProcess(): boolean {
  const args = currentArguments();
  return typeof args === "object" && args !== null && "clock" in args && args.clock instanceof ReplicaClock;
}
