/**
 * Metrics that are not counted but read at each scrape: waiting and running work, the state of streams and of the process.
 */

import type { PackedObjects } from "../../client/cache/object_store.ts";
import type { Subject, WatchSnapshot } from "../../execution/observer.ts";
import { groupResource, type Resource } from "../../model/resource.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Instruments } from "./exposition.ts";
import type { ReplicaLeases } from "./replica_metrics.ts";

/** Sources of values, which are asked at each scrape. */
export interface MetricSources {
  /** How many objects of each kind are remembered. */
  readonly objects: () => ReadonlyMap<string, number>;
  /** How many objects of each kind are kept as bytes. */
  readonly packed: () => Iterable<readonly [resource: Resource, packed: PackedObjects]>;
  /** How many objects of each kind are in a hot loop. */
  readonly hotLoops: () => ReadonlyMap<string, number>;
  /** How many objects of each kind people have paused. */
  readonly paused: () => ReadonlyMap<string, number>;
  /** How many calls of each handler go on for longer than they should. */
  readonly stuckHandlers: () => ReadonlyMap<string, number>;
  /** How many Kubernetes events wait to be posted. */
  readonly waitingEvents: () => number;
  /** How many daemons and timers live, waiting ones included. */
  readonly background: () => number;
  /** How many objects have a planned reconcile. */
  readonly planned: () => number;
  /** Whether the operator is paused. */
  readonly isPaused: () => boolean;
  /** How many requests may be under way at once; Infinity: any number. */
  readonly requestLimit: () => number;
  /** How many objects may be reconciled at once; Infinity: any number. */
  readonly workerLimit: () => number;
  /** The names under which the handlers of a kind are counted. */
  readonly handlers: (resource: Resource) => Iterable<string>;
  /** Which handlers fail, and on how many objects. */
  readonly failures: () => readonly FailureCount[];
  /** The Leases of the run; undefined where there are no replicas. */
  readonly replicas: () => ReplicaLeases | undefined;
  /** How each watch is doing. */
  readonly watches: () => readonly WatchedResource[];
}

/** The failures of a handler, over all objects of a kind; see `Failures`. */
export interface FailureCount {
  /** "plural.group". */
  readonly kind: string;
  readonly handler: string;
  readonly objects: number;
  readonly oldest: Seconds;
}

/** A watch. */
export interface WatchedResource {
  readonly resource: Resource;
  readonly state: WatchSnapshot;
}

/** Options of gauges. */
export interface GaugeOptions {
  readonly host: Host;
  /** Since when they wait, on the monotonic clock. */
  readonly queued: ReadonlyMap<Subject, Seconds>;
  /** Since when they are being reconciled, on the monotonic clock. */
  readonly working: ReadonlyMap<Subject, Seconds>;
  readonly kindOf: (subject: Pick<Subject, "resource">) => string;
  /** Undefined before the operator serves. */
  readonly sources: () => MetricSources | undefined;
}

/** Declares the gauges. */
export class Gauges {
  readonly #instruments: Instruments;
  readonly #options: GaugeOptions;

  constructor(instruments: Instruments, options: GaugeOptions) {
    this.#instruments = instruments;
    this.#options = options;
    this.#watchGauges();
    this.#queueGauges();
    this.#processGauges();
    this.#sourceGauges();
    this.#failureGauges();
  }

