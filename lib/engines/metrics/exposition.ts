/**
 * The operator's own counters, gauges and histograms, and how they are handed to those who scrape.
 */

import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Counter, Gauge, Histogram, LabelValues } from "./custom.ts";
import { Metric, type MetricParts, SECONDS } from "./metric.ts";

/** A gauge that can be counted down, too. */
export interface UpAndDown<Label extends string> extends Gauge<Label> {
  dec(labels: LabelValues<Label>): void;
}

/** Makes metrics, and gives their text. */
export class Instruments {
  readonly #metrics = new Map<string, Metric>();
  /** Fill the gauges that are read when somebody looks. */
  readonly #pulls: (() => void)[] = [];
  readonly #labels = new Map<string, readonly string[]>();

  /** The names of all metrics. */
  get names(): string[] {
    return [...this.#metrics.keys()];
  }

  /** The labels of each metric. */
  get labels(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#labels);
  }

  /** The media type of the text. */
  get contentType(): string {
    return "text/plain; version=0.0.4; charset=utf-8";
  }

  /** All metrics in Prometheus' text format. */
  text(): string {
    for (const pull of this.#pulls) pull();
    return [...this.#metrics.values()].map((metric) => metric.text()).join("");
  }

  counter<Label extends string>(name: string, help: string, labels: Label[]): Counter<Label> {
    const metric = this.#add({ name, help, type: "counter", labels, buckets: [] });
    return { inc: (...args: readonly unknown[]) => add(metric, args) };
  }

  gauge<Label extends string>(name: string, help: string, labels: Label[]): UpAndDown<Label> {
    const metric = this.#add({ name, help, type: "gauge", labels, buckets: [] });
    return {
      set: (...args: readonly unknown[]) => set(metric, args),
      inc: (...args: readonly unknown[]) => add(metric, args),
      dec: (of) => add(metric, [of, -1]),
    };
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    { labels, buckets = SECONDS }: { readonly labels: Label[]; readonly buckets?: readonly number[] },
  ): Histogram<Label> {
    const metric = this.#add({ name, help, type: "histogram", labels, buckets });
    return {
      observe(...args: readonly unknown[]) {
        const { series, value } = metric.take(args);
        metric.count(series, value);
      },
    };
  }

  /** A gauge that is read when somebody looks, for each kind. */
  pulled(name: string, help: string, read: () => ReadonlyMap<string, number>, label = "kind"): void {
    const metric = this.#add({ name, help, type: "gauge", labels: [label], buckets: [] });
    this.#pulls.push(() => {
      metric.clear();
      for (const [kind, value] of read()) set(metric, [{ [label]: kind }, value]);
    });
  }

  single(name: string, help: string, read: () => number): void {
    const metric = this.#add({ name, help, type: "gauge", labels: [], buckets: [] });
    this.#pulls.push(() => set(metric, [read()]));
  }

  #add(parts: MetricParts): Metric {
    const { name, labels } = parts;
    if (this.#metrics.has(name)) {
      throw new TypeError(`Cannot make metric "${name}": there is one of that name`);
    }
    const metric = new Metric(parts);
    this.#labels.set(name, labels);
    this.#metrics.set(name, metric);
    // Without labels there is one series, which begins at 0.
    if (labels.length === 0) metric.take([], 0);
    return metric;
  }
}

function add(metric: Metric, args: readonly unknown[]): void {
  const { series, value } = metric.take(args, 1);
  series.value += value;
}

function set(metric: Metric, args: readonly unknown[]): void {
  const { series, value } = metric.take(args);
  series.value = value;
}

// Returns text to whoever asks for it, however slowly they take it, so that none of them can make the process keep much.
// The text is made once for all who ask at the same time, as bytes, which are handed out in pieces: the next one only when the
// client has taken the one before. Only so many may be at it at once, others are told to come again; and who has not taken
// everything after a minute is cut off.

export interface ScrapesOptions {
  readonly clock: Clock;
  readonly contentType: string;
  /** Makes the text. */
  readonly render: () => Promise<string>;
}

/** How many may be at it at once. */
const MOST = 16;

/** For how long one may. Prometheus itself gives up after ten seconds, by default. */
const LONGEST: Seconds = 60;

/** When to come again. */
const RETRY_AFTER: Seconds = 10;

/** How many bytes are given at once. */
const PIECE = 65_536;

/** All who read the same text. */
export class Scrapes {
  readonly #options: ScrapesOptions;
  #making: Promise<Uint8Array> | undefined;
  #open = 0;

  constructor(options: ScrapesOptions) {
    this.#options = options;
  }

  /** How many are at it now. */
  get open(): number {
    return this.#open;
  }

  /** Answers one. */
  async answer({ method }: Pick<Request, "method">): Promise<Response> {
    if (this.#open >= MOST) return refusal();
    this.#open++;
    let isTaken = false;
    try {
      const bytes = await this.#current();
      const headers = { "content-type": this.#options.contentType, "content-length": String(bytes.length) };
      // NB: who asks for the head alone never takes the body, nor says that it does not.
      if (method === "HEAD") return new Response(null, { headers });
      isTaken = true;
      return new Response(this.#give(bytes), { headers });
    } finally {
      if (!isTaken) this.#open--;
    }
  }

  #current(): Promise<Uint8Array> {
    return this.#making ??= this.#options.render()
      .then((text) => new TextEncoder().encode(text))
      .finally(() => this.#making = undefined);
  }

  #give(bytes: Uint8Array): ReadableStream<Uint8Array> {
    let given = 0;
    let timer: Disposable | undefined;
    const end = (): void => {
      if (timer === undefined) return;
      timer[Symbol.dispose]();
      timer = undefined;
      this.#open--;
    };
    return new ReadableStream({
      start: (controller) => {
        timer = this.#options.clock.after(LONGEST, () => {
          end();
          controller.error(new Error(`The client has not read everything within ${LONGEST} s`));
        });
      },
      pull(controller) {
        if (given < bytes.length) return controller.enqueue(bytes.subarray(given, given += PIECE));
        end();
        controller.close();
      },
      cancel: end,
    }, { highWaterMark: 0 });
  }
}

function refusal(): Response {
  return new Response("Too many clients are reading at once: come again\n", {
    status: 503,
    headers: { "content-type": "text/plain; charset=utf-8", "retry-after": String(RETRY_AFTER) },
  });
}
