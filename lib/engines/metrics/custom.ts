/**
 * Metrics of the author's own: `op.metrics`. They count from the moment that they are declared, whether anybody scrapes or not,
 * and come in the text of the operator's own metrics.
 *
 * Source: Prometheus, docs/practices/naming and docs/instrumenting/exposition_formats.
 */

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

const SECONDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** How many series a metric may have: those that come later are not kept, so that names in labels cannot fill the memory. */
const MOST_SERIES = 10_000;

interface Series {
  readonly labels: string;
  value: number;
  /** Of histograms: how many values were not above each bound. */
  readonly counts: number[];
}

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
        series.value += value;
        [...buckets, Infinity].forEach((bound, index) => {
          if (value <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
        });
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

interface MetricParts {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets: readonly number[];
}

class Metric {
  readonly #parts: MetricParts;
  readonly #series = new Map<string, Series>();

  constructor(parts: MetricParts) {
    this.#parts = parts;
  }

  /** Returns the series and the number that a call is about. @throws {TypeError} If the labels are not those declared. */
  take(args: readonly unknown[], fallback?: number): { readonly series: Series; readonly value: number } {
    const { name, labels } = this.#parts;
    const [given, number = fallback] = labels.length === 0 ? [{}, args[0] ?? fallback] : args;
    const names = Object.keys(given ?? {});
    if (names.length !== labels.length || !labels.every((label) => names.includes(label))) {
      throw new TypeError(
        `Cannot count in "${name}": its labels are ${labels.map((each) => `"${each}"`).join(", ")}`,
      );
    }
    if (typeof number !== "number" || Number.isNaN(number)) {
      throw new TypeError(`Cannot count ${String(number)} in "${name}": pass a number`);
    }
    const values = given as Readonly<Record<string, unknown>>; // has the names that were just looked at
    const key = labels.map((label) => `${label}="${escape(String(values[label]), true)}"`).join(",");
    return { series: this.#seriesOf(key), value: number };
  }

  text(): string {
    const { name, help, type, buckets } = this.#parts;
    const lines = [`# HELP ${name} ${escape(help)}`, `# TYPE ${name} ${type}`];
    for (const { labels, value, counts } of this.#series.values()) {
      if (type !== "histogram") {
        lines.push(`${name}${braced(labels)} ${format(value)}`);
        continue;
      }
      [...buckets, Infinity].forEach((bound, index) => {
        const le = `le="${format(bound)}"`;
        lines.push(`${name}_bucket${braced(labels === "" ? le : `${labels},${le}`)} ${counts[index] ?? 0}`);
      });
      lines.push(`${name}_sum${braced(labels)} ${format(value)}`);
      lines.push(`${name}_count${braced(labels)} ${counts[buckets.length] ?? 0}`);
    }
    return `${lines.join("\n")}\n`;
  }

  #seriesOf(labels: string): Series {
    const known = this.#series.get(labels);
    if (known !== undefined) return known;
    const series: Series = { labels, value: 0, counts: [] };
    if (this.#series.size < MOST_SERIES) this.#series.set(labels, series);
    return series;
  }
}

function refuse(name: unknown, why: string): never {
  throw new TypeError(`Cannot make metric "${String(name)}": ${why}`);
}

function braced(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function format(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escape(text: string, isQuoted = false): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return isQuoted ? escaped.replaceAll('"', '\\"') : escaped;
}