  #watches(): readonly WatchedResource[] {
    return this.#options.sources()?.watches() ?? [];
  }

  #watchGauges(): void {
    const perKind = (value: (state: WatchSnapshot) => number): Map<string, number> => {
      const worst = new Map<string, number>();
      for (const watched of this.#watches()) {
        const kind = this.#options.kindOf(watched);
        worst.set(kind, Math.max(worst.get(kind) ?? 0, value(watched.state)));
      }
      return worst;
    };
    const age = ({ lastActivity, since }: WatchSnapshot): Seconds =>
      this.#options.sources()?.isPaused() === true
        ? 0
        : this.#options.host.clock.monotonic() - (lastActivity ?? since);
    this.#instruments.pulled(
      "lotse_watch_silence_seconds",
      "How long the server has not been heard on the kind's most silent stream",
      () => perKind(age),
    );
    this.#instruments.pulled(
      "lotse_watch_failures",
      "Attempts in a row that failed, on the kind's worst stream",
      () => perKind(({ failures }) => failures),
    );
    this.#instruments.pulled(
      "lotse_watch_synced",
      "Whether all objects of the kind have been listed (1) or not (0)",
      () => {
        const unsynced = perKind(({ listed }) => listed ? 0 : 1);
        return new Map([...unsynced].map(([kind, value]) => [kind, 1 - value]));
      },
    );
  }

  #queueGauges(): void {
    const count = (subjects: Iterable<Subject>): Map<string, number> => {
      const counts = new Map(this.#watches().map((each) => [this.#options.kindOf(each), 0]));
      for (const subject of subjects) {
        counts.set(this.#options.kindOf(subject), (counts.get(this.#options.kindOf(subject)) ?? 0) + 1);
      }
      return counts;
    };
    const ages = (add: (sum: Seconds, age: Seconds) => Seconds): Map<string, Seconds> => {
      const now = this.#options.host.clock.monotonic();
      const all = new Map(this.#watches().map((each) => [this.#options.kindOf(each), 0]));
      for (const [subject, begun] of this.#options.working) {
        all.set(this.#options.kindOf(subject), add(all.get(this.#options.kindOf(subject)) ?? 0, now - begun));
      }
      return all;
    };
    this.#instruments.pulled(
      "workqueue_depth",
      "Objects that wait for a reconcile",
      () => count(this.#options.queued.keys()),
      "name",
      "controller",
    );
    this.#instruments.pulled(
      "controller_runtime_active_workers",
      "Objects that are being reconciled",
      () => count(this.#options.working.keys()),
      "controller",
    );
    this.#instruments.pulled(
      "workqueue_longest_running_processor_seconds",
      "How long the longest reconcile has been going on",
      () => ages(Math.max),
      "name",
      "controller",
    );
    this.#instruments.pulled(
      "workqueue_unfinished_work_seconds",
      "How long the reconciles that go on have been going on, in all",
      () => ages((sum, age) => sum + age),
      "name",
      "controller",
    );
    this.#instruments.pulled(
      "controller_runtime_max_concurrent_reconciles",
      "How many objects may be reconciled at once, of all kinds together",
      () => {
        const limit = this.#options.sources()?.workerLimit() ?? Infinity;
        return new Map(this.#watches().map((each) => [this.#options.kindOf(each), limit]));
      },
      "controller",
    );
  }

  /** Each handler has a value from the start: a series that appears with its first failure has no beginning to compare with. */
  #failureGauges(): void {
    const perHandler = (value: (count: FailureCount) => number) => (): (readonly [string[], number])[] => {
      const { sources, kindOf } = this.#options;
      const counts = sources()?.failures() ?? [];
      const all = new Map<string, readonly [string[], number]>();
      for (const { resource } of this.#watches()) {
        const kind = kindOf({ resource });
        for (const handler of sources()?.handlers(resource) ?? []) {
          all.set(`${kind} ${handler}`, [[kind, handler], 0]);
        }
      }
      for (const count of counts) {
        all.set(`${count.kind} ${count.handler}`, [[count.kind, count.handler], value(count)]);
      }
      return [...all.values()];
    };
    this.#instruments.table("lotse_objects_failing", "Objects on which a handler fails now", {
      labels: ["kind", "handler"],
      read: perHandler(({ objects }) => objects),
    });
    this.#instruments.table(
      "lotse_oldest_failing_seconds",
      "For how long a handler has failed on the object on which it fails for longest",
      { labels: ["kind", "handler"], read: perHandler(({ oldest }) => oldest) },
    );
  }

  #processGauges(): void {
    const { process, clock } = this.#options.host;
    const started = clock.now() / 1000;
    this.#instruments.single(
      "process_cpu_seconds_total",
      "CPU time of the process, in seconds",
      () => process.cpu(),
    );
    this.#instruments.single(
      "process_resident_memory_bytes",
      "Resident memory of the process",
      () => process.memory(),
    );
    this.#instruments.single(
      "process_start_time_seconds",
      "When the metrics began, in seconds since 1970",
      () => started,
    );
  }

  #sourceGauges(): void {
    const none: ReadonlyMap<string, number> = new Map();
    this.#instruments.pulled(
      "lotse_objects",
      "Objects that are remembered",
      () => this.#options.sources()?.objects() ?? none,
    );
    const packed = (value: (packed: PackedObjects) => number) => (): Map<string, number> =>
      new Map(
        [...this.#options.sources()?.packed() ?? []].map(([resource, each]) =>
          [groupResource(resource), value(each)] as const
        ),
      );
    this.#instruments.pulled(
      "lotse_objects_packed",
      "Objects that are kept as bytes",
      packed(({ objects }) => objects),
    );
    this.#instruments.pulled(
      "lotse_objects_packed_bytes",
      "Bytes of the objects that are kept as bytes",
      packed(({ bytes }) => bytes),
    );
    this.#instruments.pulled(
      "lotse_object_parses_total",
      "How often an object that was kept as bytes was read",
      packed(({ parses }) => parses),
    );
    this.#instruments.pulled(
      "lotse_hot_loop_objects",
      "Objects that are in a hot loop now, and slowed down",
      () => this.#options.sources()?.hotLoops() ?? none,
    );
    this.#instruments.pulled(
      "lotse_objects_paused",
      "Objects that people have paused by an annotation",
      () => this.#options.sources()?.paused() ?? none,
    );
    this.#instruments.pulled(
      "lotse_handlers_stuck",
      "Calls of handlers that have gone on for longer than execution.warnAfter",
      () => this.#options.sources()?.stuckHandlers() ?? none,
      "handler",
    );
    this.#instruments.single(
      "lotse_background_handlers",
      "Daemons and timers that live, also while they wait",
      () => this.#options.sources()?.background() ?? 0,
    );
    this.#instruments.single(
      "lotse_planned_reconciles",
      "Objects that are to be reconciled again without an event, after a pause",
      () => this.#options.sources()?.planned() ?? 0,
    );
    this.#instruments.single(
      "lotse_posting_queue",
      "Kubernetes events that wait to be posted",
      () => this.#options.sources()?.waitingEvents() ?? 0,
    );
    this.#instruments.single(
      "lotse_client_concurrency_limit",
      "How many requests may be under way at once; less than networking.requestLimit while the server has too many",
      () => this.#options.sources()?.requestLimit() ?? 0,
    );
    this.#instruments.single(
      "lotse_paused",
      "Whether the operator is paused for others (1) or not (0)",
      () => this.#options.sources()?.isPaused() === true ? 1 : 0,
    );
  }
}
