/**
 * Options of a run, and the components that exist before the first request: gates, observers, and indexes, which are empty.
 */

import { TaskGroup } from "../async/tasks.ts";
import type { GivenCredentials } from "../client/auth/login.ts";
import { Caches } from "../client/cache/caches.ts";
import type { Client } from "../client/client.ts";
import { Calls, type HandlerCall } from "../engines/calls.ts";
import { Failures } from "../engines/failures.ts";
import { HotLoops, type LoopingReconcile } from "../engines/hot_loop.ts";
import { Indexing } from "../handlers/index/indexing.ts";
import { Listeners } from "../engines/listeners.ts";
import { Ledger } from "../engines/ledger.ts";
import { Pauses } from "../engines/pauses.ts";
import { Wishes } from "../engines/wishes.ts";
import { StuckHandlers } from "../engines/stuck_handlers.ts";
import type { Metrics, MetricsOptions } from "../engines/metrics/metrics.ts";
import { Tasks } from "../handlers/task/tasks.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import { type Brake, combineObservers, type Observer, type Subject } from "../execution/observer.ts";
import { INDEX } from "../handlers/index/index_handler.ts";
import type { Registry } from "../handlers/registry.ts";
import { TASK } from "../handlers/task/task_handler.ts";
import { isTraced } from "../runtime/context.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";
import type { Settings } from "../settings/settings.ts";
import { Gates } from "./gates.ts";
import type { RunOptions } from "./run_options.ts";
import { LateMetrics } from "./late_metrics.ts";
import { RecentCalls } from "./stray_errors.ts";

/** Options of a run. */
export interface RunningOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Of this run alone; startup handlers may change them. */
  readonly settings: Settings;
  readonly lifecycle: () => Lifecycle;
  /** The operator's own; each object's begins with a shallow copy of it. */
  readonly memo: Record<string, unknown>;
  /** Aborting stops the operator gracefully. */
  readonly signal: AbortSignal;
  readonly credentials?: GivenCredentials;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Undefined: the whole cluster. */
  readonly namespaces?: readonly (string | RegExp)[];
  /** Where to answer probes: "http://0.0.0.0:8080/healthz". Undefined: nowhere. */
  readonly liveness?: string;
  /** Whether uncaught errors of the author's code are handled here, or left to the runtime. */
  readonly handlesStrayErrors: boolean;
  /** Under which name it meets other operators. */
  readonly identity: string;
  /** Whether the definitions of the operator's own kinds are applied first. */
  readonly crds?: "apply";
  /** The file in which the rights that it uses are recorded. Undefined: nowhere. */
  readonly recordRights?: string;
  /** The author's own release. */
  readonly release?: MetricsOptions["release"];
  /** Whether it looks for rights and fields that are missing. */
  readonly selfCheck?: boolean;
  /** Whether questions from this machine are answered. */
  readonly questions?: boolean;
  /** Changes the level of the logger's lines for some time. */
  readonly logLevels?: RunOptions["logLevels"];
  /** Told of each call of a handler, when it begins and when it has ended. */
  readonly onCall?: (call: HandlerCall) => void;
  /** Returns the metrics of the author's own as text. */
  readonly customMetrics?: () => Promise<string>;
  /** Called when the operator has started, and begins to watch. */
  readonly ready: () => void;
  /** Called when every resource has been listed for the first time. */
  readonly synced: () => void;
}

/** The reason that keeps handlers waiting until it is known which resources have indexes. */
export const STARTING = "starting";

/**
 * The components that exist before an operator serves. Disposing ends the timers of observers, and detaches indexes from the
 * stores.
 */
export interface Components extends Disposable {
  readonly gates: Gates;
  /** Knows the servers of the operator. */
  readonly listeners: Listeners;
  readonly ledger: Ledger;
  readonly hotLoops: HotLoops;
  readonly stuckHandlers: StuckHandlers;
  readonly failures: Failures;
  readonly pauses: Pauses;
  readonly wishes: Wishes;
  /** Only where stray errors are handled, and the runtime does not say whose they are. */
  readonly recentCalls: RecentCalls | undefined;
  /** Undefined where no server could answer with them. */
  readonly metrics: Metrics | undefined;
  /** Begins to count when it is asked; only where there are no metrics, and questions are answered. */
  readonly lateMetrics: LateMetrics | undefined;
  /** Tells all observers. */
  readonly observer: Observer;
  readonly indexing: Indexing;
  readonly tasks: Tasks;
  /** The stores of all informers. */
  readonly caches: Caches;
  /** Turns of objects, and whatever else handlers do. */
  readonly work: TaskGroup;
  /** Aborts with an error that ends the operator. */
  readonly failed: AbortController;
}

