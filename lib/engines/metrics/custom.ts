/**
 * Metrics of the author's own: `op.metrics`. They count from the moment that they are declared, whether anybody scrapes or not,
 * and come in the text of the operator's own metrics.
 *
 * Source: Prometheus, docs/practices/naming and docs/instrumenting/exposition_formats.
 */

import { Metric, SECONDS } from "./metric.ts";

/** The labels of one series, by their names. */
export type LabelValues<Label extends string> = { readonly [Name in Label]: string | number };

/** Options of a metric. */
export interface MetricOptions<Label extends string> {
  /** One sentence for readers. */
  readonly help: string;
  /** Names of its labels. Values should be few: kinds and outcomes, not names of objects. Default: none. */
  readonly labels?: readonly Label[];
}

/** Options of a histogram. */
export interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper bounds, growing. Default: from 5 ms to 60 s, for seconds. */
  readonly buckets?: readonly number[];
}

/** Counts what happens. */
export interface Counter<Label extends string> {
  /** Adds to the count: 1, or that many; 0 or more. */
  inc(...args: [Label] extends [never] ? [by?: number] : [labels: LabelValues<Label>, by?: number]): void;
}

/** Says how much there is of something. */
export interface Gauge<Label extends string> {
  /** Sets the value. */
  set(...args: [Label] extends [never] ? [value: number] : [labels: LabelValues<Label>, value: number]): void;
  /** Adds to the value: 1, or that much. */
  inc(...args: [Label] extends [never] ? [by?: number] : [labels: LabelValues<Label>, by?: number]): void;
}

/** Counts how large what happens is. */
export interface Histogram<Label extends string> {
  /** Counts one value. */
  observe(
    ...args: [Label] extends [never] ? [value: number] : [labels: LabelValues<Label>, value: number]
  ): void;
}

/**
 * Makes metrics of the author's own, which are served at `/metrics` with those of the operator.
 *
 * All throw a TypeError for a name that Prometheus would not take, that is there already, or that begins like the operator's own.
 *
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 *
 * const op = operator();
 * const backups = op.metrics.counter("shop_backups_total", { help: "Backups, by how they ended", labels: ["result"] });
 *
 * op.on.create("backups.example.com", () => backups.inc({ result: "done" }));
 * ```
 */
export interface MetricsMaker {
  /** Makes a counter; its name ends with "_total". */
  counter<const Label extends string = never>(name: string, options: MetricOptions<Label>): Counter<Label>;
  /** Makes a gauge. */
  gauge<const Label extends string = never>(name: string, options: MetricOptions<Label>): Gauge<Label>;
  /** Makes a histogram. */
  histogram<const Label extends string = never>(
    name: string,
    options: HistogramOptions<Label>,
  ): Histogram<Label>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** The beginnings of the operator's own names. */
const TAKEN = /^(lotse|controller_runtime|workqueue|rest_client|leader_election|process|nodejs|go)_/;

/** The metrics of one operator. */
export class CustomMetrics implements MetricsMaker {
  readonly #metrics = new Map<string, Metric>();

  counter<const Label extends string = never>(name: string, options: MetricOptions<Label>): Counter<Label> {
    if (!name.endsWith("_total")) refuse(name, 'names of counters end with "_total"');
    const metric = this.#add(name, "counter", options);
    return {
      inc: (...args: readonly unknown[]) => {
        const { series, value } = metric.take(args, 1);
        if (value < 0) throw new RangeError(`Cannot add ${value} to counter "${name}": it only grows`);
        series.value += value;
      },
    };
  }

  gauge<const Label extends string = never>(name: string, options: MetricOptions<Label>): Gauge<Label> {
    const metric = this.#add(name, "gauge", options);
    return {
      set: (...args: readonly unknown[]) => {
        const { series, value } = metric.take(args);
        series.value = value;
      },
      inc: (...args: readonly unknown[]) => {
        const { series, value } = metric.take(args, 1);
        series.value += value;
      },
    };
  }

  histogram<const Label extends string = never>(
    name: string,
    options: HistogramOptions<Label>,
  ): Histogram<Label> {
    const { buckets = SECONDS } = options;
    const isGrowing = buckets.every((bound, index) =>
      Number.isFinite(bound) && bound > (buckets[index - 1] ?? -Infinity)
    );
    if (!isGrowing || buckets.length === 0) refuse(name, "its buckets must be numbers that grow");
    const metric = this.#add(name, "histogram", options, buckets);
    return {
      observe: (...args: readonly unknown[]) => {
        const { series, value } = metric.take(args);
        metric.count(series, value);
      },
    };
  }

  /** All of them in Prometheus' text format; "" if there are none. */
  text(): string {
    return [...this.#metrics.values()].map((metric) => metric.text()).join("");
  }

  #add(name: string, type: string, options: MetricOptions<string>, buckets: readonly number[] = []): Metric {
    if (typeof name !== "string" || !NAME.test(name)) refuse(name, 'take letters, digits and "_"');
    if (TAKEN.test(name)) refuse(name, "names that begin so are the operator's own");
    if (this.#metrics.has(name)) refuse(name, "there is one of that name");
    const { help, labels = [] } = options ?? {};
    if (typeof help !== "string" || help === "") refuse(name, "say in `help` what it is");
    for (const label of labels) {
      if (!LABEL.test(label) || label.startsWith("__") || label === "le") {
        refuse(name, `it cannot have label "${label}"`);
      }
    }
    const metric = new Metric({ name, type, help, labels, buckets });
    this.#metrics.set(name, metric);
    return metric;
  }
}

function refuse(name: unknown, why: string): never {
  throw new TypeError(`Cannot make metric "${String(name)}": ${why}`);
}
