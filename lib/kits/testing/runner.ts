/**
 * Runs an operator in a test: on a cluster in the process, with no threads, sleeps or sockets, or on a real one.
 */

import { fixedCredentials, type Impersonation } from "../../client/auth/connection_info.ts";
import "./loaded_modules.ts";
import type { HandlerCall } from "../../engines/calls.ts";
import type { LedgerRecord } from "../../engines/ledger.ts";
import { boundToHandler, currentArguments, currentHandler } from "../../execution/invoke.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ObjectReference, Referable } from "../../model/references.ts";
import type { Address, Api } from "../../operator/api.ts";
import type { RunOptions } from "../../operator/run_options.ts";
import type { ResourceType } from "../../registry/resource.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import { createLogger, type Logger, type LogLevel, type LogRecord } from "../../runtime/logging.ts";
import { type GlobalName, takeOverGlobals } from "../../runtime/virtual/globals.ts";
import { Administrator } from "./administrator.ts";
import { type Cluster, connectionOf, type ServedCluster } from "./connection.ts";
import type { Expected } from "./expectations.ts";
import { applyAll, type Manifests } from "./manifests.ts";
import { MOST_REMEMBERED, Remembered } from "./remembered.ts";
import { ReplicaWorld, type TestReplica } from "./replica.ts";
import { OWN, realTimerAdvice, report } from "./report.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { isVirtual, type RunTime, timeOf } from "./time.ts";
import { addressOf, untilObject, type UntilOptions, untilTrue } from "./waiting.ts";

export type { UntilOptions } from "./waiting.ts";

/** An operator, whatever its memo. */
export interface Runnable {
  /** Runs it. */
  run(options?: RunOptions<never>): Promise<void>;
  /** The story of each object. */
  readonly ledger?: { of(object: Referable): LedgerRecord | undefined };
}

/**
 * How to start an operator in a test: the options of `op.run()`, but for host, logger, signal, credentials, memo and `onCall`.
 */
export interface StartOptions
  extends Omit<RunOptions, "host" | "logger" | "signal" | "credentials" | "memo" | "onCall" | "replicas"> {
  /** The beginning of each object's `memo`. Default: the operator's own. */
  readonly memo?: object;
  /** The cluster that it talks to. */
  readonly cluster: Cluster;
  /**
   * How many replicas run, each with a clock and a network of its own: in a cluster in the process. The operator is given as a
   * function that makes one, as each process has its own. Default: one operator, without Leases.
   */
  readonly replicas?: number;
  /**
   * As whom it does, such as "system:serviceaccount:default:operator"; where roles count, it may do what that user may.
   * Default: the administrator.
   */
  readonly user?: string | Impersonation;
  /**
   * Which of the runtime's own globals are the run's inside of handlers, in a cluster in the process: "timers" (`setTimeout`,
   * `setInterval`, `AbortSignal.timeout`, `performance.now`), "Date", "fetch" (to the cluster, and to hosts that the test
   * routes in the host's network); true: all. Functions imported from `node:timers` stay real. Default: none.
   */
  readonly globals?: boolean | readonly GlobalName[];
  /** The least level that is recorded in `logs`. Default: "debug". */
  readonly level?: LogLevel;
  /** Whether the runner's methods throw the error that the operator failed with; else it is in `failure` only. Default: true. */
  readonly reraise?: boolean;
  /** How long `stop()` waits for the operator's end. Default: an hour; 30 seconds on a real cluster. */
  readonly timeout?: Seconds;
  /**
   * How many log lines, and how many calls, are remembered. Of more, the older half is forgotten, and a line of the logger
   * "lotse.testing" says so. Default: 100,000.
   */
  readonly remembered?: number;
}

/** The arguments of `until()` for an object. */
type ObjectCondition = readonly [
  kind: ResourceType<unknown, unknown>,
  which: string | Address,
  expected: Expected<unknown, unknown>,
  options?: UntilOptions,
];

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const GLOBALS: readonly GlobalName[] = ["timers", "Date", "fetch"];

/**
 * Starts an operator, and lets everything run until all work waits for time to pass.
 *
 * @throws The error of `op.run()`.
 */
export async function start(op: Runnable | (() => Runnable), options: StartOptions): Promise<Runner> {
  const runner = new Runner(op, options);
  await runner.started();
  return runner;
}

