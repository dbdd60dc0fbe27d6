/**
 * Which objects this run is responsible for: all of them, or with `replicas` the objects of the shards that it holds.
 *
 * Opens the engine of replicas, or the open fence where there are none; hands what shards begin and end to the work of objects;
 * and offers the rest of the operator the things that must happen once among replicas: work that runs in each term of shard 0,
 * annotations of our member Lease, and the other members. Source: docs/decisions/0036-responsibility.md.
 */

import type { TaskGroup } from "../async/tasks.ts";
import { podNamespace } from "../client/auth/service_account.ts";
import type { Client } from "../client/client.ts";
import type { TransportOptions } from "../client/transport/transport.ts";
import type { Poster } from "../engines/posting/poster.ts";
import type { Check } from "../engines/probing.ts";
import type { ObservedMember } from "../engines/replicas/observed_leases.ts";
import type { LeaseSettings } from "../engines/replicas/options.ts";
import type { Replicas } from "../engines/replicas/replicas.ts";
import type { ShardChange } from "../engines/replicas/replicas_options.ts";
import type { ShardWork } from "../engines/replicas/shard_fence.ts";
import { type Fence, openFence, type Term } from "../execution/fence.ts";
import type { Observer } from "../execution/observer.ts";
import type { OnceAmongReplicas, TaskTimes } from "../handlers/task/once.ts";
import { formatTimestamp } from "../model/timestamps.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import type { Gates } from "./gates.ts";

export type { LeaseSettings, ObservedMember, Term };

/** The surroundings of a run's responsibility. */
export interface ResponsibilityOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly client: Client;
  /** The way to the API server for requests of Leases, which have connections of their own. */
  readonly transport: TransportOptions;
  /** Undefined: this run is the only one. */
  readonly replicas: LoadedReplicas | undefined;
  readonly gates: Gates;
  /** Owns the tasks that run once among replicas. */
  readonly tasks: TaskGroup;
  /** The author's own release. */
  readonly release: string;
  readonly observer: Observer;
  /** Posts an Event on the Lease of each shard that changes hands; undefined while none is posted. */
  readonly poster: () => Poster | undefined;
}

/** The engine, which is loaded only where it is used, and its settings. */
export interface LoadedReplicas {
  readonly settings: LeaseSettings;
  readonly Replicas: typeof Replicas;
}

/** Work that belongs to shard 0. */
interface FirstWork {
  readonly name: string;
  readonly run: (term: Term) => Promise<void>;
  /** The term that its run belongs to, or the last one did. */
  term: Term | undefined;
  /** The run that goes on. */
  current: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
}

/** How long until work of shard 0 is tried again that has failed. */
const RETRY_PAUSE: Seconds = 5;

/** How annotations of shard 0's Lease begin that hold the times of a task: "BEGUN ENDED", RFC 3339. */
const TASK_NOTE = "task.lotse.dev/";

/** For how much longer than a lease a missed time of a task is made up for. */
const MAKEUP: Seconds = 60;

/** The annotation of member Leases with the kinds that the operator handles, and how many of them are named. */
const KINDS_NOTE = "lotse.dev/kinds";
const MOST_KINDS = 100;

/** How long the start waits for streams that cannot be listed, before the replica takes shards nevertheless. */
export const LONGEST_START: Seconds = 30;

/**
 * Loads the engine of replicas, with the settings of the run's Leases; undefined where `replicas` is off.
 *
 * @throws {TypeError | RangeError} If they are impossible, or if the namespace is not known outside of a cluster.
 */
export async function loadReplicas(
  { replicas: { enabled, ...given } }: Pick<Settings, "replicas">,
  host: Host,
): Promise<LoadedReplicas | undefined> {
  if (!enabled) return undefined;
  const { checkReplicas } = await import("../engines/replicas/options.ts");
  const { Replicas } = await import("../engines/replicas/replicas.ts");
  const settings = checkReplicas(given, { name: undefined, namespace: await podNamespace(host) });
  return settings && { settings, Replicas };
}

