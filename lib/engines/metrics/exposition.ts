/**
 * Counters, gauges and histograms: the only file that knows prom-client.
 */

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Clock, Seconds } from "../../runtime/host.ts";

/** Default bounds of histograms of long work. In seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Makes metrics, and returns their text. */
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

  /** The media type of the text. */
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

  /** A gauge that is read at each scrape, with one value for each label value; several labels have the same value. */
  pulled(
    name: string,
    help: string,
    read: () => ReadonlyMap<string, number>,
    ...labels: readonly string[]
  ): void {
    const names = labels.length === 0 ? ["kind"] : labels;
    this.table(name, help, {
      labels: names,
      read: () => [...read()].map(([label, value]) => [names.map(() => label), value]),
    });
  }

  /** The same with several labels: `read` returns their values, in the order of the labels, and the number. */
  table(
    name: string,
    help: string,
    { labels, read }: {
      readonly labels: readonly string[];
      readonly read: () => Iterable<readonly [values: readonly string[], value: number]>;
    },
  ): void {
    this.#labels.set(name, labels);
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [values, value] of read()) {
          this.set(Object.fromEntries(labels.map((label, place) => [label, values[place] ?? ""])), value);
        }
      },
    });
  }

  /** The same without labels. */
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

// Answers scrapes, however slowly clients read, so that none of them can make the process keep much.
// The text is made once for all requests at the same time, as bytes, which are handed out in pieces: the next one only when the
// client has taken the one before. Only so many may read at once, others are told to come again; and a client that has not read
// everything after a minute is cut off.

export interface ScrapesOptions {
  readonly clock: Clock;
  readonly contentType: string;
  /** Makes the text. */
  readonly render: () => Promise<string>;
}

/** How many clients may read at once. */
const MOST_CLIENTS = 16;

/** How long a client may take to read. Prometheus itself gives up after ten seconds, by default. */
const READ_TIMEOUT: Seconds = 60;

/** When clients that were refused should come again. */
const RETRY_AFTER: Seconds = 10;

/** How many bytes are sent at once. */
const CHUNK_SIZE = 65_536;

/** The clients that read the text. */
export class Scrapes {
  readonly #options: ScrapesOptions;
  #making: Promise<Uint8Array> | undefined;
  #open = 0;

  constructor(options: ScrapesOptions) {
    this.#options = options;
  }

  /** How many clients are reading. */
  get open(): number {
    return this.#open;
  }

  /** Answers a client. */
  async answer({ method }: Pick<Request, "method">): Promise<Response> {
    if (this.#open >= MOST_CLIENTS) return refusal();
    this.#open++;
    let isTaken = false;
    try {
      const bytes = await this.#current();
      const headers = { "content-type": this.#options.contentType, "content-length": String(bytes.length) };
      // NB: a HEAD request never takes the body, nor says that it does not.
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
        timer = this.#options.clock.after(READ_TIMEOUT, () => {
          end();
          controller.error(new Error(`The client has not read everything within ${READ_TIMEOUT} s`));
        });
      },
      pull(controller) {
        if (given < bytes.length) return controller.enqueue(bytes.subarray(given, given += CHUNK_SIZE));
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
