/**
 * An operator: its declared handlers, and how to run it.
 */

import { type ApiClass, makeApiClient } from "../client/api_classes.ts";
import type { LedgerRecord } from "../engines/ledger.ts";
import { CustomMetrics, type MetricsMaker } from "../engines/metrics/custom.ts";
import { detectIdentity } from "../engines/peering/peering.ts";
import { asap, type Lifecycle } from "../execution/lifecycle.ts";
import type { Referable } from "../model/references.ts";
import type { PlainMemo } from "../handlers/arguments.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import type { DeclaredHandler } from "../registry/declared.ts";
import { isAlike } from "../handlers/exchange.ts";
import { toIdle } from "../handlers/idle_handlers.ts";
import { type Declare, declareInto, type On } from "../handlers/on.ts";
import type { DeclareIndex } from "../handlers/index/index_handler.ts";
import { Registry } from "../handlers/registry.ts";
import type { DeclareOwns, DeclareWatches } from "../handlers/reconcile/source_handler.ts";
import { type DeclareCache, declareCache } from "../handlers/cache.ts";
import type { TriggerTarget } from "../handlers/reconcile/targets.ts";
import type { DeclareTask } from "../handlers/task/task_handler.ts";
import { pointTo } from "../runtime/call_site.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Host } from "../runtime/host.ts";
import { textSink } from "../runtime/log_format.ts";
import { toError } from "../execution/errors.ts";
import { isTraced } from "../runtime/context.ts";
import { contextLogger, createLogger, guardedLogger, type Logger } from "../runtime/logging.ts";
import { type Persistence, reservedNames } from "../settings/persistence/storage.ts";
import {
  defaultSettings,
  mergeSettings,
  type Settings,
  type SettingsOverrides,
} from "../settings/settings.ts";
import { createEvents, type Events } from "./events.ts";
import type { Extras } from "./extras.ts";
import { type Api, type ApiSource, createApi } from "./api.ts";
import { createOffload, type Offload } from "./offload.ts";
import type { OperatorRun } from "./operator_run.ts";
import { CacheView } from "./cache_view.ts";
import type { RunningOptions } from "./components.ts";
import { type CurrentRun, runOperator } from "./run.ts";
import type { Explanation, Question } from "./why.ts";
import {
  checkRunOptions,
  replicasOf,
  type ReplicasOption,
  type RunOptions,
  settingsOf,
} from "./run_options.ts";

/** Settings of an operator; a setting that is left out keeps its default. */
export interface OperatorOptions<Memo extends object = PlainMemo>
  extends Omit<SettingsOverrides, "persistence" | "replicas"> {
  /**
   * Whether several replicas share the objects: true, or settings such as `{ name: "bakery", shards: 8 }`. Default: this process
   * is the only one.
   */
  readonly replicas?: ReplicasOption;
  /** Where notes are kept on objects. Default: annotations under "lotse.dev". */
  readonly persistence?: Persistence | SettingsOverrides["persistence"];
  /** Which of several handlers run in one go. Default (and null): `asap`. */
  readonly lifecycle?: Lifecycle | null;
  /** The beginning of each object's `memo`: a shallow copy of this. */
  readonly memo?: Readonly<Memo>;
  /**
   * Applies the CustomResourceDefinitions of the kinds with schemas at the start, unless that would lose stored data, and
   * moves objects into the version in which they are to be stored. Default: definitions are applied by other means, such as
   * kubectl.
   */
  readonly crds?: "apply";
}

