/**
 * Counters, gauges and histograms, and their text.
 *
 * Written here, as the one package that everybody takes brings quantiles and a tracing API along: a tenth of an executable, and
 * 80 ms of a start. A test holds the text against that package's. Source: Prometheus, docs/instrumenting/exposition_formats,
 * "Text-based format".
 */

/** Default bounds of histograms, in seconds: of what may take long. */
const DURATIONS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The labels of one series: a value for each name that was declared. */
export type Labels<Label extends string> = { readonly [Name in Label]: string | number };

/** Text and labels of a metric. */
interface Declaration {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The series of one metric, by the values of their labels. Without labels there is one from the beginning. */
class Family<State> {
  readonly declaration: Declaration;
  readonly #begin: () => State;
  readonly #series = new Map<string, { readonly values: readonly string[]; readonly state: State }>();

  constructor(declaration: Declaration, begin: () => State) {
    this.declaration = declaration;
    this.#begin = begin;
    if (declaration.labels.length === 0) this.of({});
  }

  /** Returns the state of a series, which begins here. */
  of(labels: Labels<string>): State {
    let key = "";
    for (const name of this.declaration.labels) {
      const value = String(labels[name]);
      key += `${value.length}:${value}`; // Whatever is in them, no two are alike.
    }
    const known = this.#series.get(key);
    if (known !== undefined) return known.state;
    const state = this.#begin();
    this.#series.set(key, { values: this.declaration.labels.map((name) => String(labels[name])), state });
    return state;
  }

  forget(): void {
    this.#series.clear();
  }

  /** Calls back with each series: its labels as text, without braces. */
  each(visit: (labels: string, state: State) => void): void {
    const { labels } = this.declaration;
    for (const { values, state } of this.#series.values()) {
      visit(labels.map((name, at) => `${name}="${escapeLabel(values[at] ?? "")}"`).join(","), state);
    }
  }
}

/** A number that changes. */
interface Value {
  value: number;
}

/** Counts what happens. */
export class Counter<Label extends string> {
  readonly #family: Family<Value>;

  constructor(family: Family<Value>) {
    this.#family = family;
  }

  /** Adds to the count of a series. Default: 1. */
  inc(labels: Labels<Label>, by = 1): void {
    this.#family.of(labels).value += by;
  }
}

/** Says how much there is of something. */
export class Gauge<Label extends string> {
  readonly #family: Family<Value>;

  constructor(family: Family<Value>) {
    this.#family = family;
  }

  set(labels: Labels<Label>, value: number): void {
    this.#family.of(labels).value = value;
  }

  /** Adds to a series. Default: 1. */
  inc(labels: Labels<Label>, by = 1): void {
    this.#family.of(labels).value += by;
  }

  dec(labels: Labels<Label>): void {
    this.#family.of(labels).value -= 1;
  }

  /** Forgets all series. */
  reset(): void {
    this.#family.forget();
  }
}

/** The values that a histogram has seen. */
interface Seen {
  /** How many fell into each bucket; those beyond the last bound are in `count` alone. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts how large what happens is. */
export class Histogram<Label extends string> {
  readonly #family: Family<Seen>;
  readonly #bounds: readonly number[];

  constructor(family: Family<Seen>, bounds: readonly number[]) {
    this.#family = family;
    this.#bounds = bounds;
  }

  /** Counts one value. */
  observe(labels: Labels<Label>, value: number): void {
    const seen = this.#family.of(labels);
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at >= 0) seen.counts[at] = (seen.counts[at] ?? 0) + 1;
    seen.sum += value;
    seen.count++;
  }
}

/** Makes metrics, and returns their text. */
export class Instruments {
  readonly #texts = new Map<string, () => string>();
  readonly #labels = new Map<string, readonly string[]>();
  /** The media type of the text. */
  readonly contentType = "text/plain; version=0.0.4; charset=utf-8";

  /** The names of all metrics. */
  get names(): string[] {
    return [...this.#texts.keys()];
  }

  /** The labels of each metric. */
  get labels(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#labels);
  }

  /** All metrics in Prometheus' text format, with an empty line between them; "" if there are none. */
  text(): string {
    return [...this.#texts.values()].map((text) => text()).join("\n");
  }

  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label> {
    const family = new Family<Value>({ name, help, labels }, () => ({ value: 0 }));
    this.#add("counter", family, () => linesOf(family));
    return new Counter(family);
  }

  /** A gauge; `read` is called before each look. */
  gauge<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read?: (gauge: Gauge<Label>) => void,
  ): Gauge<Label> {
    const family = new Family<Value>({ name, help, labels }, () => ({ value: 0 }));
    const gauge = new Gauge<Label>(family);
    this.#add("gauge", family, () => {
      read?.(gauge);
      return linesOf(family);
    });
    return gauge;
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    { labels, buckets = DURATIONS }: {
      readonly labels: readonly Label[];
      readonly buckets?: readonly number[];
    },
  ): Histogram<Label> {
    const bounds = [...buckets];
    const begin = (): Seen => ({ counts: bounds.map(() => 0), sum: 0, count: 0 });
    const family = new Family<Seen>({ name, help, labels }, begin);
    this.#add("histogram", family, () => bucketsOf(family, bounds));
    return new Histogram(family, bounds);
  }

  /** A gauge that is read when somebody looks, for each kind. */
  pulled(name: string, help: string, read: () => ReadonlyMap<string, number>, label = "kind"): void {
    this.gauge(name, help, [label], (gauge) => {
      gauge.reset();
      for (const [kind, value] of read()) gauge.set({ [label]: kind }, value);
    });
  }

  single(name: string, help: string, read: () => number): void {
    this.gauge(name, help, [], (gauge) => gauge.set({}, read()));
  }

  #add<State>(type: string, { declaration }: Family<State>, lines: () => string[]): void {
    const { name, help, labels } = declaration;
    this.#labels.set(name, labels);
    const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
    this.#texts.set(name, () => [...head, ...lines(), ""].join("\n"));
  }
}

function linesOf(family: Family<Value>): string[] {
  const lines: string[] = [];
  family.each((labels, { value }) => lines.push(line(family.declaration.name, labels, value)));
  return lines;
}

/** Each bucket has those below, too. */
function bucketsOf(family: Family<Seen>, bounds: readonly number[]): string[] {
  const lines: string[] = [];
  const { name } = family.declaration;
  family.each((labels, { counts, sum, count }) => {
    const behind = labels === "" ? "" : `,${labels}`;
    let below = 0;
    for (const [at, bound] of bounds.entries()) {
      below += counts[at] ?? 0;
      lines.push(line(`${name}_bucket`, `le="${bound}"${behind}`, below));
    }
    lines.push(line(`${name}_bucket`, `le="+Inf"${behind}`, count));
    lines.push(line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count));
  });
  return lines;
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${numberText(value)}`;
}

/** As Go reads it. */
function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