/** The responsibility of one run. */
export class Responsibility {
  readonly fence: Fence;
  readonly #options: ResponsibilityOptions;
  readonly #engine: Replicas | undefined;
  readonly #works = new Set<FirstWork>();
  readonly #listeners = new Set<() => void>();
  /** The members as they were told last. */
  #told = "";
  #work: ShardWork | undefined;
  #isStarted = false;
  /** Whether shard 0 is about to be let go. */
  #isDraining = false;

  constructor(options: ResponsibilityOptions) {
    this.#options = options;
    const { gates, replicas } = options;
    this.#engine = replicas && this.#open(replicas);
    this.fence = this.#engine?.fence ?? openFence({ handlers: gates.handlers, fence: gates.fence });
  }

  /** The names and durations of the Leases; undefined where there are no replicas. */
  get settings(): LeaseSettings | undefined {
    return this.#options.replicas?.settings;
  }

  /** All members that are known, this one included; none where there are no replicas. */
  get members(): readonly ObservedMember[] {
    return this.#engine?.members ?? [];
  }

  /** The name of our session; undefined where there are no replicas. */
  get identity(): string | undefined {
    return this.#engine?.identity;
  }

  /** The identity of each shard's holder by the shard's number, undefined where it is free; none where there are no replicas. */
  get holders(): readonly (string | undefined)[] {
    return this.#engine?.holders ?? [];
  }

  /** The name of the Leases, and whether each shard is held here; undefined where there are no replicas. */
  get leases(): { readonly name: string; readonly held: readonly boolean[] } | undefined {
    const { settings, identity } = this;
    return settings && { name: settings.name, held: this.holders.map((holder) => holder === identity) };
  }

  /** The name under which all replicas meet other operators; undefined where there are no replicas. */
  get peer(): string | undefined {
    const { settings } = this;
    return settings && `${settings.namespace}/${settings.name}`;
  }

  /** Whether no other replica lives that goes on. */
  get isLast(): boolean {
    const { identity } = this;
    return !this.members.some((member) => member.isLive && !member.isLeaving && member.identity !== identity);
  }

  /** The obstacle that keeps this replica from taking shards, and its cure; undefined if there is none. */
  get problem(): string | undefined {
    return this.#engine?.problem;
  }