/** An operator that runs, and the hands on its clock. */
export class Runner implements AsyncDisposable {
  /** The world of the operator; in the process, of the cluster, too. */
  readonly host: Host;
  /** All log lines so far; of very many, the newest. */
  readonly logs: LogRecord[];
  /** All calls of handlers so far, in the order of their beginning; of very many, the newest. */
  readonly calls: HandlerCall[];
  /** Objects of the cluster, by its administrator: all that `op.api` has. */
  readonly api: Api;
  readonly #replicas: TestReplica[] = [];
  readonly #ops: Runnable[] = [];
  readonly #admin: Administrator;
  readonly #time: RunTime;
  readonly #processes: Process[] = [];
  /** Begins another process with an operator of its own. */
  readonly #launch: () => void;
  readonly #synced = Promise.withResolvers<void>();
  readonly #logger: Logger;
  readonly #globals: Disposable | undefined;
  readonly #realTimers = new Map<string, string>();
  readonly #began: number;
  readonly #reraise: boolean;
  readonly #timeout: Seconds | undefined;
  #failure: { readonly error: unknown; told: boolean } | undefined;

  /** Starts it. */
  constructor(op: Runnable | (() => Runnable), options: StartOptions) {
    checkStart(op, options);
    const { cluster, level = "debug", reraise = true, timeout, globals = false, user, ...rest } = options;
    const { remembered = MOST_REMEMBERED, replicas: count, ...runOptions } = rest;
    const { host } = cluster;
    const logs = new Remembered<LogRecord>(remembered, (count) => this.#forget(`${count} log lines`));
    const calls = new Remembered<HandlerCall>(remembered, (count) => this.#forget(`${count} calls`));
    this.logs = logs.items;
    this.calls = calls.items;
    this.host = host;
    const make = typeof op === "function" ? op : () => op;
    this.#reraise = reraise;
    this.#timeout = timeout;
    this.#began = this.#now();
    this.#admin = new Administrator(cluster);
    this.api = this.#admin.api;
    this.#time = timeOf(host, () => logs.count + calls.count);
    this.#logger = createLogger({ level, write: (record) => logs.add(record) }, host.clock);
    this.#globals = this.#takeOver(globals);
    const impersonate = typeof user === "string" ? { user } : user;
    const way = connectionOf(cluster);
    this.#launch = () => {
      const runnable = make();
      // Checked: replicas live in a cluster in the process.
      const world = count === undefined
        ? undefined
        : new ReplicaWorld(cluster as ServedCluster, this.#processes.length);
      const own = new Remembered<HandlerCall>(remembered, () => {});
      const controller = new AbortController();
      const process: Process = {
        world,
        controller,
        calls: own.items,
        isRunning: true,
        run: Promise.resolve(),
      };
      this.#ops.push(runnable);
      this.#processes.push(process);
      if (world !== undefined) this.#replicas.push(replicaOf(process));
      const all = {
        ...runOptions,
        scope: runOptions.scope ?? "cluster",
        replicas: count === undefined ? false : REPLICAS,
        host: world?.host ?? host,
        logger: this.#logger,
        credentials: fixedCredentials({ ...way, ...world && { server: world.server }, impersonate }),
        signal: controller.signal,
        synced: () => {
          this.#synced.resolve();
          runOptions.synced?.();
        },
        onCall: (call: HandlerCall) => {
          if (call.outcome !== undefined) return;
          calls.add(call);
          if (count !== undefined) own.add(call);
        },
      };
      // Whether the memo has the operator's type is for the test to know.
      process.run = runnable.run(all as RunOptions<never>)
        .catch((error) => {
          this.#failure = { error, told: false };
        })
        .finally(() => {
          process.isRunning = false;
          this.#synced.resolve();
        });
    };
    for (let number = 0; number < (count ?? 1); number++) this.#launch();
  }

  /** The replicas, in the order of their beginning; none where `replicas` was not given. */
  get replicas(): readonly TestReplica[] {
    return this.#replicas;
  }

  /**
   * Starts another replica, as a Deployment does that is scaled up or updated: it is the last of `replicas` from now on.
   *
   * @throws {TypeError} Where `replicas` was not given.
   */
  addReplica(): TestReplica {
    if (this.#replicas.length > 0) this.#launch();
    const replica = this.#replicas.at(-1);
    if (replica !== undefined) return replica;
    throw new TypeError("Cannot add a replica to a run without replicas: start it with `replicas`");
  }

  /** Whether the operator has not ended. */
  get isRunning(): boolean {
    return this.#processes.some(isAlive);
  }

  /** The error that the operator failed with; undefined if it runs, or has ended well. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  /** With which code `lotse run` would have ended; undefined while the operator runs. */
  get exitCode(): number | undefined {
    if (this.isRunning) return undefined;
    return this.#failure === undefined ? 0 : 1;
  }

  /** The story of each object: the causes that woke it, which handlers were called or not and why, and the writes. */
  get ledger(): { of(object: Referable): LedgerRecord | undefined } {
    return {
      of: (object) => {
        for (const op of this.#ops) {
          const record = op.ledger?.of(object);
          if (record !== undefined) return record;
        }
      },
    };
  }

  /** Waits for the operator's beginning; `start()` has done it. @throws The error that the operator failed with. */
  async started(): Promise<void> {
    if (!isVirtual(this.host)) await this.#synced.promise;
    await this.settle();
  }

  /**
   * Lets everything run, without time passing; on a real cluster, until no line was logged for a second.
   *
   * @throws The error that the operator failed with.
   */
  async settle(): Promise<void> {
    await this.#time.settle();
    this.#check();
  }

  /**
   * Lets time pass, timer by timer.
   *
   * @throws {TypeError} On a real cluster, whose clock cannot be wound.
   * @throws The error that the operator failed with.
   */
  async advance(seconds: Seconds): Promise<void> {
    await this.#time.advance(seconds);
    this.#check();
  }

  /**
   * Lets time pass until the condition returns a true value, and resolves to that. An error of the condition counts as "not yet".
   *
   * @throws {Error} If it does not come; the message tells the state that was seen last.
   * @throws The error that the operator failed with.
   */
  until<Result>(condition: () => Result | Promise<Result>, options?: UntilOptions): Promise<Result>;
  /**
   * Lets time pass until an object is as expected, and resolves to it; where it is to be gone, to undefined.
   *
   * @param which Its address, or "namespace/name", or its name: of a kind with namespaces, in the namespace "default".
   * @throws {TypeError} At once if no object can ever be as expected, or have such an address.
   * @throws {Error} If it does not come; the message tells the state that was seen last.
   * @throws The error that the operator failed with.
   */
  until<Spec, Status, Expectation extends Expected<Spec, Status>>(
    kind: ResourceType<Spec, Status>,
    which: string | Address,
    expected: Expectation,
    options?: UntilOptions,
  ): Promise<Expectation extends "gone" ? undefined : ObjectOf<Spec, Status>>;
  async until(...args: readonly unknown[]): Promise<unknown> {
    const { client } = this.#admin;
    const time = this.#time;
    const check = (): void => this.#check();
    const tell = (reference?: ObjectReference): string[] => this.#report(reference);
    const [first, second] = args;
    if (typeof first === "function") {
      // The overloads say which arguments there are.
      const { within } = (second ?? {}) as UntilOptions;
      return await untilTrue(first as () => unknown, { client, time, check, tell, within });
    }
    const [kind, which, expected, { within } = {}] = args as ObjectCondition;
    return await untilObject({ kind, which, expected }, { client, time, check, tell, within });
  }

  /** The ids of the handlers that have succeeded on an object, in the order of their calls. */
  handled(which: string | Address): string[] {
    const wanted = addressOf(which);
    return this.calls.filter(({ object, outcome }) => outcome === "success" && isAbout(object, wanted)).map((
      { handler },
    ) => handler);
  }

  /**
   * Applies objects (server-side), definitions first: files, folders, texts of YAML, objects.
   *
   * @throws {Error} If a file cannot be read, the cluster knows no such kind, or refuses an object.
   */
  async apply(manifests: Manifests): Promise<KubeObject[]> {
    return await applyAll(manifests, this.#admin);
  }

  /**
   * Returns all objects of some kinds without fields that differ from run to run (uid, versions, times of the server), by kind
   * and name, such as "ConfigMap default/one": to be compared as a whole, or with a file.
   */
  async snapshot(...kinds: readonly ResourceType<unknown, unknown>[]): Promise<Snapshot> {
    return await takeSnapshot(this.api, kinds);
  }

  /** The messages of all lines so far, of one level if one is given. */
  messages(level?: LogLevel): string[] {
    return this.logs.filter((record) => level === undefined || record.level === level).map(({ message }) =>
      message
    );
  }

  /** Stops the operator gracefully, and waits until it has ended. @throws The error that the operator failed with. */
  async stop(): Promise<void> {
    const alive = this.#processes.filter(isAlive);
    for (const { world, controller } of alive) {
      world?.rejoin();
      controller.abort();
    }
    const ended = Promise.all(alive.map(({ run }) => run));
    // An until() without an await, such as one of several in a Promise.all() that failed, goes on to its end.
    await Promise.race([ended, this.#time.unwound()]);
    if (this.isRunning) await this.#time.until(() => !this.isRunning, this.#timeout ?? this.#time.timeout);
    await ended;
    this.#globals?.[Symbol.dispose]();
    this.#admin[Symbol.dispose]();
    this.#check();
  }

  /** Stops it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #report(reference: ObjectReference | undefined): string[] {
    const { calls, logs, ledger } = this;
    const { namespace: _, ...elsewhere } = reference ?? {};
    const record = reference && (ledger.of(referable(reference)) ?? ledger.of(referable(elsewhere)));
    const now = this.#now();
    return report({ calls, logs, record, realTimers: this.#realTimers, began: this.#began, now });
  }

  /** The present time, in milliseconds since 1970; reports show times since the beginning of the run. */
  #now(): number {
    return this.host.clock.now();
  }

  #takeOver(globals: boolean | readonly GlobalName[]): Disposable | undefined {
    const { host } = this;
    // On a real host, the run uses the runtime's own globals already.
    if (!isVirtual(host)) return undefined;
    const { clock, network } = host;
    return takeOverGlobals({
      clock,
      network,
      taken: new Set(globals === true ? GLOBALS : globals === false ? [] : globals),
      isInside: () => clockOf(currentArguments()) === clock,
      bind: boundToHandler,
      onRealTimer: (name) => this.#noteRealTimer(name),
    });
  }

  #forget(what: string): void {
    const message = "The oldest are forgotten: a runner remembers as many as its `remembered` says";
    const { host: { clock }, logs } = this;
    logs.unshift({ level: "warn", logger: OWN, message, fields: { forgotten: what }, time: clock.now() });
  }

  #noteRealTimer(name: string): void {
    const handler = currentHandler();
    if (handler === undefined || this.#realTimers.has(handler)) return;
    this.#realTimers.set(handler, name);
    this.#logger.child({ name: OWN }).warn(realTimerAdvice(handler, name));
  }

  #check(): void {
    if (this.#failure === undefined || this.#failure.told || !this.#reraise) return;
    this.#failure.told = true;
    throw this.#failure.error;
  }
}

/** One run of an operator, and its surroundings. */
interface Process {
  /** Undefined: it lives in the cluster's world. */
  readonly world: ReplicaWorld | undefined;
  readonly controller: AbortController;
  readonly calls: readonly HandlerCall[];
  isRunning: boolean;
  run: Promise<void>;
}

/** The Leases of replicas in tests. */
const REPLICAS = { name: "operator", namespace: "default" };

function isAlive({ isRunning, world }: Process): boolean {
  return isRunning && world?.isKilled !== true;
}

function replicaOf(process: Process): TestReplica {
  const { world, controller, calls } = process;
  return {
    calls,
    get isRunning() {
      return isAlive(process);
    },
    kill: () => world?.kill(),
    suspend: (seconds, options) => world?.suspend(seconds, options),
    stepClock: (seconds) => world?.stepClock(seconds),
    isolate: () => world?.isolate(),
    rejoin: () => world?.rejoin(),
    stop: () => controller.abort(),
  };
}

/** @throws {TypeError} If replicas are asked for where there can be none. */
function checkReplicas(op: Runnable | (() => Runnable), { replicas, cluster, globals }: StartOptions): void {
  if (replicas === undefined) return;
  if (!Number.isInteger(replicas) || replicas < 1) {
    throw new TypeError(`Cannot start with \`replicas\` ${replicas}: it is a whole number, 1 or more`);
  }
  if (typeof op !== "function") {
    throw new TypeError(
      "Cannot start replicas of one operator: give a function that makes one, as each process has its own",
    );
  }
  if (!isVirtual(cluster.host)) {
    throw new TypeError("Cannot start replicas on a real cluster: take testCluster(), or run processes");
  }
  if (globals !== undefined && globals !== false) {
    throw new TypeError("Cannot take over globals for replicas: use the `clock` of handlers");
  }
}

/** @throws {TypeError} If it has no cluster, or names globals that are not taken over. */
function checkStart(op: Runnable | (() => Runnable), options: StartOptions): void {
  const { cluster, globals = false, level = "debug", ...numbers }: Partial<StartOptions> = Object(options);
  if (cluster?.host === undefined) {
    throw new TypeError("Cannot start without a cluster: give `cluster` what testCluster() resolves to");
  }
  const names: readonly string[] = typeof globals === "boolean" ? [] : [globals].flat();
  const unknown = names.find((name) => !GLOBALS.some((known) => known === name));
  if (unknown !== undefined) {
    throw new TypeError(`Cannot take over "${unknown}": known are ${GLOBALS.join(", ")}`);
  }
  checkReplicas(op, options);
  if (!LEVELS.includes(level)) {
    throw new TypeError(`Cannot record lines of level "${level}": known are ${LEVELS.join(", ")}`);
  }
  for (const name of ["timeout", "remembered"] as const) {
    const value: unknown = numbers[name];
    if (value === undefined || (typeof value === "number" && value > 0)) continue;
    throw new TypeError(`Cannot start with \`${name}\` ${value}: it is a number above 0`);
  }
}

function clockOf(args: unknown): unknown {
  return typeof args === "object" && args !== null && "clock" in args ? args.clock : undefined;
}

function referable({ kind, name, namespace }: ObjectReference): Referable {
  return { kind, metadata: { name, namespace } };
}

/** Cluster-scoped objects have no namespace, whichever is asked for. */
function isAbout(object: ObjectReference | undefined, { namespace, name }: Address): boolean {
  if (object?.name !== name) return false;
  return object.namespace === undefined || namespace === undefined || object.namespace === namespace;
}
