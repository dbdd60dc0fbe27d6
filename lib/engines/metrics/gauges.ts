/**
 * Metrics that are not counted but looked up when somebody asks: what waits, what goes on, how streams and the process are.
 */

import type { StreamState, Subject } from "../../execution/observer.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Instruments } from "./exposition.ts";

/** What is asked for when somebody looks. */
export interface MetricSources {
  /** How many objects of each kind are remembered. */
  readonly objects: () => ReadonlyMap<string, number>;
  /** How many objects of each kind are in a hot loop. */
  readonly hotLoops: () => ReadonlyMap<string, number>;
  /** How many Kubernetes events wait to be posted. */
  readonly waitingEvents: () => number;
  /** How many daemons and timers live, waiting ones included. */
  readonly background: () => number;
  /** How many objects are to be looked at again at some time. */
  readonly planned: () => number;
  /** Whether the operator is paused. */
  readonly isPaused: () => boolean;
  /** How many requests may be under way at once; Infinity: any number. */
  readonly requestLimit: () => number;
  /** How many objects may be looked at at once; Infinity: any number. */
  readonly workerLimit: () => number;
}

/** A stream that was told of. */
export interface Stream {
  readonly kind: string;
  readonly state: StreamState;
  restarts: number;
}

/** Where to look. */
export interface GaugeOptions {
  readonly host: Host;
  readonly streams: ReadonlyMap<string, Stream>;
  /** Since when they wait, on the monotonic clock. */
  readonly queued: ReadonlyMap<Subject, Seconds>;
  /** Since when they are being looked at, on the monotonic clock. */
  readonly working: ReadonlyMap<Subject, Seconds>;
  readonly kindOf: (subject: Subject) => string;
  /** Undefined before the operator serves. */
  readonly sources: () => MetricSources | undefined;
}

/** Declares them. */
export class Gauges {
  readonly #made: Instruments;
  readonly #look: GaugeOptions;

  constructor(made: Instruments, look: GaugeOptions) {
    this.#made = made;
    this.#look = look;
    this.#watchGauges();
    this.#queueGauges();
    this.#processGauges();
    this.#sourceGauges();
  }

  #watchGauges(): void {
    const perKind = (value: (stream: StreamState) => number): Map<string, number> => {
      const worst = new Map<string, number>();
      for (const { kind, state } of this.#look.streams.values()) {
        worst.set(kind, Math.max(worst.get(kind) ?? 0, value(state)));
      }
      return worst;
    };
    const age = ({ lastActivity, since }: StreamState): number =>
      this.#look.sources()?.isPaused() === true
        ? 0
        : Math.max(0, this.#look.host.clock.now() - (lastActivity ?? since)) / 1000;
    this.#made.pulled(
      "lotse_watch_silence_seconds",
      "How long the server has not been heard on the kind's most silent stream",
      () => perKind(age),
    );
    this.#made.pulled(
      "lotse_watch_failures",
      "Attempts in a row that failed, on the kind's worst stream",
      () => perKind(({ failures }) => failures),
    );
    this.#made.pulled(
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
      const counts = new Map([...this.#look.streams.values()].map(({ kind }) => [kind, 0]));
      for (const subject of subjects) {
        counts.set(this.#look.kindOf(subject), (counts.get(this.#look.kindOf(subject)) ?? 0) + 1);
      }
      return counts;
    };
    const ages = (add: (sum: Seconds, age: Seconds) => Seconds): Map<string, Seconds> => {
      const now = this.#look.host.clock.monotonic();
      const all = new Map([...this.#look.streams.values()].map(({ kind }) => [kind, 0]));
      for (const [subject, begun] of this.#look.working) {
        all.set(this.#look.kindOf(subject), add(all.get(this.#look.kindOf(subject)) ?? 0, now - begun));
      }
      return all;
    };
    this.#made.pulled(
      "workqueue_depth",
      "Objects that wait to be looked at",
      () => count(this.#look.queued.keys()),
      "name",
    );
    this.#made.pulled(
      "controller_runtime_active_workers",
      "Objects that are being looked at",
      () => count(this.#look.working.keys()),
      "controller",
    );
    this.#made.pulled(
      "workqueue_longest_running_processor_seconds",
      "How long the longest look at an object has been going on",
      () => ages(Math.max),
      "name",
    );
    this.#made.pulled(
      "workqueue_unfinished_work_seconds",
      "How long the looks at objects that go on have been going on, in all",
      () => ages((sum, age) => sum + age),
      "name",
    );
    this.#made.pulled(
      "controller_runtime_max_concurrent_reconciles",
      "How many objects may be looked at at once, of all kinds together",
      () => {
        const limit = this.#look.sources()?.workerLimit() ?? Infinity;
        return new Map([...this.#look.streams.values()].map(({ kind }) => [kind, limit]));
      },
      "controller",
    );
  }

  #processGauges(): void {
    const { process, clock } = this.#look.host;
    const started = clock.now() / 1000;
    this.#made.single(
      "process_cpu_seconds_total",
      "CPU time of the process, in seconds",
      () => process.cpu(),
    );
    this.#made.single(
      "process_resident_memory_bytes",
      "Resident memory of the process",
      () => process.memory(),
    );
    this.#made.single(
      "process_start_time_seconds",
      "When the metrics began, in seconds since 1970",
      () => started,
    );
  }

  #sourceGauges(): void {
    const none: ReadonlyMap<string, number> = new Map();
    this.#made.pulled(
      "lotse_objects",
      "Objects that are remembered",
      () => this.#look.sources()?.objects() ?? none,
    );
    this.#made.pulled(
      "lotse_hot_loop_objects",
      "Objects that are in a hot loop now, and slowed down",
      () => this.#look.sources()?.hotLoops() ?? none,
    );
    this.#made.single(
      "lotse_background_handlers",
      "Daemons and timers that live, also while they wait",
      () => this.#look.sources()?.background() ?? 0,
    );
    this.#made.single(
      "lotse_planned_looks",
      "Objects that are to be looked at again without an event, after a pause",
      () => this.#look.sources()?.planned() ?? 0,
    );
    this.#made.single(
      "lotse_posting_queue",
      "Kubernetes events that wait to be posted",
      () => this.#look.sources()?.waitingEvents() ?? 0,
    );
    this.#made.single(
      "lotse_client_concurrency_limit",
      "How many requests may be under way at once; less than networking.requestLimit while the server has too many",
      () => this.#look.sources()?.requestLimit() ?? 0,
    );
    this.#made.single(
      "lotse_paused",
      "Whether the operator is paused for others (1) or not (0)",
      () => this.#look.sources()?.isPaused() === true ? 1 : 0,
    );
  }
}
