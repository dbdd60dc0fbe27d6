/**
 * Who looks on while an operator runs: the ledger, the detector of hot loops, and metrics where they are served.
 */

import type { TransportObserver } from "../client/transport/transport.ts";
import { HotLoops } from "../engines/hot_loop.ts";
import { Ledger } from "../engines/ledger.ts";
import type { Metrics } from "../engines/metrics/metrics.ts";
import type { Tracing } from "../engines/tracing.ts";
import { combineObservers, type Observer } from "../execution/observer.ts";
import type { Host } from "../runtime/host.ts";
import { isTraced } from "../runtime/context.ts";

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
