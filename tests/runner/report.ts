/** What the test run says to the one who waits for it. */

import type { JobReport } from "./jobs.ts";
import type { TestResult } from "./junit.ts";
import { isUnsteady } from "./repeats.ts";

/** One line for a file that has just ended. */
export function describeReport({ job, results, together = 1, seconds, cpu, crash }: JobReport): string {
  const { passed, failed, skipped } = count(results);
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} FAILED`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  const repeated = crash ? ` CRASHED: ${job.runtime.name} ${crash.ending}; the file was run once more` : "";
  const others = together > 1 ? `with ${together - 1} others ` : "";
  const time = `${others}${seconds.toFixed(1)} s${cpu === undefined ? "" : `, ${cpu.toFixed(1)} s of CPU`}`;
  return `${job.runtime.name.padEnd(4)} ${job.file}: ${parts.join(", ")} (${time})${repeated}`;
}

/** Whether the run as a whole has failed. A run of nothing is no success either, nor one that has skipped everything. */
export function isRed(reports: readonly JobReport[]): boolean {
  const { passed, failed } = count(reports.flatMap(({ results }) => results));
  return failed > 0 || passed === 0;
}

/** What a whole run has to have executed. Skipped tests do not count. */
export interface Floor {
  readonly tests: number;
  /** Tags of scenarios in the names of tests that passed. */
  readonly tags: number;
  /** Of these, tags of tests that ran on a real control plane. */
  readonly tagsOnRealServer: number;
}

const TAG = /\[([ABCDGP]\d+|N\d+(?:\.\d+)?)\]/g;

/** Returns what a run has executed. */
export function measure(reports: readonly JobReport[]): Floor {
  const tags = new Set<string>();
  const real = new Set<string>();
  let tests = 0;
  for (const { job, results } of reports) {
    for (const { name, outcome } of results) {
      if (outcome !== "skipped") tests++;
      if (outcome !== "passed") continue;
      for (const [, tag = ""] of name.matchAll(TAG)) {
        tags.add(tag);
        if (name.endsWith(ON_REAL_SERVER) || (job.heavy && !name.endsWith(IN_PROCESS))) real.add(tag);
      }
    }
  }
  return { tests, tags: tags.size, tagsOnRealServer: real.size };
}

/** The ends of a scenario's names (`tests/support/scenario.ts`). */
const IN_PROCESS = "(in the process)";
const ON_REAL_SERVER = "(on a real control plane)";

/** Returns what a whole run has too little of, one line each. */
export function findTooFew(reports: readonly JobReport[], floor: Floor): string[] {
  const found = measure(reports);
  const counted = [
    ["tests ran", found.tests, floor.tests],
    ["tags were in tests that passed", found.tags, floor.tags],
    [
      "tags were in tests that passed on a real control plane",
      found.tagsOnRealServer,
      floor.tagsOnRealServer,
    ],
  ] as const;
  return counted.filter(([, number, fewest]) => number < fewest).map(([what, number, fewest]) =>
    `Only ${number} ${what}: there have been ${fewest} (tests/runner/expectations.ts)`
  );
}

/** What a run has to show for itself where nobody looks on, as in CI. */
export interface Expectations {
  /** Skips that are allowed, with their reasons; `file` and `test` are parts of the path and of the name. */
  readonly skips: readonly { readonly file: string; readonly test?: string; readonly why: string }[];
  /** Crashes of runtimes that are known: the file's second run counts. `message` is a part of what the runtime said. */
  readonly crashes: readonly {
    readonly runtime: string;
    readonly message: string;
    readonly why: string;
  }[];
}

/**
 * Turns into failures what must not go by unnoticed: tests that were skipped for a reason that is not on the list, such as
 * a control plane that is missing, and crashes of a runtime that nobody knows of.
 */
export function demand(reports: readonly JobReport[], { skips, crashes }: Expectations): JobReport[] {
  return reports.map((report) => {
    const { job, crash } = report;
    const isAllowed = ({ name }: TestResult) =>
      skips.some(({ file, test = "" }) => job.file.includes(file) && name.includes(test));
    const results = report.results.map((result) =>
      result.outcome !== "skipped" || isAllowed(result)
        ? result
        : { ...result, outcome: "failed" as const, message: `Skipped, and not on the list: ${SKIP_LIST}` }
    );
    const isKnown = crash === undefined ||
      crashes.some(({ runtime, message }) => runtime === job.runtime.name && crash.message.includes(message));
    if (isKnown || results.some(({ outcome }) => outcome === "failed")) return { ...report, results };
    const name = `(the runtime crashed: it ${crash.ending}; the file's second run went well)`;
    return { ...report, results: [...results, { name, outcome: "failed", message: crash.message }] };
  });
}