  /**
   * Returns the check of readiness. A replica that cannot have a session never works; one without a shard is ready to take one.
   * `?verbose` names the holder of each shard.
   */
  checks(): readonly Check[] {
    if (this.#engine === undefined) return [];
    const held = this.holders.map((identity, shard) => `${shard}: ${identity ?? "nobody"}`);
    return [{ name: "replicas", problem: this.problem, note: `shards ${held.join(", ")}` }];
  }

  /**
   * Begins the session, with the work of shards, which is built after this. Without replicas, work of shard 0 begins. `kinds`: the
   * kinds that the operator declares handlers for, by which another operator of the same name is told.
   */
  start(work: ShardWork, kinds: readonly string[] = []): void {
    this.#nameKinds(kinds);
    this.#work = work;
    this.#isStarted = true;
    this.#engine?.start();
    this.#beginWorks();
  }

  /** Says whether this replica can work: it has started, and its objects are listed and indexed. */
  setAble(isAble: boolean): void {
    this.#engine?.setAble(isAble);
  }

  /**
   * Runs work in each term of shard 0 that begins here: now, if there is one, and again for each later one. One work runs once
   * at a time; it must end when the signal of the term that it gets aborts, which it does when the shard is about to be let go.
   * Work that fails is tried again in the same term after a pause. Its writes carry the term as their permit. Disposing takes it
   * off; a run that goes on is not ended by that.
   */
  whileFirst(name: string, run: (term: Term) => Promise<void>): Disposable {
    const work: FirstWork = { name, run, term: undefined, current: undefined };
    this.#works.add(work);
    this.#beginWorks();
    return { [Symbol.dispose]: () => void this.#works.delete(work) };
  }

  /** Puts an annotation onto our member Lease, or takes it off (null): the others are told at once. Without replicas: no effect. */
  annotate(key: string, value: string | null): void {
    this.#engine?.annotate(key, value);
  }

  /** Calls back when a member has come or gone, or is another one than before. Must not throw. */
  onMembers(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** How tasks run once among replicas; undefined where there are no replicas: then they run as all tasks do. */
  get tasks(): OnceAmongReplicas | undefined {
    const engine = this.#engine;
    const { settings } = this;
    if (engine === undefined || settings === undefined) return undefined;
    return {
      whileFirst: (name, work) => this.whileFirst(name, work),
      timesOf: (name) => readTimes(engine.firstAnnotations[`${TASK_NOTE}${name}`]),
      noteTimes: async (name, times) =>
        await engine.annotateFirst({ [`${TASK_NOTE}${name}`]: writeTimes(times) }),
      grace: settings.leaseDuration + MAKEUP,
    };
  }

  /** Says that the process stops, and lets all shards go: handlers have `timeout` seconds. The session lives on. Never rejects. */
  async leave(options: { readonly timeout: Seconds }): Promise<void> {
    if (this.#engine === undefined) await this.#stopWorks();
    else await this.#engine.leave(options);
  }

  /** The last act: removes the member Lease. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine?.[Symbol.asyncDispose]();
  }

  #open({ settings: leases, Replicas }: LoadedReplicas): Replicas {
    const { host, logger, settings, client, transport, release, observer } = this.#options;
    const { process } = host;
    return new Replicas({
      host,
      logger: logger.child({ name: "lotse.replicas" }),
      settings: leases,
      watching: settings.watching,
      client,
      transport,
      podName: process.env("POD_ID") || process.hostname(),
      release,
      work: {
        begin: (term) => {
          this.#work?.begin(term);
          this.#beginWorks();
        },
        pause: (term) => this.#work?.pause(term),
        proceed: (term, previous) => {
          this.#work?.proceed(term, previous);
          this.#beginWorks();
        },
        drain: async (term) => {
          await Promise.all([this.#work?.drain(term), term.shard === 0 && this.#stopWorks()]);
        },
        resume: (term) => {
          this.#work?.resume(term);
          if (term.shard === 0) this.#resumeWorks();
        },
        end: (term, why) => {
          if (term.shard === 0) this.#isDraining = false;
          return this.#work?.end(term, why) ?? [];
        },
      },
      observer: {
        moved: (change) => this.#tellMove(change, leases.namespace),
        slowRenewal: () => observer.slowRenewal?.(leases.name),
        looked: () => this.#tellMembers(),
      },
    });
  }

  /** An Event on the Lease, as client-go's elections post one. Not fenced: it tells of this replica, and not of an object. */
  #tellMove(change: ShardChange, namespace: string): void {
    const { observer, poster, settings: { posting } } = this.#options;
    const { lease: name } = change;
    observer.shardMoved?.(change.is === "taken" ? "taken" : change.why);
    if (!posting.enabled) return;
    const reference = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name, namespace };
    const event = change.is === "taken"
      ? { type: "Normal", reason: "LeaderElection", message: `${this.identity} became responsible` }
      : {
        type: change.why === "released" ? "Normal" : "Warning",
        reason: "LeaderElection",
        message: `${this.identity} is not responsible any more: ${change.why}${
          change.left.length === 0 ? "" : `; handlers that still run: ${change.left.join(", ")}`
        }`,
      };
    poster()?.post(reference, event);
  }

  /**
   * Members of one operator have kinds in common, also in an update: one with none is another operator, whose name is the same by
   * mistake. Said once of each, as an Event too: each would take shards, and leave the other's objects alone.
   */
  #nameKinds(kinds: readonly string[]): void {
    const { settings } = this;
    if (settings === undefined || kinds.length === 0) return;
    this.annotate(KINDS_NOTE, [...new Set(kinds)].sort().slice(0, MOST_KINDS).join(","));
    const told = new Set<string>();
    this.onMembers(() => {
      for (const { identity, isLive, record: { annotations } } of this.members) {
        const others = annotations[KINDS_NOTE]?.split(",") ?? [];
        const isSame = others.length === 0 || others.some((kind) => kinds.includes(kind));
        if (!isLive || isSame || told.has(identity)) continue;
        told.add(identity);
        this.#reportStranger(identity, others, settings);
      }
    });
  }

  #reportStranger(identity: string, kinds: readonly string[], { name, namespace }: LeaseSettings): void {
    const { logger, poster, settings: { posting } } = this.#options;
    const message =
      `Another operator has the name "${name}" for its replicas: give each its own, or objects of both are left alone`;
    logger.error(message, { other: identity, kinds });
    if (!posting.enabled) return;
    const reference = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name, namespace };
    poster()?.post(reference, { type: "Warning", reason: "NameTaken", message: `${message} (${identity})` });
  }

  #tellMembers(): void {
    if (this.#listeners.size === 0) return;
    const told = JSON.stringify(
      this.members.map((
        { identity, isLive, isAble, isLeaving, record: { annotations } },
      ) => [identity, isLive, isAble, isLeaving, annotations]),
    );
    if (told === this.#told) return;
    this.#told = told;
    for (const listener of this.#listeners) listener();
  }

  #beginWorks(): void {
    for (const work of this.#works) this.#begin(work);
  }

  #begin(work: FirstWork): void {
    const term = this.#isStarted && !this.#isDraining ? this.fence.first : undefined;
    if (term === undefined || work.current !== undefined || work.term === term || term.signal.aborted) return;
    work.term = term;
    const stop = new AbortController();
    const onEnd = (): void => stop.abort(term.signal.reason);
    term.signal.addEventListener("abort", onEnd, { once: true });
    const task = this.#options.tasks.start(work.name, async () => {
      await this.#run(work, {
        shard: term.shard,
        number: term.number,
        signal: stop.signal,
        timeLeft: () => term.timeLeft(),
      });
      term.signal.removeEventListener("abort", onEnd);
      work.current = undefined;
      // Another term may have begun meanwhile.
      if (this.#works.has(work)) this.#begin(work);
    });
    if (task.isRunning) work.current = { stop, done: task.done };
  }

  async #run({ name, run }: FirstWork, term: Term): Promise<void> {
    const { host: { clock }, logger } = this.#options;
    while (!term.signal.aborted) {
      try {
        return await run(term);
      } catch (error) {
        if (term.signal.aborted) return;
        logger.error("Work that one replica does for all has failed: it is tried again", {
          task: name,
          error,
          retryIn: RETRY_PAUSE,
        });
        await clock.sleep(RETRY_PAUSE, term.signal);
      }
    }
  }

  /** Ends the work of shard 0, before the shard is let go. */
  async #stopWorks(): Promise<void> {
    this.#isDraining = true;
    const reason = new DOMException("Shard 0 is let go", "AbortError");
    const running = [...this.#works].flatMap(({ current }) => current ?? []);
    for (const { stop } of running) stop.abort(reason);
    await Promise.all(running.map(({ done }) => done));
  }

  #resumeWorks(): void {
    this.#isDraining = false;
    for (const work of this.#works) work.term = undefined;
    this.#beginWorks();
  }
}

/** A note that a stranger has changed counts as absent. */
function readTimes(text = ""): TaskTimes {
  const [begun, ended] = text.split(" ").map(Date.parse).map((time) => Number.isNaN(time) ? undefined : time);
  return begun === undefined ? {} : { begun, ended };
}

function writeTimes({ begun, ended }: TaskTimes): string {
  return [begun, ended].flatMap((time) => time === undefined ? [] : [formatTimestamp(time)]).join(" ");
}
