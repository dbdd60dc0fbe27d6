/**
 * One metric: its series by their labels, and its text in Prometheus' format.
 *
 * Source: Prometheus, docs/instrumenting/exposition_formats.
 */

/** Default bounds of histograms, in seconds: of what may take long. */
export const SECONDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** How many series a metric may have: those that come later are not kept, so that names in labels cannot fill the memory. */
const MOST_SERIES = 10_000;

/** The numbers for one set of labels. */
export interface Series {
  readonly labels: string;
  value: number;
  /** Of histograms: how many values were not above each bound. */
  readonly counts: number[];
}

/** The facts of a metric that stay. */
export interface MetricParts {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets: readonly number[];
}

/** A counter, a gauge or a histogram. */
export class Metric {
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

  /** Counts a value in the buckets of a histogram. */
  count(series: Series, value: number): void {
    const { buckets } = this.#parts;
    series.value += value;
    [...buckets, Infinity].forEach((bound, index) => {
      if (value <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
    });
  }

  /** Forgets all series. */
  clear(): void {
    this.#series.clear();
  }

  /** Returns its lines. */
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