/** Declares handlers by `on`, and runs them by `run()`. `Memo` is the type of the `memo` that handlers see. */
export class Operator<Memo extends object = PlainMemo> {
  /** Declares handlers of causes and events. */
  readonly on: On<Memo>;
  /** Declares a function that brings everything in line with an object, and is called whenever that may be needed. */
  readonly reconcile: Declare<"reconcile", Memo>;
  /**
   * Declares that objects of one kind own objects of another: changes of the owned objects wake the reconciles of their owners.
   */
  readonly owns: DeclareOwns;
  /** Declares that changes of a kind's objects wake the reconciles of others, which a function names. */
  readonly watches: DeclareWatches;
  /** Declares a cache: a kind's objects as the operator knows them, to look them up without a request. */
  readonly cache: DeclareCache;
  /** Declares an index of a kind's objects: a map that is kept up to date in memory. */
  readonly index: DeclareIndex<Memo>;
  /** Declares a function that runs as long as an object is there: once, in the background. */
  readonly daemon: Declare<"daemon", Memo>;
  /** Declares a function that runs every now and then as long as an object is there. */
  readonly timer: Declare<"timer", Memo>;
  /** Declares a task of the operator itself, that runs every now and then, or at times of a cron expression. */
  readonly every: DeclareTask<Memo>;
  /** Makes metrics of one's own, which are served with the operator's. */
  readonly metrics: MetricsMaker;
  /** Calls a module's function in a worker, for work that takes a core for long. */
  readonly offload: Offload;
  /** Other objects, for handlers; while the operator runs. */
  readonly api: Api;
  /** Kubernetes events about objects, for handlers; while the operator runs. */
  readonly events: Events;
  /** The operator's own memo, which startup handlers may fill. Each object's begins with a shallow copy of it. */
  readonly memo: Memo;
  /** Whether the definitions of its own kinds are applied at the start. */
  readonly crds: "apply" | undefined;
  readonly #extras: Extras;
  readonly #metrics = new CustomMetrics();
  readonly #registry: Registry;
  readonly #settings: Settings;
  #lifecycle: Lifecycle | undefined;
  /** The run that goes on, or the last one. */
  #current: CurrentRun = {};

