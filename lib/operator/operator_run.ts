/**
 * The parts of one run that serve, built once, each after the parts that it points at, and stopped in order.
 *
 * Two passive things come first, the gates and the work queue; so no part needs a closure over a later one. Informers stop
 * first, then turns of objects get a little time to end, then handlers are told to stop, and handlers that do not listen are
 * left behind. Source: Kopf, docs/embedding.
 */

import { TaskGroup } from "../async/tasks.ts";
import { aborted, drained, withTimeout } from "../async/timeout.ts";
import type { Caches } from "../client/cache/caches.ts";
import type { Client } from "../client/client.ts";
import type { TransportOptions } from "../client/transport/transport.ts";
import { Controller } from "../controller/controller.ts";
import { barsOf, Leftovers, ShardTurns } from "../controller/shard_turns.ts";
import { postingLogger } from "../handlers/turn.ts";
import { type Queued, type TurnGates, turnLimiter, WorkQueue } from "../controller/work_queue.ts";
import { childrenMaker } from "../engines/children/children.ts";
import { Daemons } from "../handlers/background/daemons.ts";
import type { FailureWords } from "../engines/failures.ts";
import type { MetricSources } from "../engines/metrics/metrics.ts";
import { Peering } from "../engines/peering/peering.ts";
import { Poster } from "../engines/posting/poster.ts";
import type { Check } from "../engines/probing.ts";
import type { Fence } from "../execution/fence.ts";
import type { Subject } from "../execution/observer.ts";
import { ObjectWriter } from "../execution/object_writer.ts";
import { digestOf } from "../model/encoding.ts";
import { objectReference } from "../model/references.ts";
import type { Resource } from "../model/resource.ts";
import { BACKGROUND } from "../handlers/background/background_handler.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import { formatSelector } from "../model/selector.ts";
import type { Registry } from "../handlers/registry.ts";
import type { Seconds } from "../runtime/host.ts";
import { currentEssence } from "../settings/persistence/storage.ts";
import { Admission } from "./admission.ts";
import type { ApiSource } from "./api.ts";
import { apiSource } from "./api_source.ts";
import { type Components, createBrake, type RunningOptions, STARTING } from "./components.ts";
import { CrdWatch } from "./crd_watch.ts";
import { Informers } from "./informers.ts";
import { Namespaces } from "./namespaces.ts";
import { type LoadedReplicas, LONGEST_START, Responsibility } from "./responsibility.ts";
import { type Revised, Revisions } from "./revisions.ts";
import { explain, type Explanation, type Question } from "./why.ts";
import { whySources } from "./why_sources.ts";
import { waitForApiServer } from "./wait_for_api_server.ts";
import { WatchedResources } from "./watched_resources.ts";

/** How long daemons are waited for that were left behind. */
const LEFTOVERS: Seconds = 5;

/** How many objects of the queue are told. */
const MOST_QUEUED = 1000;

/** How many objects are named whose handlers are left behind. */
const MOST_NAMED = 10;

interface OperatorRunOptions {
  readonly client: Client;
  readonly components: Components;
  /** The way to the API server. */
  readonly transport: TransportOptions;
  /** Undefined: this run is the only one. */
  readonly replicas: LoadedReplicas | undefined;
}

/** One run, from the first request to the cluster on. */
export class OperatorRun {
  readonly client: Client;
  /** The API by which handlers reach other objects. */
  readonly api: ApiSource;
  readonly #options: RunningOptions;
  readonly #components: Components;
  /** Watches, and the other tasks that send requests by themselves. */
  readonly #watching: TaskGroup;
  /** Runs of daemons and timers. */
  readonly #background: TaskGroup;
  /** Aborts when the operator is to stop, although its signal has not aborted. */
  readonly #ended = new AbortController();
  readonly #responsibility: Responsibility;
  /** Objects whose handlers of an earlier term still run. */
  readonly #leftovers: Leftovers;
  readonly #queue: WorkQueue;
  readonly #revisions: Revisions;
  readonly #poster: Poster;
  readonly #writer: ObjectWriter;
  readonly #daemons: Daemons;
  readonly controller: Controller;
  readonly caches: Caches;
  readonly #namespaces: Namespaces;
  readonly #peering: Peering;
  readonly #watched: WatchedResources;
  readonly #crds: CrdWatch;
  readonly #informers: Informers;
  readonly #admission: Admission;
  readonly #shardTurns: ShardTurns;
  readonly #synced = Promise.withResolvers<void>();
  #isAnnounced = false;
  #isStarted = false;
  #isPosting = false;

