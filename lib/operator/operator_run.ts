/**
 * What an operator does while it serves: find the kinds, open the streams, work until told to stop, and stop in order.
 *
 * Streams stop first, then workers get a little time to finish what they are at, then handlers are told to stop, and what
 * does not listen is left behind. Source: Kopf, B §5.11; deviations C29, B-5.11.
 */

import { aborted } from "../async/timeout.ts";
import { Limiter } from "../async/limiter.ts";
import { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { HotLoops, LoopingPass } from "../engines/hot_loop.ts";
import type { MetricSources } from "../engines/metrics/metrics.ts";
import { Poster } from "../engines/posting/poster.ts";
import type { Indexing } from "../engines/indexing/indexing.ts";
import { Daemons } from "../engines/daemons/daemons.ts";
import type { Check } from "../engines/probing.ts";
import { ObjectWriter } from "../execution/object_writer.ts";
import type { Brake, Observer, Subject } from "../execution/observer.ts";
import { Controller } from "../controller/controller.ts";
import { extraFieldsOf, postingLogger, storeResult } from "../controller/reconciliation.ts";
import { WorkQueue } from "../controller/work_queue.ts";
import { digestOf } from "../model/encoding.ts";
import { objectReference } from "../model/references.ts";
import type { Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { currentEssence } from "../settings/persistence/storage.ts";
import { Admission } from "./admission.ts";
import { CrdWatch } from "./crd_watch.ts";
import { firstContact } from "./wait_for_api_server.ts";
import { type Ground, type RunningOptions, STARTING } from "./components.ts";
import { Namespaces } from "./namespaces.ts";
import { Observation } from "./watched_resources.ts";
import { Informers } from "./informers.ts";
import { finished, within } from "../async/timeout.ts";
import { Pausing } from "./gates.ts";

/** How long daemons are waited for that were left behind. Source: Kopf, B §5.11. */
const LEFTOVERS: Seconds = 5;

/** How many objects are named whose handlers are left behind. */
const MOST_NAMED = 10;

/** How long until a broken API group is asked for again. */
const BROKEN_PAUSE: Seconds = 30;

/** One run, from the first look at the cluster on. */
export class Run {
  readonly #options: RunningOptions;
  readonly #client: Client;
  readonly #streams: TaskGroup;
  readonly #work: TaskGroup;
  /** Runs of daemons and timers. */
  readonly #background: TaskGroup;
  readonly #daemons: Daemons;
  /** Aborts when handlers must stop. */
  readonly #handlers: AbortController;
  /** Aborts when nothing is written any more. */
  readonly #writing = new AbortController();
  readonly #failed: AbortSignal;
  /** Aborts when the operator is to stop, although nobody has told it to. */
  readonly #ended = new AbortController();
  readonly #admission: Admission;
  readonly #namespaces: Namespaces;
  readonly #observation: Observation;
  readonly #informers: Informers;
  readonly #crds: CrdWatch;
  readonly #indexing: Indexing;
  readonly #writer: ObjectWriter;
  readonly #queue: WorkQueue;
  readonly #controller: Controller;
  readonly #poster: Poster;
  readonly #hotLoops: HotLoops;
  readonly #observer: Observer;
  readonly #pausing: Pausing;
  #isAnnounced = false;
  #isRevisedLater = false;
  #isStarted = false;
  #revision: Promise<void> = Promise.resolve();

  constructor(options: RunningOptions, { client, ground }: { client: Client; ground: Ground }) {
    this.#options = options;
    this.#client = client;
    const { host, logger, registry, settings } = options;
    for (const warning of settings.persistence.warnings ?? []) logger.warn(warning);
    const onError = (error: unknown, task: string): void => logger.error("Task failed", { task, error });
    this.#streams = new TaskGroup({ onError });
    this.#work = ground.work;
    this.#observer = ground.onlookers.observer;
    this.#hotLoops = ground.onlookers.hotLoops;
    this.#handlers = ground.handlers;
    this.#failed = ground.failed.signal;
    this.#indexing = ground.indexing;
    this.#poster = new Poster({
      client,
      clock: host.clock,
      logger: logger.child({ name: "lotse.posting" }),
      settings: settings.posting,
      onResult: (result) => this.#observer.posted?.(result),
    });
    this.#background = new TaskGroup({ onError });
    this.#writer = new ObjectWriter({
      client,
      clock: host.clock,
      observer: this.#observer,
      consistencyTimeout: () => settings.persistence.consistencyTimeout,
      fence: this.#writing.signal,
    });
    this.#daemons = this.#makeDaemons();
    this.#queue = this.#makeQueue();
    this.#controller = this.#makeController();
    this.#queue.start(this.#controller);
    ground.onlookers.metrics?.attach(this.#metricSources());
    this.#namespaces = new Namespaces({
      ...{ client, host, settings, logger: logger.child({ name: "lotse.scanning" }) },
      patterns: options.namespaces,
      onChange: () => void this.#reviseOrRetry(),
    });
    this.#pausing = new Pausing({
      ...{ client, host, settings, logger, identity: options.identity, daemons: this.#daemons },
      namespaces: () => this.#namespaces.served,
    });
    const { watching, persistence } = settings;
    this.#observation = new Observation({ client, registry, logger, settings: watching, persistence });
    this.#admission = this.#makeAdmission(ground);
    this.#crds = new CrdWatch({
      ...{ client, host, settings, tasks: this.#streams, logger: logger.child({ name: "lotse.scanning" }) },
      concerns: (group) => this.#concerns(group),
      revise: () => this.#revise(),
      reviseOrRetry: () => this.#reviseOrRetry(),
    });
    this.#informers = this.#makeInformers();
  }

  #makeInformers(): Informers {
    const { host, logger, settings } = this.#options;
    return new Informers({
      client: this.#client,
      host,
      logger: logger.child({ name: "lotse.watching" }),
      settings: settings.watching,
      tasks: this.#streams,
      scope: this.#namespaces,
      notify: (resource, told) => this.#controller.notify(resource, told),
      onSynced: this.#options.onSynced,
      onStarted: (stream, resource) => {
        if (this.#indexing.concerns(resource)) this.#indexing.block(stream);
      },
      onListed: (stream) => this.#indexing.release(stream),
      onEnded: (stream) => this.#indexing.release(stream),
      onUnknown: (resource) => this.#crds.doubt(resource),
      observer: this.#observer,
      gate: this.#pausing.passage,
      onRelisted: () => this.#queue.release(),
    });
  }

  #metricSources(): MetricSources {
    const { queueing } = this.#options.settings;
    return {
      objects: () => this.#controller.counts(),
      hotLoops: () => this.#hotLoops.counts(),
      waitingEvents: () => this.#poster.waiting,
      background: () => this.#daemons.counts.live,
      planned: () => this.#queue.planned,
      workerLimit: () => queueing.workerLimit ?? Infinity,
      isPaused: () => this.#pausing.isPaused,
      requestLimit: () => this.#client.transport.congestion.limit,
    };
  }

  async untilStopped(): Promise<void> {
    const { signal } = this.#options;
    this.#options.onPoster(this.#poster);
    try {
      const ending = aborted(AbortSignal.any([signal, this.#failed, this.#ended.signal]));
      await Promise.race([this.#start(), ending]);
      await ending;
      if (this.#failed.aborted) throw this.#failed.reason;
    } finally {
      await this.#stop();
      // What the last handlers had to say still goes out.
      await this.#poster.stop();
      this.#options.onPoster(undefined);
    }
  }

  async #start(): Promise<void> {
    this.#streams.start("pause", (stop) => this.#pausing.follow(stop));
    this.#streams.start("watch namespaces", (stop) => this.#namespaces.watch(stop));
    await this.#namespaces.ready;
    await firstContact(() => this.#revise(), {
      ...this.#options,
      server: () => this.#client.transport.server ?? "",
      signal: AbortSignal.any([this.#options.signal, this.#failed]),
    });
    this.#isStarted = true;
    this.#indexing.release(STARTING);
    this.#admission.start();
    this.#crds.follow();
  }

  /** What the operator needs to be ready, as it is now. */
  checks(): readonly Check[] {
    const { signal } = this.#options;
    return [
      { name: "shutdown", problem: signal.aborted ? "the operator is stopping" : undefined },
      { name: "started", problem: this.#isStarted ? undefined : "the kinds are not known yet" },
      { name: "indexes", problem: this.#indexing.gate.isOpen ? undefined : "they are not complete yet" },
      ...this.#admission.checks(),
      ...this.#pausing.checks(),
      ...this.#informers.checks(),
    ];
  }

  /** The last thing of all: tells other operators that this one has gone. Never rejects. */
  async leave(): Promise<void> {
    await this.#pausing.peering.leave();
  }

  #makeQueue(): WorkQueue {
    const { settings, host } = this.#options;
    return new WorkQueue({
      gate: this.#indexing.gate,
      ready: (state) => this.#indexing.settled(state),
      hold: ({ resource, body }) =>
        this.#informers.isStale(resource, body.metadata?.namespace) ? "wakes" : undefined,
      limiter: new Limiter(settings.queueing.workerLimit ?? Infinity),
      clock: host.clock,
      tasks: this.#work,
    });
  }

  #makeController(): Controller {
    const { host, registry, settings, lifecycle, logger, memo } = this.#options;
    return new Controller({
      host,
      registry,
      settings,
      lifecycle,
      logger,
      memo,
      client: this.#client,
      poster: this.#poster,
      observer: this.#observer,
      hotLoops: this.#hotLoops,
      persistence: settings.persistence,
      indices: this.#indexing.indices,
      daemons: this.#daemons,
      writer: this.#writer,
      signal: this.#handlers.signal,
      queue: this.#queue,
      index: (state, event) => this.#indexing.submit(state, event),
    });
  }

  #makeAdmission({ failed }: Ground): Admission {
    const { host, logger, settings, registry } = this.#options;
    return new Admission({
      ...{ host, logger, client: this.#client, observer: this.#observer },
      settings: settings.admission,
      handlers: registry.admissionHandlers,
      served: () => this.#observation.admitted,
      memoOf: (resource, object) => {
        const cached = object && this.#informers.find(resource, object);
        return this.#controller.memoOf(resource, object, cached);
      },
      indices: this.#indexing.indices,
      gate: this.#indexing.gate,
      signal: this.#handlers.signal,
      onFailure: (error) => failed.abort(error),
      onEnd: () => this.#ended.abort(),
    });
  }

  #makeDaemons(): Daemons {
    const { host, logger, settings, registry } = this.#options;
    const { persistence } = settings;
    return new Daemons({
      clock: host.clock,
      writer: this.#writer,
      settings,
      loggerOf: (body) => {
        const reference = objectReference(body);
        const local = logger.child({ name: "lotse.objects", reference });
        return postingLogger(local, reference, { poster: this.#poster, settings });
      },
      indices: this.#indexing.indices,
      observer: this.#observer,
      brake: this.#makeBrake(),
      tasks: this.#background,
      storeResult,
      essenceOf: ({ resource }, body) => {
        const extraFields = extraFieldsOf(registry, resource);
        return digestOf(currentEssence(persistence, body, { extraFields }));
      },
      wake: (state) => this.#controller.wake(state),
    });
  }

  #makeBrake(): Brake {
    const passOf = (memory: Subject, logger: Logger): LoopingPass => ({
      ...{ memory, logger, client: this.#client, observer: this.#observer, signal: this.#handlers.signal },
    });
    return {
      lookAround: (subject, logger) =>
        this.#hotLoops.isSuspicious({ memory: subject }, true)
          ? this.#hotLoops.lookAround(passOf(subject, logger))
          : undefined,
      pauseAfter: (subject, logger) => this.#hotLoops.pauseAfter(passOf(subject, logger)),
    };
  }

  /** One revision at a time: definitions come in swarms. */
  #revise(): Promise<void> {
    const revise = async (): Promise<void> => {
      const [kinds] = await Promise.all([this.#observation.watched(), this.#meet()]);
      this.#announce();
      this.#admission.revise();
      await this.#informers.revise(kinds);
      if (this.#client.discovery.broken.size > 0) this.#reviseLater();
    };
    return this.#revision = this.#revision.then(revise, revise);
  }

  /** Who watches nothing is in nobody's way. */
  async #meet(): Promise<void> {
    if (this.#options.registry.objectHandlers.length > 0) await this.#pausing.peering.revise();
  }

  /** Groups that were left out since they are broken are asked for again. */
  #reviseLater(): void {
    if (this.#isRevisedLater || this.#options.settings.scanning.disabled) return;
    this.#isRevisedLater = true;
    this.#streams.start("retry discovery", async (signal) => {
      await this.#options.host.clock.sleep(BROKEN_PAUSE, signal);
      this.#isRevisedLater = false;
      if (!signal.aborted) await this.#reviseOrRetry();
    });
  }

  /** What fails now is tried again later. */
  async #reviseOrRetry(): Promise<void> {
    try {
      await this.#revise();
    } catch (error) {
      this.#options.logger.warn("Cannot find out what to watch: it is tried again", { error });
      this.#reviseLater();
    }
  }

  /** Says once that the operator begins to watch. */
  #announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#options.logger.info("Operator has started");
    this.#options.onReady();
  }

  #concerns(group: string): boolean {
    return this.#observation.concerns(group) || this.#pausing.peering.concerns(group);
  }

  async #stop(): Promise<void> {
    const { settings, logger, host: { clock } } = this.#options;
    const { exitTimeout } = settings.queueing;
    const released = this.#admission.stop();
    // NB: it also waits for who has just asked what is served, however long the server takes to answer.
    const streams = Promise.all([this.#streams.stop(), this.#pausing.peering.stopWatching()]);
    if (!await within(streams, { clock, timeout: exitTimeout })) {
      logger.warn("The server does not answer: requests are left behind", { streams: this.#streams.size });
    }
    await released;
    this.#queue.stop();
    using daemons = this.#daemons;
    const [isFinished] = await Promise.all([
      finished(this.#work, { clock, timeout: exitTimeout }),
      daemons.exit(),
    ]);
    if (!isFinished) this.#handlers.abort(new DOMException("The operator is stopping", "AbortError"));
    const isDone = await Promise.all([
      finished(this.#work, { clock, timeout: exitTimeout }),
      finished(this.#background, { clock, timeout: LEFTOVERS }),
    ]);
    this.#writing.abort(new DOMException("The operator is stopping", "AbortError"));
    if (isDone.every(Boolean)) return;
    logger.warn("Some handlers do not stop: they are left behind", {
      objects: this.#queue.busy.slice(0, MOST_NAMED),
      background: this.#background.size,
    });
  }
}