  /**
   * Begins with no handlers. Operators are made by `operator()`, which knows the kits.
   *
   * @ignore
   * @throws {TypeError} If a setting is unknown or of the wrong type.
   */
  constructor(options: OperatorOptions<Memo>, extras: Extras) {
    const { lifecycle = null, memo, crds, replicas, ...overrides } = options;
    if (crds !== undefined && crds !== "apply") {
      throw new TypeError(`Cannot make an operator with crds "${crds}": take "apply", or leave it out`);
    }
    this.crds = crds;
    this.#extras = extras;
    this.#settings = mergeSettings(defaultSettings(), { ...overrides, replicas: replicasOf(replicas) });
    // An author who names a type promises that it holds by the time that handlers look, at the latest by startup handlers.
    this.memo = { ...memo } as Memo;
    this.lifecycle = lifecycle;
    this.#registry = new Registry(
      (id) => this.settings.persistence.progress.keys(id),
      () => reservedNames(this.settings.persistence),
    );
    const { on, reconcile, owns, watches, index, daemon, timer, every } = declareInto<Memo>(this.#registry);
    this.on = on;
    this.reconcile = reconcile;
    this.owns = owns;
    this.cache = declareCache(this.#registry, (handler) =>
      new CacheView(handler, () => {
        const { serving } = this.#current;
        return serving && { caches: serving.caches, logger: serving.api.logger };
      }));
    this.watches = watches;
    this.index = index;
    this.daemon = daemon;
    this.timer = timer;
    this.every = every;
    this.metrics = this.#metrics;
    this.offload = createOffload(
      () => this.#current.serving?.api.host ?? currentHost(),
      () => this.settings.execution.maxWorkers,
    );
    this.api = createApi(() => this.#connected());
    this.events = createEvents(() => {
      const poster = this.#current.serving?.poster;
      return poster && { poster, settings: this.settings.posting };
    });
  }

  /**
   * All settings. May be changed until the operator runs; while it runs, the settings of the run: its options and its startup
   * handlers may have changed them.
   */
  get settings(): Settings {
    return this.#current.settings ?? this.#settings;
  }

  /** Which of several handlers run in one go; setting null brings the default back. */
  get lifecycle(): Lifecycle {
    return this.#lifecycle ?? asap;
  }
  set lifecycle(value: Lifecycle | null) {
    if (value !== null && typeof value !== "function") {
      throw new TypeError(
        `Cannot take ${JSON.stringify(value)} for a lifecycle: take one of \`lifecycles\`, or a function`,
      );
    }
    this.#lifecycle = value ?? undefined;
  }

  /**
   * Says why an object is, or is not, handled: in words, and with the latest looks at it. `lotse why` asks the same.
   *
   * @throws {TypeError} If the operator does not run, or the question names no kind.
   */
  why(question: Question): Explanation {
    const { serving } = this.#current;
    if (serving === undefined) {
      throw new TypeError("Cannot say why: the operator is not running, or has not logged in yet");
    }
    return serving.explain(question);
  }

  /** Whether no handler was declared. */
  get isEmpty(): boolean {
    return this.#registry.isEmpty;
  }

  /** The handlers of objects that were declared so far, for tools such as `lotse generate`. */
  get declared(): readonly DeclaredHandler[] {
    return declaredIn(this.#registry);
  }

  /**
   * Forgets all declarations, so that files can declare anew.
   *
   * A run in progress keeps the handlers that were declared when it began.
   */
  reset(): void {
    this.#registry.clear();
  }

  /**
   * The record of objects in the run that goes on, or in the last one: the causes that woke them, which handlers matched or not
   * and why, the writes, and the waits. The latest ten reconciles of each of the latest two thousand objects.
   */
  get ledger(): { of(object: Referable): LedgerRecord | undefined } {
    return { of: (object) => this.#current.ledger?.of(object) };
  }

  /**
   * Has an object reconciled now: one that `op.reconcile` is for, named by itself or by its address, from anywhere. The
   * reason is among the `reasons` of the reconcile. Returns whether there is such an object.
   *
   * @throws {TypeError} If the operator does not run, or no object is named.
   */
  trigger(target: TriggerTarget, reason?: string): boolean {
    try {
      return this.#serving().controller.triggers.trigger(target, { kind: "trigger", reason });
    } catch (error) {
      pointTo(error, Operator.prototype.trigger);
      throw error;
    }
  }

  /**
   * Makes a client of one of the official client's API classes, such as `CoreV1Api`, which you import.
   *
   * Its requests go the way of all others, with the operator's credentials, retries and timeouts; while the operator runs.
   * It throws the official client's `ApiException` where the server refuses.
   */
  makeApiClient<ApiOfClass>(Class: ApiClass<ApiOfClass>): ApiOfClass {
    return makeApiClient(Class, () => this.#connected().client.transport);
  }

  /**
   * Runs the operator until the signal aborts, and stops it in order. A later declaration counts for the next run.
   *
   * Several operators may run at the same time; one operator runs once at a time, and any number of times in a row.
   *
   * @throws {ActivityError} If a startup or cleanup handler fails.
   * @throws {LoginError} If there is no way into a cluster, or none any more.
   * @throws {ApiError} If discovery fails.
   * @throws {TypeError} If it is running already, or an option or setting is unknown or of the wrong type.
   */
  async run(options: RunOptions<Memo> = {}): Promise<void> {
    await this.#begin(options, { registry: this.#registry.copy(), crds: this.crds });
  }

  /**
   * Runs the operator with handlers that do nothing, for tools that measure what objects cost. Filters, indexes and caches are the
   * author's; startup, cleanup and login handlers, tasks and admission are left out, and no definition is applied.
   *
   * @ignore
   */
  async runIdle(options: RunOptions<Memo> = {}): Promise<void> {
    await this.#begin(options, { registry: this.#registry.copy(toIdle), crds: undefined });
  }

  async #begin(options: RunOptions<Memo>, running: Pick<RunningOptions, "registry" | "crds">): Promise<void> {
    try {
      checkRunOptions(options);
      if (this.#current.settings !== undefined) {
        throw new TypeError(
          "Cannot run an operator that is running: wait until it has stopped, or make another",
        );
      }
      this.#current = { settings: this.#settings };
    } catch (error) {
      pointTo(error, Operator.prototype.run);
      throw error;
    }
    const current = this.#current;
    try {
      current.settings = await settingsOf(this.#settings, options);
      await this.#run(options, { current, ...running });
    } finally {
      current.settings = undefined;
    }
  }

  async #run(
    options: RunOptions<Memo>,
    { current, ...running }: Pick<RunningOptions, "registry" | "crds"> & { readonly current: CurrentRun },
  ): Promise<void> {
    const { host = currentHost(), scope } = options;
    const given = options.logger === undefined
      ? defaultLogger(host)
      : guardedLogger(options.logger, reportOnce(host));
    const named = this.#registry.servesSeveral ? given.child({ namesKinds: true }) : given;
    const logger = isTraced() ? await withSpans(named) : named;
    await runOperator({
      host,
      namespaces: scope === undefined || scope === "cluster" ? undefined : [...new Set(scope)],
      logger,
      ...running,
      settings: this.settings,
      lifecycle: () => this.lifecycle,
      identity: options.identity ?? detectIdentity(host),
      // The layers below hand it on, whatever it holds.
      memo: (options.memo === undefined ? this.memo : { ...options.memo }) as PlainMemo,
      signal: options.signal ?? new AbortController().signal,
      credentials: options.credentials,
      kubeconfig: options.kubeconfig,
      context: options.context,
      liveness: options.liveness,
      handlesStrayErrors: options.strayErrors === "handle",
      recordRights: options.recordRights,
      selfCheck: options.selfCheck,
      questions: options.questions,
      logLevels: options.logLevels,
      release: options.release,
      onCall: options.onCall,
      customMetrics: () => this.#metrics.text(),
      ready: () => {
        if (scope === undefined) warnOfScope(logger);
        options.ready?.();
      },
      synced: () => options.synced?.(),
    }, { current, extras: this.#extras });
  }

  /**
   * Goes on with the handlers of another operator, in the run that goes on: watches, caches and queues stay, and so do daemons
   * and timers whose code has not changed. For tools that load files anew, as `lotse dev` does.
   *
   * Resolves to false, without any change, where the exchange takes another run: settings, startup or login handlers, indexes or
   * admission handlers are others, or this operator does not run.
   */
  async exchange(next: Operator<Memo>): Promise<boolean> {
    const { serving } = this.#current;
    if (serving === undefined || !(#registry in next)) return false;
    if (this.crds !== undefined || !isAlike(this.#frame(), next.#frame())) return false;
    // NB: the new handlers may be called from now on, and use the API of `next`, the operator that declared them.
    const before = next.#current;
    next.#current = this.#current;
    const isDone = await serving.exchange(next.#registry.copy());
    if (!isDone) next.#current = before;
    return isDone;
  }

  /** The things besides handlers that a run is made with. */
  #frame(): readonly unknown[] {
    const settings = this.#settings;
    const { progress } = settings.persistence;
    return [
      settings,
      reservedNames(settings.persistence),
      progress.keys("id"),
      this.#lifecycle,
      this.memo,
      this.crds,
    ];
  }

  #connected(): ApiSource {
    return this.#serving().api;
  }

  #serving(): OperatorRun {
    const { serving } = this.#current;
    if (serving !== undefined) return serving;
    throw new TypeError("Cannot reach the API: the operator is not running (call it from handlers only)");
  }
}

/** Tells whether a value is an operator, of whichever copy of this package. */
export function isOperator(value: unknown): value is Operator {
  return typeof value === "object" && value !== null && "on" in value && "run" in value &&
    typeof value.run === "function";
}

/** Whoever means the whole cluster says so. Scenario: B257. */
/** Lines that are written inside of a span have its ids. */
async function withSpans(logger: Logger): Promise<Logger> {
  const { activeSpanContext } = await import("../engines/tracing.ts");
  return contextLogger(logger, activeSpanContext);
}

function warnOfScope(logger: Logger): void {
  logger.warn("No namespaces are named: the whole cluster is served", {
    hint: 'say so with `scope: "cluster"` (--all-namespaces), or name some',
  });
}

/** Says once, where it cannot be overlooked, that the author's own logger throws: its lines are lost. */
function reportOnce(host: Host): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (isReported) return;
    isReported = true;
    defaultLogger(host).error("The given logger throws: its lines are lost", { error: toError(error) });
  };
}

function defaultLogger(host: Host): Logger {
  const sink = textSink({
    format: "plain",
    level: "info",
    write: (text) => host.process.write("stderr", text),
    color: host.process.isTerminal("stderr"),
  });
  return createLogger(sink, host.clock);
}
