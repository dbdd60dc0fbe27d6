/** What came out, for people and for programs. */

import { type Findings, longestPause, samplesOf, slopeOf } from "./checks.ts";
import type { Call, Line, Sample } from "./trace.ts";

/** How much memory may grow in the second half, in MB per minute. */
export const BOUNDS = { heap: 0.1, rss: 0.5 };

/** Shorter runs say nothing about memory: the ledger's two thousand objects are not yet there. In minutes. */
const LONG_ENOUGH = 20;

const MB = 1024 * 1024;

export interface Material {
  readonly lines: readonly Line[];
  readonly findings: Findings;
  readonly begun: number;
  /** When the last change was made. */
  readonly quiet: number;
  readonly changes: Readonly<Record<string, number>>;
  readonly tokens: object;
  readonly kills: number;
  readonly runtime: string;
  readonly seed: number;
  readonly minutes: number;
  readonly notReadySeconds: number;
  readonly stoppingSeconds: number;
}

interface Memory {
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  readonly highest: number;
  /** In MB per minute, over the second half. */
  readonly slope: number;
}

export interface Report extends Omit<Material, "lines" | "begun" | "quiet"> {
  readonly passed: boolean;
  readonly date: string;
  readonly calls: Readonly<Record<string, number>>;
  /** In MB. */
  readonly heap: Memory;
  readonly rss: Memory;
  readonly longestTimerPause: number;
}

export function reportOf({ lines, findings, begun, quiet, ...rest }: Material): Report {
  const samples = samplesOf(lines).filter(({ at }) => at >= begun && at <= quiet);
  const [heap, rss] = [memoryOf(samples, "heap"), memoryOf(samples, "rss")];
  const grown = [
    ...heap.slope > BOUNDS.heap ? [`the heap grows by ${heap.slope.toFixed(3)} MB per minute`] : [],
    ...rss.slope > BOUNDS.rss ? [`resident memory grows by ${rss.slope.toFixed(3)} MB per minute`] : [],
  ];
  const isLong = rest.minutes >= LONG_ENOUGH;
  const all: Findings = { ...findings, ...isLong ? { "memory is flat": grown } : {} };
  return {
    passed: Object.values(all).every((problems) => problems.length === 0),
    date: new Date(begun).toISOString(),
    ...rest,
    findings: all,
    calls: countCalls(lines),
    ...{ heap, rss, longestTimerPause: longestPause(lines) },
  };
}

export function print(report: Report): void {
  const { runtime, seed, minutes, changes, tokens, kills, calls, findings, heap, rss } = report;
  const list = (counts: object): string =>
    Object.entries(counts).map(([name, value]) => `${value} ${name}`).join(", ");
  const memory = ({ first, middle, last, highest, slope }: Memory): string =>
    `${mb(first)} first, ${mb(middle)} middle, ${mb(last)} last, ${mb(highest)} highest; ${
      slope.toFixed(3)
    } MB/min`;
  console.log(`
soak on ${runtime}, ${minutes} minutes from ${report.date}, seed ${seed}
changes       ${list(changes)}
API server    killed ${kills} times
tokens        ${list(tokens)}
calls         ${list(calls)}
heap          ${memory(heap)}
RSS           ${memory(rss)}
not ready     ${report.notReadySeconds} s
timers        at most ${report.longestTimerPause.toFixed(1)} s apart
stopping      ${report.stoppingSeconds.toFixed(2)} s
`);
  for (const [name, problems] of Object.entries(findings)) {
    console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`);
    for (const problem of problems.slice(0, 10)) console.log(`       ${problem}`);
    if (problems.length > 10) console.log(`       and ${problems.length - 10} more`);
  }
  console.log(report.passed ? "\nPASSED" : "\nFAILED");
}

function memoryOf(samples: readonly Sample[], what: "heap" | "rss"): Memory {
  const points = samples.map((sample) => ({ at: sample.at, value: sample[what] / MB }));
  const at = (index: number): number => points.at(index)?.value ?? Number.NaN;
  const half = points.length >> 1;
  return {
    first: at(0),
    middle: at(half),
    last: at(-1),
    highest: Math.max(...points.map(({ value }) => value)),
    slope: slopeOf(points.slice(half)),
  };
}

function countCalls(lines: readonly Line[]): Record<string, number> {
  const counts = new Map<Call["what"], number>();
  for (const { what } of lines) {
    if (what !== "sample") counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

function mb(value: number): string {
  return `${value.toFixed(1)} MB`;
}
