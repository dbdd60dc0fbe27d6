/**
 * What metrics are made of: the only file that knows prom-client.
 */

import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** In seconds: of what may take long. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Makes metrics, and gives their text. */
export class Instruments {
  readonly #registry = new Registry();
  readonly #labels = new Map<string, readonly string[]>();

  /** The names of all metrics. */
  get names(): string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  /** The labels of each metric. */
  get labels(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#labels);
  }

  /** What the text is. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  counter<Label extends string>(name: string, help: string, labels: Label[]): Counter<Label> {
    this.#labels.set(name, labels);
    return new Counter({ name, help, labelNames: labels, registers: [this.#registry] });
  }

  gauge<Label extends string>(name: string, help: string, labels: Label[]): Gauge<Label> {
    this.#labels.set(name, labels);
    return new Gauge({ name, help, labelNames: labels, registers: [this.#registry] });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    { labels, buckets = DURATIONS }: { readonly labels: Label[]; readonly buckets?: number[] },
  ): Histogram<Label> {
    this.#labels.set(name, labels);
    return new Histogram({ name, help, labelNames: labels, buckets, registers: [this.#registry] });
  }

  /** A gauge that is read when somebody looks, for each kind. */
  pulled(name: string, help: string, read: () => ReadonlyMap<string, number>, label = "kind"): void {
    this.#labels.set(name, [label]);
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [kind, value] of read()) this.set({ [label]: kind }, value);
      },
    });
  }

  single(name: string, help: string, read: () => number): void {
    this.#labels.set(name, []);
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