/** Creates the components that exist before an operator serves. */
export async function createComponents(
  options: RunningOptions,
  { recorder }: { readonly recorder?: Observer } = {},
): Promise<Components> {
  const { registry, settings, host, logger, liveness, release, onCall, customMetrics: custom } = options;
  const gates = new Gates();
  const ledger = new Ledger({ clock: host.clock });
  const hotLoops = new HotLoops(host.clock);
  const stuckHandlers = new StuckHandlers({
    host,
    logger: logger.child({ name: "lotse.objects" }),
    settings: settings.execution,
  });
  const { failures, pauses, wishes } = createCare(options);
  // Loading either module takes as long as the rest of the start: it is loaded only where it is used.
  const metrics = liveness === undefined
    ? undefined
    : new (await import("../engines/metrics/metrics.ts")).Metrics({ host, release, custom });
  const lateMetrics = metrics === undefined && options.questions ? createLateMetrics(options) : undefined;
  const tracing = isTraced() ? new (await import("../engines/tracing.ts")).Tracing() : undefined;
  const calls = onCall && new Calls(host.clock, onCall);
  const recentCalls = options.handlesStrayErrors && host.process.losesContext
    ? new RecentCalls(host.clock)
    : undefined;
  const observer = combineObservers(
    [
      ledger,
      hotLoops,
      stuckHandlers,
      failures,
      metrics,
      lateMetrics?.observer,
      tracing,
      recorder,
      calls,
      recentCalls,
    ]
      .filter((each) => each !== undefined),
    reportObserver(logger),
  );
  const onError = (error: unknown, task: string): void => logger.error("Task failed", { task, error });
  const work = new TaskGroup({ onError });
  const indexing = new Indexing({
    handlers: registry.all(INDEX),
    handlersOf: (resource) => registry.of(resource).of(INDEX),
    clock: host.clock,
    random: host.random,
    logger: logger.child({ name: "lotse.objects" }),
    defaultBackoff: () => settings.execution.defaultBackoff,
    tasks: work,
    observer,
    signal: gates.handlers,
  });
  indexing.block(STARTING);
  return {
    gates,
    listeners: new Listeners(host),
    ledger,
    hotLoops,
    stuckHandlers,
    failures,
    pauses,
    wishes,
    recentCalls,
    metrics,
    lateMetrics,
    observer,
    indexing,
    tasks: createTasks(options, { gates, indexing, observer }),
    caches: new Caches(),
    work,
    failed: new AbortController(),
    [Symbol.dispose]: () => {
      indexing[Symbol.dispose]();
      stuckHandlers[Symbol.dispose]();
      metrics?.[Symbol.dispose]();
      lateMetrics?.[Symbol.dispose]();
    },
  };
}

/** Creates the engines that know which objects need care. */
function createCare(
  { host: { clock }, settings }: RunningOptions,
): Pick<Components, "failures" | "pauses" | "wishes"> {
  return {
    failures: new Failures({
      clock,
      confidentialOf: (resource) => confidentialFieldsOf(settings.persistence, resource),
    }),
    wishes: new Wishes(() => prefixOf(settings)),
    pauses: new Pauses({
      clock,
      annotation: pauseAnnotation(settings),
      isAllowed: () => settings.execution.objectPauses,
    }),
  };
}

function createLateMetrics({ host, release, customMetrics: custom }: RunningOptions): LateMetrics {
  return new LateMetrics(async () => {
    const { Metrics } = await import("../engines/metrics/metrics.ts");
    return new Metrics({ host, release, custom });
  });
}

/** Returns the brake for daemons and timers that wake themselves. */
export function createBrake({ observer, hotLoops, gates }: Components, client: Client): Brake {
  const toLooping = (state: Subject, logger: Logger): LoopingReconcile => {
    return { state, logger, client, observer, signal: gates.handlers };
  };
  return {
    findOtherWriters: (subject, logger) =>
      hotLoops.isSuspicious(subject, true)
        ? hotLoops.findOtherWriters(toLooping(subject, logger))
        : undefined,
    pauseAfter: (subject, logger) => hotLoops.pauseAfter(toLooping(subject, logger)),
  };
}

function createTasks(
  { registry, host: { clock }, logger, memo }: RunningOptions,
  { gates, indexing: { indices }, observer }: Pick<Components, "gates" | "indexing" | "observer">,
): Tasks {
  return new Tasks({
    handlers: registry.all(TASK),
    clock,
    logger,
    memo,
    indices,
    gate: gates.peering,
    observer,
  });
}

/** Logs once per method that an observer throws: the observed work goes on. */
function reportObserver(logger: Logger): (error: unknown, method: string) => void {
  const reported = new Set<string>();
  return (error, method) => {
    if (reported.has(method)) return;
    reported.add(method);
    logger.error("An observer (metrics, tracing) throws: it misses what it should have been told", {
      method,
      error,
    });
  };
}

/** Returns the name of the annotation that pauses an object, made once: it is asked for in each turn, and may change at the start. */
function pauseAnnotation(settings: Pick<Settings, "persistence">): () => string {
  let [known, name] = ["", ""];
  return () => {
    const { finalizer } = settings.persistence;
    if (finalizer !== known) [known, name] = [finalizer, `${prefixOf(settings)}/pause`];
    return name;
  };
}

/** The domain of the annotations by which people steer objects. */
function prefixOf({ persistence: { finalizer } }: Pick<Settings, "persistence">): string {
  return finalizer.slice(0, Math.max(0, finalizer.indexOf("/"))) || finalizer;
}
