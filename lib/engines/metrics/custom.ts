/**
 * Metrics of the author's own: `op.metrics`. They count from the moment that they are declared, whether anybody scrapes or not,
 * and come in the text of the operator's own metrics.
 *
 * Source: Prometheus, docs/practices/naming and docs/instrumenting/exposition_formats.
 */

import type { Instruments } from "./exposition.ts";

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

/** Counts events. */
export interface Counter<Label extends string> {
  /** Adds to the count: 1, or that many; 0 or more. */
  inc(...args: [Label] extends [never] ? [by?: number] : [labels: LabelValues<Label>, by?: number]): void;
}

/** Tells an amount. */
export interface Gauge<Label extends string> {
  /** Sets the value. */
  set(...args: [Label] extends [never] ? [value: number] : [labels: LabelValues<Label>, value: number]): void;
  /** Adds to the value: 1, or that much. */
  inc(...args: [Label] extends [never] ? [by?: number] : [labels: LabelValues<Label>, by?: number]): void;
}

/** Counts sizes of events. */
export interface Histogram<Label extends string> {
  /** Counts one value. */
  observe(
    ...args: [Label] extends [never] ? [value: number] : [labels: LabelValues<Label>, value: number]
  ): void;
}

/**
 * Makes metrics of the author's own, which are served at `/metrics` beside the metrics of the operator.
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

/** How many series a metric may have: later ones are not kept, so that names in labels cannot fill the memory. */
const MOST_SERIES = 10_000;

/**
 * The metrics of one operator. They are made by prom-client, which is loaded when the first one is declared, as most
 * operators declare none; calls that come earlier wait for it.
 */
export class CustomMetrics implements MetricsMaker {
  readonly #names = new Set<string>();
  #instruments: Promise<Instruments> | undefined;
  /** Resolves when all metrics that were declared are there. */
  #isMade: Promise<unknown> | undefined;

  counter<const Label extends string = never>(name: string, options: MetricOptions<Label>): Counter<Label> {
    if (!name.endsWith("_total")) refuse(name, 'names of counters end with "_total"');
    const call = this.#declare(name, options, (made, { help, labels }) => made.counter(name, help, labels));
    return {
      inc: (...args: readonly unknown[]) =>
        call(args, (made, labels, value) => made.inc(labels, value), {
          fallback: 1,
          check(value) {
            if (value < 0) throw new RangeError(`Cannot add ${value} to counter "${name}": it only grows`);
          },
        }),
    };
  }

  gauge<const Label extends string = never>(name: string, options: MetricOptions<Label>): Gauge<Label> {
    const call = this.#declare(name, options, (made, { help, labels }) => made.gauge(name, help, labels));
    return {
      set: (...args: readonly unknown[]) => call(args, (made, labels, value) => made.set(labels, value)),
      inc: (...args: readonly unknown[]) =>
        call(args, (made, labels, value) => made.inc(labels, value), { fallback: 1 }),
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
    const call = this.#declare(
      name,
      options,
      (made, { help, labels }) => made.histogram(name, help, { labels, buckets: buckets && [...buckets] }),
    );
    return {
      observe: (...args: readonly unknown[]) =>
        call(args, (made, labels, value) => made.observe(labels, value)),
    };
  }

  /** All of them in Prometheus' text format; "" if there are none. */
  async text(): Promise<string> {
    await this.#isMade;
    return await (await this.#instruments)?.text() ?? "";
  }

  #declare<Made>(
    name: string,
    options: MetricOptions<string>,
    make: (made: Instruments, parts: { readonly help: string; readonly labels: string[] }) => Made,
  ): Call<Made> {
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
    this.#instruments ??= import("./exposition.ts").then(({ Instruments }) => new Instruments());
    const making = this.#instruments.then((made) => make(made, { help, labels: [...labels] }));
    this.#isMade = making;
    return callsOf({ name, labels }, making);
  }
}

/** Demands on the number of a call. */
interface Demands {
  /** The number of calls that give none. */
  readonly fallback?: number;
  /** @throws If the number cannot be. */
  readonly check?: (value: number) => void;
}

type Call<Made> = (
  args: readonly unknown[],
  act: (made: Made, labels: LabelValues<string>, value: number) => void,
  demands?: Demands,
) => void;

/** Passes calls on to a metric: calls that come before it is there wait for it, in their order. */
function callsOf<Made>(metric: Declared, making: Promise<Made>): Call<Made> {
  const series = new Set<string>();
  let made: Made | undefined;
  let waiting: ((made: Made) => void)[] = [];
  making.then((metric) => {
    made = metric;
    for (const act of waiting) act(metric);
    waiting = [];
  });
  return (args, act, { fallback, check } = {}) => {
    const { labels, value } = readCall(metric, args, fallback);
    check?.(value);
    const key = JSON.stringify(metric.labels.map((label) => String(labels[label])));
    if (!series.has(key) && series.size >= MOST_SERIES) return;
    series.add(key);
    if (made === undefined) waiting.push((made) => act(made, labels, value));
    else act(made, labels, value);
  };
}

interface Declared {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Returns the labels and the number of a call. @throws {TypeError} If the labels are not the declared ones, or it is no number. */
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