  constructor(
    options: RunningOptions,
    { client, components, replicas, transport }: OperatorRunOptions,
  ) {
    this.client = client;
    this.#options = options;
    this.#components = components;
    this.caches = components.caches;
    const { host, logger, registry, settings } = options;
    const { gates, indexing, observer, work, metrics } = components;
    const { clock } = host;
    this.api = apiSource({ ...options, client, caches: this.caches });
    for (const warning of settings.persistence.warnings ?? []) logger.warn(warning);
    const onError = (error: unknown, task: string): void => logger.error("Task failed", { task, error });
    this.#watching = new TaskGroup({ onError });
    this.#background = new TaskGroup({ onError });
    this.#responsibility = this.#createResponsibility(replicas, transport);
    this.#leftovers = this.#createLeftovers();
    this.#queue = new WorkQueue({
      indexing,
      gates: this.#turnGates(),
      limiter: turnLimiter(settings.queueing.workerLimit ?? Infinity, clock),
      clock,
      tasks: work,
    });
    this.#revisions = new Revisions({
      clock,
      logger,
      tasks: this.#watching,
      repeats: !settings.scanning.disabled,
    });
    this.#poster = new Poster({
      client,
      clock,
      logger: logger.child({ name: "lotse.posting" }),
      settings: settings.posting,
      onResult: (result) => observer.eventPosted?.(result),
    });
    this.#writer = new ObjectWriter({
      client,
      clock,
      observer,
      settings: settings.persistence,
      fence: gates.fence,
    });
    this.#daemons = this.#createDaemons();
    this.controller = this.#createController();
    this.#queue.start(this.controller);
    components.stuckHandlers.attach(this.#queue);
    components.failures.attach((subject, words) => this.#postFailure(subject, words));
    const scanning = logger.child({ name: "lotse.scanning" });
    this.#namespaces = new Namespaces({
      client,
      host,
      settings,
      logger: scanning,
      patterns: options.namespaces,
      onChange: () => void this.#revisions.request(),
    });
    this.#peering = this.#createPeering();
    const { watching, persistence } = settings;
    this.#watched = new WatchedResources({ client, registry, logger, settings: watching, persistence });
    this.#crds = new CrdWatch({
      client,
      host,
      settings,
      tasks: this.#watching,
      logger: scanning,
      concerns: (group) => this.#watched.concerns(group) || this.#peering.concerns(group),
      revisions: this.#revisions,
    });
    this.#informers = this.#createInformers();
    this.#admission = this.#createAdmission();
    this.#shardTurns = this.#createShardTurns();
    (metrics ?? components.lateMetrics)?.attach(this.#metricSources());
  }

  /** The poster of Kubernetes events; undefined before and after the operator serves. */
  get poster(): Poster | undefined {
    return this.#isPosting ? this.#poster : undefined;
  }

  /** Serves until the operator is told to stop, and stops in order. @throws The error that has ended the operator. */
  async serve(): Promise<void> {
    const { signal } = this.#options;
    const { signal: failed } = this.#components.failed;
    this.#isPosting = true;
    try {
      const ending = aborted(AbortSignal.any([signal, failed, this.#ended.signal]));
      await Promise.race([this.#start(), ending]);
      await ending;
      if (failed.aborted) throw failed.reason;
    } finally {
      await this.#stop();
      // The events of the last handlers are still sent.
      await this.#poster.stop();
      this.#isPosting = false;
    }
  }

  /** Returns the checks of the operator's readiness, as they are now. */
  checks(): readonly Check[] {
    const { gates, indexing, stuckHandlers } = this.#components;
    const lists = [
      { name: "started", problem: this.#isStarted ? undefined : "the kinds are not known yet" },
      { name: "indexes", problem: indexing.problem },
      ...this.#informers.checks(),
    ];
    return [
      { name: "shutdown", problem: this.#options.signal.aborted ? "the operator is stopping" : undefined },
      ...this.#admission.relax(lists),
      stuckHandlers.check(),
      ...this.#responsibility.checks(),
      ...this.#admission.checks(),
      ...this.#peering.checks(gates.isPaused),
    ];
  }

  /** Returns the objects that have a turn, now or later: the running ones first, then the ones that wait, the longest first. */
  queued(): Queued {
    return this.#queue.list(MOST_QUEUED);
  }

  /** Says why an object is, or is not, handled. @throws {TypeError} If the question names no kind. */
  explain(question: Question): Explanation {
    return explain(
      whySources({
        options: this.#options,
        components: this.#components,
        caches: this.caches,
        controller: this.controller,
        queue: this.#queue,
        namespaces: this.#namespaces,
        informers: this.#informers,
        peering: this.#peering,
        responsibility: this.#responsibility,
        isStarted: this.#isStarted,
      }),
      question,
    );
  }

  /** Goes on with handlers that were loaded anew. Resolves to false, without any change, where the exchange takes another run. */
  async exchange(next: Registry): Promise<boolean> {
    const exchange = this.#options.registry.exchange(next);
    if (exchange === undefined) return false;
    await this.#revisions.request();
    const backgroundsOf = (resource: Resource) => this.#options.registry.of(resource).of(BACKGROUND);
    await this.#daemons.exchange({ ...exchange, backgroundsOf });
    this.controller.exchange(exchange);
    return true;
  }

  /** The last thing of all: tells other operators that this one has gone. Never rejects. */
  async leave(): Promise<void> {
    await this.#peering.leave({ isLast: this.#responsibility.isLast });
    await this.#responsibility[Symbol.asyncDispose]();
  }

  async #start(): Promise<void> {
    const { indexing, failed } = this.#components;
    this.#responsibility.start(this.#shardTurns, this.#kindNames());
    this.#revisions.start(() => this.#revise());
    this.#watching.start("pause", (stop) => this.#followPauses(stop));
    this.#watching.start("watch namespaces", (stop) => this.#namespaces.watch(stop));
    if (Object.keys(indexing.indices).length > 0) {
      this.#watching.start("report indexes", (stop) => indexing.report(stop));
    }
    await this.#namespaces.ready;
    await waitForApiServer(() => this.#revisions.run(), {
      ...this.#options,
      server: () => this.client.transport.server ?? "",
      signal: AbortSignal.any([this.#options.signal, failed.signal]),
    });
    this.#isStarted = true;
    indexing.release(STARTING);
    this.#watching.start("become able", (stop) => this.#becomeAble(stop));
    this.#admission.start();
    this.#crds.follow((kind) => this.#informers.relist(kind));
    this.#components.tasks.start(this.#responsibility.tasks);
  }

  /** Says that this replica can work, when its objects are listed and indexed; or cannot be for long, which may be so in all replicas. */
  async #becomeAble(signal: AbortSignal): Promise<void> {
    const { host: { clock } } = this.#options;
    const ready = this.#synced.promise.then(() => this.#components.indexing.gate.opened(signal));
    const late = Promise.withResolvers<void>();
    // The timer must not outlive the run.
    using _timer = clock.after(LONGEST_START, () => late.resolve());
    await Promise.race([ready, late.promise]);
    if (!signal.aborted) this.#responsibility.setAble(true);
  }

  /** Which turns must wait: for the gates, and with replicas for the shard of their object. */
  #turnGates(): TurnGates {
    const { gates } = this.#components;
    const { fence, settings } = this.#responsibility;
    if (settings === undefined) return gates;
    return { holds: (state) => gates.holds(state), bars: barsOf(fence, this.#leftovers) };
  }

  /** Undefined where there are no other replicas: then nothing asks it. */
  get #fence(): Fence | undefined {
    const { fence, settings } = this.#responsibility;
    return settings === undefined ? undefined : fence;
  }

  /** Finds out which resources are to be watched. */
  async #revise(): Promise<Revised> {
    const { registry, logger, ready } = this.#options;
    const resources = await this.#watched.watched();
    // An operator without object handlers has no peers. Peering is looked up after the kinds, so that where the server cannot
    // be reached, the log does not speak of peering to users without peers.
    if (registry.objectHandlers.length > 0) await this.#peering.revise();
    await this.#admission.openConversions();
    if (!this.#isAnnounced) {
      this.#isAnnounced = true;
      logger.info("Operator has started");
      ready();
    }
    this.#admission.revise();
    await this.#informers.revise(resources);
    return this.client.discovery.broken.size > 0 ? "partial" : "whole";
  }

  /** Stops daemons and timers while others are in the way. */
  async #followPauses(signal: AbortSignal): Promise<void> {
    const { peering } = this.#components.gates;
    while (await peering.closed(signal)) {
      await this.#daemons.pause();
      if (!await peering.opened(signal)) return;
      this.#daemons.resume();
    }
  }

  async #stop(): Promise<void> {
    const { settings: { queueing: { exitTimeout } }, logger, host: { clock } } = this.#options;
    const { gates, work, tasks } = this.#components;
    this.#admission.leave();
    await this.#responsibility.leave({ timeout: exitTimeout });
    using _leftovers = this.#leftovers;
    const released = this.#admission.stop();
    work.own("tasks", () => tasks.stop());
    // It also waits for requests to discovery, however long the server takes to answer.
    const watching = Promise.all([this.#watching.stop(), this.#peering.stopWatching()]);
    // The task that waits for it ends.
    this.#synced.resolve();
    if (!await withTimeout(watching, { clock, timeout: exitTimeout })) {
      logger.warn("The server does not answer: requests are left behind", { streams: this.#watching.size });
    }
    // Of replicas each answers reviews for longer than its handlers run.
    if (this.#responsibility.settings === undefined) await released;
    this.#queue.stop();
    using daemons = this.#daemons;
    const [isFinished] = await Promise.all([drained(work, { clock, timeout: exitTimeout }), daemons.exit()]);
    if (!isFinished) gates.stopHandlers();
    const areFinished = await Promise.all([
      drained(work, { clock, timeout: exitTimeout }),
      drained(this.#background, { clock, timeout: LEFTOVERS }),
    ]);
    gates.stopWrites();
    await released;
    if (areFinished.every(Boolean)) return;
    logger.warn("Some handlers do not stop: they are left behind", {
      objects: this.#queue.busy.slice(0, MOST_NAMED),
      background: this.#background.size,
    });
  }

  /** The kinds that handlers are declared for, as they name them. */
  #kindNames(): string[] {
    const { registry } = this.#options;
    return declaredIn(registry).map(({ selector }) => formatSelector(selector));
  }

  #createResponsibility(replicas: LoadedReplicas | undefined, transport: TransportOptions): Responsibility {
    const { host, logger, settings, release } = this.#options;
    const { gates, work: tasks } = this.#components;
    return new Responsibility({
      host,
      logger,
      settings,
      client: this.client,
      transport,
      replicas,
      gates,
      tasks,
      release: release?.version ?? "",
      observer: this.#components.observer,
      poster: () => this.poster,
    });
  }

  #createLeftovers(): Leftovers {
    const { host: { clock }, settings } = this.#options;
    return new Leftovers({
      clock,
      timeout: settings.replicas.drainTimeout,
      onFree: () => this.#queue.reopen(),
    });
  }

  #createShardTurns(): ShardTurns {
    const { host: { clock }, settings: { replicas: { shards, drainTimeout } } } = this.#options;
    return new ShardTurns({
      shards,
      clock,
      drainTimeout,
      controller: this.controller,
      queue: this.#queue,
      daemons: this.#daemons,
      poster: this.#poster,
      tasks: this.#components.work,
      leftovers: this.#leftovers,
    });
  }

  #createPeering(): Peering {
    const { host, settings, logger, identity } = this.#options;
    return new Peering({
      client: this.client,
      host,
      settings,
      logger: logger.child({ name: "lotse.peering" }),
      // Replicas are one peer: they share a record, and do not pause for each other.
      identity: this.#responsibility.peer ?? identity,
      namespaces: () => this.#namespaces.served,
      gates: this.#components.gates.peering,
    });
  }

  /** With `posting.loggers` the lines about failures are posted already. */
  #postFailure(subject: Subject, words: FailureWords): void {
    const { enabled, failures, loggers } = this.#options.settings.posting;
    if (!enabled || !failures || loggers) return;
    this.#poster.post(objectReference(subject.body), { type: "Warning", ...words });
  }

  #createInformers(): Informers {
    const { host, logger, registry, settings, synced } = this.#options;
    const { caches, gates, indexing, observer } = this.#components;
    return new Informers({
      client: this.client,
      host,
      logger: logger.child({ name: "lotse.watching" }),
      settings: settings.watching,
      tasks: this.#watching,
      scope: this.#namespaces,
      caches,
      gates,
      queue: this.#queue,
      indexing,
      isLookedUp: (resource) => registry.of(resource).isLookedUp,
      crds: this.#crds,
      observer,
      controller: this.controller,
      onSynced: () => {
        this.#synced.resolve();
        synced();
      },
    });
  }

  #metricSources(): MetricSources {
    const { gates, hotLoops, stuckHandlers, failures, pauses } = this.#components;
    const { registry } = this.#options;
    return {
      handlers: (resource) => registry.of(resource).ids,
      failures: () => failures.counts(),
      objects: () => this.controller.counts(),
      packed: () => this.caches.packed(),
      hotLoops: () => hotLoops.counts(),
      paused: () => pauses.counts(),
      stuckHandlers: () => stuckHandlers.counts(),
      waitingEvents: () => this.#poster.waiting,
      background: () => this.#daemons.counts.live,
      planned: () => this.#queue.planned,
      workerLimit: () => this.#options.settings.queueing.workerLimit ?? Infinity,
      isPaused: () => gates.isPaused,
      requestLimit: () => this.client.transport.congestion.limit,
      replicas: () => this.#responsibility.leases,
      watches: () => this.#informers.watches,
    };
  }

  #createController(): Controller {
    const { host, registry, settings, lifecycle, logger, memo } = this.#options;
    const { caches, gates, indexing, observer, hotLoops, pauses, wishes } = this.#components;
    return new Controller({
      host,
      registry,
      settings,
      lifecycle,
      logger,
      memo,
      client: this.client,
      poster: this.#poster,
      observer,
      hotLoops,
      pauses,
      wishes,
      persistence: settings.persistence,
      indices: indexing.indices,
      daemons: this.#daemons,
      signal: gates.handlers,
      fence: this.#fence,
      writer: this.#writer,
      makeChildren: childrenMaker(this.api),
      queue: this.#queue,
      caches,
      indexing,
    });
  }

  #createDaemons(): Daemons {
    const { host, logger, settings, registry } = this.#options;
    const { indexing, observer } = this.#components;
    const { persistence } = settings;
    return new Daemons({
      clock: host.clock,
      random: host.random,
      writer: this.#writer,
      makeChildren: childrenMaker(this.api),
      settings,
      loggerOf: (body) => {
        const reference = objectReference(body);
        const local = logger.child({ name: "lotse.objects", reference });
        const permit = this.#fence?.termOf(body.metadata.uid ?? "");
        return postingLogger(local, reference, { poster: this.#poster, settings, permit });
      },
      indices: indexing.indices,
      observer,
      brake: createBrake(this.#components, this.client),
      tasks: this.#background,
      fence: this.#fence,
      essenceOf: ({ resource }, body) => {
        const { fields: extraFields } = registry.of(resource);
        return digestOf(currentEssence(persistence, body, { extraFields }));
      },
      wake: (state) => this.#queue.add(state, "dependency"),
    });
  }

  #createAdmission(): Admission {
    const { logger, settings, registry } = this.#options;
    const { caches, indexing, observer, failed, listeners } = this.#components;
    return new Admission({
      host: listeners.host,
      logger,
      client: this.client,
      replicas: this.#responsibility,
      observer,
      settings,
      poster: this.#poster,
      registry,
      onMoved: () => void this.#revisions.request(),
      served: () => this.#watched.admitted,
      memoOf: (resource, object) => {
        const cached = object && caches.get(resource, object);
        return this.controller.memoOf(resource, object, cached);
      },
      indices: indexing.indices,
      gate: indexing.gate,
      onFailure: (error) => failed.abort(error),
      onEnd: () => this.#ended.abort(),
    });
  }
}
