/**
 * Files that failed are run once more, alone, where nobody looks on: docs/decisions/0024-failures-once-more.md says why.
 *
 * Half of the tests talk to a kube-apiserver that shares two cores with three other files; one race in ten thousand tests
 * would otherwise hide what a run has to say. What failed at first is printed in full and never silent.
 */

import type { Job, JobReport } from "./jobs.ts";

/** More files than that do not fail by chance. */
export const MOST_REPEATED = 3;

/**
 * Returns the reports, with those of failed files replaced by the report of their second run. If more than
 * {@linkcode MOST_REPEATED} files failed, nothing is repeated.
 *
 * @param run Runs one file; called for one file at a time.
 */
export async function repeatFailed(
  reports: readonly JobReport[],
  run: (job: Job) => Promise<JobReport>,
): Promise<JobReport[]> {
  const failed = reports.filter(hasFailed);
  if (failed.length > MOST_REPEATED) return [...reports];
  const repeated = new Map<JobReport, JobReport>();
  for (const report of failed) repeated.set(report, { ...await run(report.job), before: report });
  return reports.map((report) => repeated.get(report) ?? report);
}

/** Whether a test of the file failed. */
export function hasFailed({ results }: JobReport): boolean {
  return results.some(({ outcome }) => outcome === "failed");
}