const SKIP_LIST = "tests/runner/expectations.ts";

const HOW_TO_BUILD =
  "To build one: deno task control-plane (without Deno: npx -y deno@2.9.6 task control-plane)";

/** What the end of a run says beside its reports. */
export interface RunDescription {
  /** Why there is no control plane. Default: there is one. */
  readonly noControlPlane?: string;
  /** Further lines before the counts, such as what was left to other runs. Default: none. */
  readonly notes?: readonly string[];
}

/** The end of the run: skips with their reasons, failures in full, and the counts as the last line. */
export function describeRun(
  reports: readonly JobReport[],
  { noControlPlane, notes = [] }: RunDescription = {},
): string[] {
  const { passed, failed, skipped } = count(reports.flatMap(({ results }) => results));
  const sorted = [...reports].sort((a, b) => key(a).localeCompare(key(b)));
  const unsteady = sorted.filter(isUnsteady);
  return [
    ...describeSkips(sorted, noControlPlane),
    ...(noControlPlane && sorted.some(({ job }) => job.heavy) ? ["", HOW_TO_BUILD] : []),
    ...sorted.flatMap(describeCrash),
    ...sorted.flatMap(({ before }) => before ? describeFailures(before, AT_FIRST) : []),
    ...sorted.flatMap((report) => describeFailures(report, "FAILED")),
    "",
    ...notes,
    ...sorted.length > 0 && passed + failed === 0 ? ["No test ran"] : [],
    ...unsteady.length > 0 ? [`${unsteady.length} unsteady: ${unsteady.map(key).join(", ")}`] : [],
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ];
}

function describeSkips(reports: readonly JobReport[], noControlPlane: string | undefined): string[] {
  const byReason = new Map<string, string[]>();
  for (const report of reports) {
    for (const [reason, number] of reasonsOf(report, noControlPlane)) {
      const place = `${report.job.file} on ${report.job.runtime.name}`;
      const places = byReason.get(reason) ?? [];
      byReason.set(reason, [...places, number > 0 ? `${place}: ${number}` : place]);
    }
  }
  return [...byReason].flatMap((
    [reason, places],
  ) => ["", `Skipped: ${reason}`, ...places.map((place) => `  ${place}`)]);
}

/**
 * How many tests of the file were skipped for which reason. Of the runtimes only Node passes reasons on; elsewhere the
 * missing control plane is the reason for files that need one, and other files print a line "# skip: reason".
 */
function reasonsOf(
  { job, results, reasons }: JobReport,
  noControlPlane: string | undefined,
): Map<string, number> {
  const counts = new Map<string, number>();
  const stated = [...new Set(reasons)].join("; ") || (job.heavy ? noControlPlane : undefined);
  for (const { outcome, message } of results) {
    if (outcome !== "skipped") continue;
    const reason = stated ||
      (message && message !== "true" ? message : "for a reason that stands in the file");
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}

/** Not a failure, if the second run went well, but somebody should look into it. */
function describeCrash({ job, crash }: JobReport): string[] {
  if (!crash) return [];
  return [
    "",
    `CRASHED on ${job.runtime.name}, and run once more: ${job.file}`,
    `  (the runtime ${crash.ending})`,
    ...crash.message.split("\n").map((line) => `    ${line}`),
  ];
}

const AT_FIRST = "UNSTEADY (failed at first)";

function describeFailures({ job, results }: JobReport, word: string): string[] {
  const failures = results.filter(({ outcome }) => outcome === "failed");
  return failures.flatMap(({ name, message }) => [
    "",
    `${word} on ${job.runtime.name}: ${job.file}`,
    `  ${name}`,
    ...(message ?? "").split("\n").slice(0, 60).map((line) => `    ${line}`),
  ]);
}

function count(results: readonly TestResult[]): Record<TestResult["outcome"], number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

function key({ job }: JobReport): string {
  return `${job.file} ${job.runtime.name}`;
}
