/**
 * Runs operators on a copy of a cluster for some virtual hours, and returns their requests, writes and failures, and the objects that are different in the end.
 *
 * The result is JSON: old and new code run in processes of their own, and are compared by a third.
 */

import { currentArguments, currentHandler } from "../../../execution/invoke.ts";
import { digestOf } from "../../../model/encoding.ts";
import { isObject } from "../../../model/json.ts";
import type { Random, Seconds } from "../../../runtime/host.ts";
import { currentHost } from "../../../runtime/current_host.ts";
import { VERSION } from "../../../runtime/version.ts";
import { virtualHost } from "../../../runtime/virtual/host.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import { seedChance } from "../../../runtime/virtual/seeded_chance.ts";
import { Administrator } from "../administrator.ts";
import { applyAll, type Manifests } from "../manifests.ts";
import { type Runnable, Runner } from "../runner.ts";
import { type ChangedObject, changesBetween } from "./changed_objects.ts";
import { type ClusterCopy, seedAfter } from "./cluster_copy.ts";
import { type Declaring, type HandledKind, handledKinds } from "./handled_kinds.ts";
import {
  type LoopGroup,
  type MissedRight,
  Recorder,
  type RequestCounts,
  type WriteGroup,
} from "./recorder.ts";
import { type GivenCopy, openStage, type Refusal, settle, type Stage, type Stubs } from "./stage.ts";

/** How to play. */
export interface PlayOptions {
  readonly operators: readonly (Runnable & Declaring)[];
  readonly copy: GivenCopy;
  /** How long, in virtual hours. 0: the first pass alone, in which no time passes. */
  readonly hours: number;
  /** Namespaces that the operators serve. Default: the whole cluster. */
  readonly scope?: readonly string[];
  /** Default: only the cluster is reached. */
  readonly stubs?: Stubs;
  /** Applied first, in sight: files, folders, objects. Default: none. */
  readonly manifests?: Manifests;
  /** Of uids, and of the numbers that handlers draw. Default: 1. */
  readonly seed?: number;
  /** How long it may take, in real seconds: then it ends earlier. Default: as long as it takes. */
  readonly within?: Seconds;
  /** Is told how many virtual seconds have passed. */
  readonly onProgress?: (seconds: Seconds) => void;
  /** Calls that were refused outside of the virtual network: the list is read at the end. */
  readonly refused?: readonly Refusal[];
}

/** Objects on which a handler fails in the same way. */
export interface FailureGroup {
  readonly handler: string;
  readonly error: string;
  readonly objects: number;
  readonly examples: readonly string[];
  /** Whether the handler tries again. */
  readonly retries: boolean;
}

/** Everything that a run was seen to do. */
export interface Played {
  readonly lotse: string;
  /** Virtual seconds. */
  readonly seconds: Seconds;
  /** Whether it has ended earlier than it should have, because the real time was up. */
  readonly isCut?: boolean;
  /** The kinds of its handlers; undefined in results of older releases. */
  readonly handled?: readonly HandledKind[];
  /** Objects that are not as they were, by titles such as "Database default/one". */
  readonly changed: Readonly<Record<string, ChangedObject>>;
  readonly writes: readonly WriteGroup[];
  readonly requests: RequestCounts;
  /** When the operator has written last, in seconds since its start; undefined: never. */
  readonly lastWrite?: Seconds;
  /** Whether it was at rest in the end. */
  readonly isAtRest: boolean;
  readonly missed: readonly MissedRight[];
  readonly loops: readonly LoopGroup[];
  readonly failures: readonly FailureGroup[];
  /** Handlers that have not ended: they wait for real time, or for programs and servers that are not in the copy. */
  readonly unended: readonly string[];
  /** Calls beyond the cluster, and how often. */
  readonly notRehearsed: readonly string[];
  /** Resident bytes of the process in the end. */
  readonly memory: number;
  /** The error that an operator ended with. */
  readonly failure?: string;
}

/** How long a first pass takes. */
const FIRST_PASS: Seconds = 1;
/** Time between two looks at the progress. */
const STEP: Seconds = 60;
/** An operator without a write for so long in the end, or for a tenth of the time, is at rest. */
const REST: Seconds = 300;
/** How many calls of handlers are remembered. */
const REMEMBERED = 200_000;
const MOST_EXAMPLES = 3;

