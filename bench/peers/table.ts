/** Tables in Markdown: medians and spread of the rounds, and ratios to the yardsticks of the same run. */

import type { Row } from "./rows.ts";

/** The values of the rounds: by peer, then by the key of a metric. */
export type Values = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

export interface TableOptions {
  readonly values: Values;
  /** In the order of the lines. */
  readonly peers: readonly string[];
  /** Peers that figures are divided by. */
  readonly yardsticks: readonly string[];
  /** Why peers are not in it. */
  readonly missing: ReadonlyMap<string, string>;
}

/** Writes the table of a row; peers without figures are named below it. */
export function tableOf({ title, metrics }: Row, options: TableOptions): string {
  const { values, peers, yardsticks, missing } = options;
  const present = yardsticks.filter((each) => metrics.some(({ key }) => values.get(each)?.has(key)));
  const head = metrics.flatMap((metric) => [metric.title, ...present.map((each) => `of ${each}`)]);
  const lines = [`### ${title}`, "", `| | ${head.join(" | ")} |`, `| --- |${" --- |".repeat(head.length)}`];
  for (const peer of peers) {
    const own = values.get(peer);
    if (!metrics.some(({ key }) => own?.has(key))) continue;
    const cells = metrics.flatMap(({ key, digits }) => {
      const figures = own?.get(key);
      if (figures === undefined) return ["", ...present.map(() => "")];
      const ratios = present.map((each) => ratioOf(figures, values.get(each)?.get(key)));
      return [spreadOf(figures, digits), ...ratios];
    });
    lines.push(`| ${peer} | ${cells.join(" | ")} |`);
  }
  const notes = [...missing].map(([peer, reason]) => `Missing: ${peer}: ${reason}`);
  return [...lines, ...notes.length > 0 ? ["", ...notes] : []].join("\n");
}

/** The middle of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The median; in parentheses the least and the most of several. */
function spreadOf(values: readonly number[], digits: number): string {
  const text = median(values).toFixed(digits);
  if (values.length < 2) return text;
  return `${text} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
}

function ratioOf(values: readonly number[], others: readonly number[] | undefined): string {
  return others === undefined ? "" : (median(values) / median(others)).toFixed(2);
}
