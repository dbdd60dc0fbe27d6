/** What the test run says to the one who waits for it. */

import type { JobReport } from "./jobs.ts";
import type { TestResult } from "./junit.ts";

/** One line for a file that has just ended. */
export function describeReport({ job, results, seconds, crash }: JobReport): string {
  const { passed, failed, skipped } = count(results);
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} FAILED`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  const repeated = crash ? ` CRASHED: ${job.runtime.name} ${crash.ending}; the file was run once more` : "";
  return `${job.runtime.name.padEnd(4)} ${job.file}: ${parts.join(", ")} (${
    seconds.toFixed(1)
  } s)${repeated}`;
}

/** Whether the run as a whole has failed. A run of nothing is no success either. */
export function isRed(reports: readonly JobReport[]): boolean {
  const { passed, failed, skipped } = count(reports.flatMap(({ results }) => results));
  return failed > 0 || passed + skipped === 0;
}

/** Returns what is wrong with the number of tests of a whole run; undefined if they are enough. */
export function whyTooFew(reports: readonly JobReport[], fewest: number): string | undefined {
  const number = reports.reduce((sum, { results }) => sum + results.length, 0);
  if (number >= fewest) return undefined;
  return `Only ${number} tests ran: there have been ${fewest} (tests/runner/expectations.ts)`;
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

/**
 * The end of the run: skips with their reasons, failures in full, the counts as the last line.
 *
 * @param noControlPlane Why there is no control plane; undefined if there is one.
 */
export function describeRun(reports: readonly JobReport[], noControlPlane: string | undefined): string[] {
  const { passed, failed, skipped } = count(reports.flatMap(({ results }) => results));
  const sorted = [...reports].sort((a, b) => key(a).localeCompare(key(b)));
  return [
    ...describeSkips(sorted, noControlPlane),
    ...(noControlPlane && sorted.some(({ job }) => job.heavy) ? ["", HOW_TO_BUILD] : []),
    ...sorted.flatMap(describeCrash),
    ...sorted.flatMap(describeUnsteady),
    ...sorted.flatMap((report) => describeFailures(report, "FAILED")),
    "",
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

/** What failed at first and went well when the file ran once more, alone: to be mended, as it will come again. */
function describeUnsteady({ before, results }: JobReport): string[] {
  if (!before || results.some(({ outcome }) => outcome === "failed")) return [];
  return describeFailures(
    before,
    "UNSTEADY (failed at first, and passed when the file ran once more, alone)",
  );
}

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