/** Runs operators on a copy. */
export async function play(options: PlayOptions): Promise<Played> {
  const { hours, operators, scope, onProgress, within = Infinity } = options;
  const real = currentHost();
  const deadline = real.clock.monotonic() + within;
  const { stage, chance, user } = await openCopy(options);
  const { host, server } = stage;
  const base = server.fork({ host: virtualHost({ start: host.clock.now() }) });
  await applyFirst(options.manifests ?? [], stage);
  const handled = await handledKinds(operators, server);
  const recorder = new Recorder((request) => server.fetch(request), host.clock);
  const fetch = (request: Request): Promise<Response> =>
    request.headers.get("user-agent") === TESTER ? server.fetch(request) : recorder.pass(request);
  const began = host.clock.monotonic();
  const runners = operators.map((op) =>
    new Runner(op, {
      cluster: { host, fetch },
      globals: true,
      level: "warn",
      reraise: false,
      remembered: REMEMBERED,
      standalone: true,
      scope: scope ?? "cluster",
      ...user === undefined ? {} : { user },
    })
  );
  using _seeded = seedChance((call) => chance.generatorFor(call));
  // Some work is put off by moments, so that more of it can be done at once.
  await host.clock.advance(FIRST_PASS);
  let isCut = false;
  for (const end = began + hours * 3600; host.clock.monotonic() < end - 0.001 && !isCut;) {
    await host.clock.advance(Math.min(STEP, end - host.clock.monotonic()));
    onProgress?.(host.clock.monotonic() - began);
    if (runners.every(({ isRunning }) => !isRunning)) break;
    isCut = real.clock.monotonic() > deadline;
  }
  const seconds = host.clock.monotonic() - began;
  const changed = await changesBetween(base, server);
  const failed = runners.find(({ failure }) => failure !== undefined)?.failure;
  const { lastWrite } = recorder;
  const played: Played = {
    lotse: VERSION,
    seconds,
    handled,
    changed,
    writes: recorder.groups,
    requests: recorder.counts,
    ...lastWrite === undefined ? {} : { lastWrite },
    isAtRest: lastWrite === undefined || hours === 0 || seconds - lastWrite > Math.min(REST, seconds / 10),
    missed: recorder.missed,
    loops: recorder.loops,
    failures: failuresOf(runners),
    unended: unendedOf(runners, host.clock.now()),
    notRehearsed: [
      ...told([...stage.refusals, ...options.refused ?? []]),
      ...stage.departures(),
      ...chance.told(),
    ],
    memory: real.process.memory(),
    ...isCut ? { isCut } : {},
    ...failed === undefined ? {} : { failure: failed instanceof Error ? failed.message : String(failed) },
  };
  await Promise.all(runners.map((runner) => runner.stop().catch(() => {})));
  return played;
}

/** Opens a copy at rest. NB: by itself, so that nothing keeps the copy's objects while operators run. */
async function openCopy(
  { copy, hours, stubs, seed }: PlayOptions,
): Promise<{ readonly stage: Stage; readonly chance: Chance; readonly user?: string }> {
  const settled = hours > 0 ? await settle(copy) : typeof copy === "function" ? await copy() : copy;
  return {
    stage: await openStage(settled, { hours, stubs, seed }),
    chance: new Chance(settled, seed),
    ...settled.rights === undefined ? {} : { user: settled.rights.user },
  };
}

/** The random numbers of handlers: each object of a handler has a generator of its own, so that old and new code draw the same for it. */
class Chance {
  readonly #seed: number;
  readonly #generators = new Map<string, Random>();
  readonly #calls = new Map<string, string>();

  constructor(copy: ClusterCopy, seed: number | undefined) {
    this.#seed = seedAfter(copy, seed);
  }

  generatorFor(call: string): Random | undefined {
    const handler = currentHandler();
    if (handler === undefined) return undefined;
    this.#calls.set(handler, call);
    const args = currentArguments();
    const uid = isObject(args) && typeof args.uid === "string" ? args.uid : "";
    const key = `${handler} ${uid}`;
    let random = this.#generators.get(key);
    if (random === undefined) {
      random = createVirtualRandom(Number.parseInt(digestOf([this.#seed, key]).slice(0, 8), 16));
      this.#generators.set(key, random);
    }
    return random;
  }

  told(): string[] {
    return [...this.#calls].map(([handler, call]) =>
      `handler "${handler}" draws random values (${call}): the cluster gets other ones`
    );
  }
}

/** Applies manifests as the administrator. @throws {Error} If one cannot be read, or is refused. */
async function applyFirst(manifests: Manifests, { host, server }: Stage): Promise<void> {
  using admin = new Administrator({ host, fetch: (request) => server.fetch(request) });
  await applyAll(manifests, admin);
}

/** The user agent of the kit's own clients, whose requests are none of the operator's. */
const TESTER = "lotse-test";

function failuresOf(runners: readonly Runner[]): FailureGroup[] {
  const last = new Map<string, Runner["calls"][number]>();
  for (const call of runners.flatMap(({ calls }) => calls)) {
    if (call.outcome === undefined) continue;
    const { kind = "", namespace = "", name = "" } = call.object ?? {};
    last.set(`${call.handler} ${kind} ${namespace}/${name}`, call);
  }
  const groups = new Map<string, { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] }>();
  for (const { handler, object, outcome, error } of last.values()) {
    if (error === undefined || (outcome !== "failure" && outcome !== "retry")) continue;
    const text = object?.name === undefined ? error.message : error.message.replaceAll(object.name, "<name>");
    const key = `${handler} ${outcome} ${text}`;
    const title = object === undefined
      ? "the operator itself"
      : `${object.kind} ${object.namespace === undefined ? "" : `${object.namespace}/`}${object.name}`;
    const group = groups.get(key) ??
      { handler, error: text, objects: 0, examples: [], retries: outcome === "retry" };
    group.objects++;
    if (group.examples.length < MOST_EXAMPLES) group.examples = [...group.examples, title];
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.objects - a.objects);
}

function unendedOf(runners: readonly Runner[], now: number): string[] {
  const open = runners.flatMap(({ calls }) => calls).filter(({ outcome, type, time }) =>
    outcome === undefined && type !== "Daemon" && now - time > REST * 1000
  );
  return [...new Set(open.map(({ handler }) => handler))];
}

function told(refusals: readonly Refusal[]): string[] {
  const counts = new Map<string, number>();
  for (const { target, handler } of refusals) {
    const text = handler === undefined ? target : `${target} (handler "${handler}")`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${text}: ${count} ${count === 1 ? "call" : "calls"} refused`);
}
