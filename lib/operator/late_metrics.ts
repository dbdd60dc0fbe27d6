/**
 * Metrics that begin to count when `lotse top` asks for the first time: for operators whose metrics no server answers with. Until then
 * nothing is loaded, and nothing is counted.
 */

import type { MetricSources } from "../engines/metrics/gauges.ts";
import type { Metrics } from "../engines/metrics/metrics.ts";
import { HOOKS, type Observer } from "../execution/observer.ts";

/** Forwards what it is told once somebody has asked. Disposing ends the counting. */
export class LateMetrics implements Disposable {
  readonly #load: () => Promise<Metrics>;
  #loading: Promise<Metrics> | undefined;
  #metrics: Metrics | undefined;
  #sources: MetricSources | undefined;
  /** Hears everything. */
  readonly observer: Observer = this.#forwarder();

  constructor(load: () => Promise<Metrics>) {
    this.#load = load;
  }

  /** Sets where values are read at each scrape that no observer is told of. */
  attach(sources: MetricSources): void {
    this.#sources = sources;
    this.#metrics?.attach(sources);
  }

  /** Returns all metrics as text, as they are since it was asked first. */
  async text(): Promise<string> {
    const metrics = this.#metrics ??= await (this.#loading ??= this.#load());
    if (this.#sources !== undefined) metrics.attach(this.#sources);
    return await metrics.text();
  }

  [Symbol.dispose](): void {
    this.#metrics?.[Symbol.dispose]();
  }

  #forwarder(): Observer {
    const observer: Record<string, (...args: unknown[]) => void> = {};
    for (const hook of HOOKS) {
      observer[hook] = (...args) => {
        const metrics: Observer | undefined = this.#metrics;
        // All hooks take three arguments at most; hooks of one name take the same ones.
        (metrics?.[hook] as ((...args: unknown[]) => void) | undefined)?.apply(metrics, args);
      };
    }
    return observer;
  }
}
