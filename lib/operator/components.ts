/**
 * What there is before an operator serves: what it was given, who looks on, and indexes that exist and are empty.
 */

import { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { GivenCredentials } from "../client/auth/login.ts";
import { Ledger } from "../engines/ledger.ts";
import type { Poster } from "../engines/posting/poster.ts";
import { Indexing } from "../engines/indexing/indexing.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import type { Registry } from "../registry/registry.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import type { TransportObserver } from "../client/transport/transport.ts";
import { HotLoops } from "../engines/hot_loop.ts";
import type { Metrics } from "../engines/metrics/metrics.ts";
import type { Tracing } from "../engines/tracing.ts";
import { combineObservers, type Observer } from "../execution/observer.ts";
import { isTraced } from "../runtime/context.ts";

/** What a run is given. */
export interface RunningOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly registry: Registry;
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
  /** Under which name it meets other operators. */
  readonly identity: string;
  /** Called when the operator has started, and begins to watch. */
  readonly onReady: () => void;
  /** Called when every kind has been listed for the first time. */
  readonly onSynced: () => void;
  /** Called with the connection as long as there is one, then with undefined. */
  readonly onClient: (client: Client | undefined) => void;
  /** Called with the run's ledger, which outlives the run. */
  readonly onLedger: (ledger: Ledger) => void;
  /** Called with what posts events as long as there is one, then with undefined. */
  readonly onPoster: (poster: Poster | undefined) => void;
}

/** What keeps handlers waiting until it is known which kinds have indexes. */
export const STARTING = "starting";

/** What there is before an operator serves. */
export interface Ground {
  readonly onlookers: Onlookers;
  readonly indexing: Indexing;
  /** Cycles of objects, and whatever else handlers do. */
  readonly work: TaskGroup;
  /** Aborts when handlers must stop. */
  readonly handlers: AbortController;
  /** Aborts with an error that ends the operator. */
  readonly failed: AbortController;
}

/** Makes what there is before an operator serves: indexes exist, and are empty, from the beginning. */
export async function prepareGround(options: RunningOptions): Promise<Ground> {
  const { registry, settings, host, logger, onLedger } = options;
  const onlookers = await gatherOnlookers(options);
  onLedger(onlookers.ledger);
  const onError = (error: unknown, task: string): void => logger.error("Task failed", { task, error });
  const work = new TaskGroup({ onError });
  const handlers = new AbortController();
  const indexing = new Indexing({
    handlers: registry.indexHandlers,
    handlersOf: (resource) => registry.indexesOf(resource),
    clock: host.clock,
    logger: logger.child({ name: "lotse.objects" }),
    defaultBackoff: () => settings.execution.defaultBackoff,
    tasks: work,
    observer: onlookers.observer,
    signal: handlers.signal,
  });
  indexing.block(STARTING);
  return { onlookers, indexing, work, handlers, failed: new AbortController() };
}

// Who looks on while an operator runs: the ledger, the detector of hot loops, and metrics where they are served.

/** Those of one run. Disposing ends what they have going on. */
export interface Onlookers extends Disposable {
  readonly ledger: Ledger;
  readonly hotLoops: HotLoops;
  /** Undefined where nobody could ask for them. */
  readonly metrics: Metrics | undefined;
  /** Those that also want to see requests. */
  readonly requests: readonly TransportObserver[];
  /** Tells all of them. */
  readonly observer: Observer;
}

export interface OnlookersOptions {
  readonly host: Host;
  /** The address of probes, if there are any: metrics are served there too. */
  readonly liveness?: string;
}

/** Makes those of one run. */
export async function gatherOnlookers({ host, liveness }: OnlookersOptions): Promise<Onlookers> {
  const ledger = new Ledger({ clock: host.clock });
  const hotLoops = new HotLoops(host.clock);
  const metrics = liveness === undefined ? undefined : await loadMetrics(host);
  const tracing = isTraced() ? await loadTracing() : undefined;
  const both = [...metrics === undefined ? [] : [metrics], ...tracing === undefined ? [] : [tracing]];
  return {
    ledger,
    hotLoops,
    metrics,
    observer: combineObservers([ledger, hotLoops, ...both]),
    requests: both,
    [Symbol.dispose]: () => metrics?.[Symbol.dispose](),
  };
}

/** NB: loading takes as long as everything else at the start together: it is done only where somebody may scrape. */
async function loadMetrics(host: Host): Promise<Metrics> {
  const { Metrics } = await import("../engines/metrics/metrics.ts");
  return new Metrics({ host });
}

/** The same goes for OpenTelemetry's API. */
async function loadTracing(): Promise<Tracing> {
  const { Tracing } = await import("../engines/tracing.ts");
  return new Tracing();
}
