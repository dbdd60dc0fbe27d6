/**
 * Files that failed run again when all others have ended: docs/decisions/0024-failures-once-more.md says why.
 *
 * Half of the tests talk to a kube-apiserver that shares two cores with three other files; one race in ten thousand tests
 * would otherwise hide the outcome of a run. A file that fails again, or was unsteady a short while ago, is red.
 */

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import type { Job, JobReport } from "./jobs.ts";
import { findRuntime } from "./tools.ts";

/** More files than that do not fail by chance. */
export const MOST_REPEATED = 3;

/** How a file that failed runs again: beside as much load as it had, and alone. */
const REPETITIONS = ["beside a load", "beside a load", "alone"] as const;

/** Of which runs files are remembered that were unsteady. */
const REMEMBERED = 10;

/** What is known of earlier runs: for each file on its runtime the numbers of the runs in which it was unsteady. */
export interface UnsteadyRecord {
  /** How many runs there were. */
  readonly runs: number;
  readonly unsteady: Readonly<Record<string, readonly number[]>>;
}

/** Runs one file, beside a load or alone. */
export type RunAgain = (job: Job, how: typeof REPETITIONS[number]) => Promise<JobReport>;

/**
 * Returns the reports, with those of failed files replaced by the report of their last repetition: of the first one that
 * failed, if any did. If more than {@linkcode MOST_REPEATED} files failed, nothing is repeated.
 *
 * @param run Called for one file at a time.
 */
export async function repeatFailed(reports: readonly JobReport[], run: RunAgain): Promise<JobReport[]> {
  const failed = reports.filter(hasFailed);
  if (failed.length > MOST_REPEATED) return [...reports];
  const repeated = new Map<JobReport, JobReport>();
  for (const report of failed) {
    let last = report;
    for (const how of REPETITIONS) {
      last = await run(report.job, how);
      if (hasFailed(last)) break;
    }
    repeated.set(report, { ...last, before: report });
  }
  return reports.map((report) => repeated.get(report) ?? report);
}

/** Whether a test of the file failed. */
export function hasFailed({ results }: JobReport): boolean {
  return results.some(({ outcome }) => outcome === "failed");
}

/** Whether a file failed at first and passed in all its repetitions. */
export function isUnsteady(report: JobReport): boolean {
  return report.before !== undefined && !hasFailed(report);
}

/** The record after this run, and the reports: a file that was unsteady before within the last ten runs has failed. */
export function remember(
  reports: readonly JobReport[],
  before: UnsteadyRecord,
): { readonly reports: JobReport[]; readonly record: UnsteadyRecord } {
  const runs = before.runs + 1;
  const unsteady = new Map<string, number[]>();
  for (const [file, numbers] of Object.entries(before.unsteady)) {
    const recent = numbers.filter((number) => number > runs - REMEMBERED);
    if (recent.length > 0) unsteady.set(file, recent);
  }
  const judged = reports.map((report) => {
    if (!isUnsteady(report)) return report;
    const file = `${report.job.file} on ${report.job.runtime.name}`;
    const earlier = unsteady.get(file) ?? [];
    unsteady.set(file, [...earlier, runs]);
    if (earlier.length === 0) return report;
    const message = `It was unsteady ${
      earlier.map((number) => `${runs - number}`).join(" and ")
    } runs ago, too`;
    return {
      ...report,
      results: [...report.results, { name: TWICE, outcome: "failed", message } as const],
    };
  });
  return { reports: judged, record: { runs, unsteady: Object.fromEntries(unsteady) } };
}

const TWICE = `(the file failed at first, twice in ${REMEMBERED} runs)`;

/** For how long at most, in milliseconds: a run that is killed ends no load. */
const BURNING = 20 * 60_000;

/** Keeps all cores busy. */
export function startLoad(): Disposable {
  const { path } = findRuntime("deno");
  const burners = Array.from(
    { length: availableParallelism() },
    () =>
      spawn(path, ["eval", `for (const end = Date.now() + ${BURNING}; Date.now() < end;);`], {
        stdio: "ignore",
      }),
  );
  return { [Symbol.dispose]: () => burners.forEach((burner) => burner.kill("SIGKILL")) };
}
