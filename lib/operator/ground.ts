/**
 * What there is before an operator serves: what it was given, who looks on, and indexes that exist and are empty.
 */

import { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { GivenCredentials } from "../client/auth/login.ts";
import type { Ledger } from "../engines/ledger.ts";
import type { Poster } from "../engines/posting/poster.ts";
import { Indexing } from "../engines/indexing/indexing.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import type { Registry } from "../registry/registry.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import { gatherOnlookers, type Onlookers } from "./onlookers.ts";

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
