/**
 * Metrics of the author's own: `op.metrics`. They count from the moment that they are declared, whether anybody scrapes or not,
 * and come in the text of the operator's own metrics.
 *
 * Source: Prometheus, docs/practices/naming and docs/instrumenting/exposition_formats.
 */

import { Instruments } from "./instruments.ts";

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

/** How many series a metric may have: those that come later are not kept, so that names in labels cannot fill the memory. */
const MOST_SERIES = 10_000;

/** The metrics of one operator. */
export class CustomMetrics implements MetricsMaker {
  readonly #names = new Set<string>();
  readonly #instruments = new Instruments();

  counter<const Label extends string = never>(name: string, options: MetricOptions<Label>): Counter<Label> {
    if (!name.endsWith("_total")) refuse(name, 'names of counters end with "_total"');
    const { help, labels } = this.#declare(name, options);
    const made = this.#instruments.counter(name, help, labels);
    const call = callsOf({ name, labels });
    return {
      inc: (...args: readonly unknown[]) =>
        call(args, (labels, value) => made.inc(labels, value), {
          fallback: 1,
          check(value) {
            if (value < 0) throw new RangeError(`Cannot add ${value} to counter "${name}": it only grows`);
          },
        }),
    };
  }

  gauge<const Label extends string = never>(name: string, options: MetricOptions<Label>): Gauge<Label> {
    const { help, labels } = this.#declare(name, options);
    const made = this.#instruments.gauge(name, help, labels);
    const call = callsOf({ name, labels });
    return {
      set: (...args: readonly unknown[]) => call(args, (labels, value) => made.set(labels, value)),
      inc: (...args: readonly unknown[]) =>
        call(args, (labels, value) => made.inc(labels, value), { fallback: 1 }),
    };
  }

  histogram<const Label extends string = never>(
    name: string,
    options: HistogramOptions<Label>,
  ): Histogram<Label> {
    const { buckets } = options;
    const isGrowing = buckets?.every((bound, index) =>
      Number.isFinite(bound) && bound > (buckets[index - 1] ?? -Infinity)
    );
    if (isGrowing === false || buckets?.length === 0) refuse(name, "its buckets must be numbers that grow");
    const { help, labels } = this.#declare(name, options);
    const made = this.#instruments.histogram(name, help, { labels, buckets });
    const call = callsOf({ name, labels });
    return {
      observe: (...args: readonly unknown[]) => call(args, (labels, value) => made.observe(labels, value)),
    };
  }

  /** All of them in Prometheus' text format; "" if there are none. */
  text(): string {
    return this.#instruments.text();
  }

  /** Takes a name, and returns what else was declared. */
  #declare(name: string, options: MetricOptions<string>): Required<MetricOptions<string>> {
    if (typeof name !== "string" || !NAME.test(name)) refuse(name, 'take letters, digits and "_"');
    if (TAKEN.test(name)) refuse(name, "names that begin so are the operator's own");
    if (this.#names.has(name)) refuse(name, "there is one of that name");
    const { help, labels = [] } = options ?? {};
    if (typeof help !== "string" || help === "") refuse(name, "say in `help` what it is");
    for (const label of labels) {
      if (!LABEL.test(label) || label.startsWith("__") || label === "le") {
        refuse(name, `it cannot have label "${label}"`);
      }
    }
    this.#names.add(name);
    return { help, labels: [...labels] };
  }
}

/** Demands on the number of a call. */
interface Demands {
  /** The number of calls that give none. */
  readonly fallback?: number;
  /** @throws If the number cannot be. */
  readonly check?: (value: number) => void;
}

type Call = (
  args: readonly unknown[],
  act: (labels: LabelValues<string>, value: number) => void,
  demands?: Demands,
) => void;

/** Passes calls on to a metric, if they are right. */
function callsOf(metric: Declared): Call {
  const series = new Set<string>();
  return (args, act, { fallback, check } = {}) => {
    const { labels, value } = readCall(metric, args, fallback);
    check?.(value);
    const key = JSON.stringify(metric.labels.map((label) => String(labels[label])));
    if (!series.has(key) && series.size >= MOST_SERIES) return;
    series.add(key);
    act(labels, value);
  };
}

interface Declared {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Returns the labels and the number of a call. @throws {TypeError} If the labels are not those declared, or it is no number. */
function readCall(
  { name, labels }: Declared,
  args: readonly unknown[],
  fallback?: number,
): { readonly labels: LabelValues<string>; readonly value: number } {
  const [given, value = fallback] = labels.length === 0 ? [{}, args[0] ?? fallback] : args;
  const names = Object.keys(given ?? {});
  if (names.length !== labels.length || !labels.every((label) => names.includes(label))) {
    throw new TypeError(
      `Cannot count in "${name}": its labels are ${labels.map((each) => `"${each}"`).join(", ")}`,
    );
  }
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw new TypeError(`Cannot count ${String(value)} in "${name}": pass a number`);
  }
  return { labels: given as LabelValues<string>, value }; // has the names that were just looked at
}

function refuse(name: unknown, why: string): never {
  throw new TypeError(`Cannot make metric "${String(name)}": ${why}`);
}
