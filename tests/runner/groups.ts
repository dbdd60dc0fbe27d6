/**
 * Files that share a process: docs/decisions/0061-files-share-a-process.md says why, `plan.ts` which.
 *
 * A failure in a group is a failure of its file, as if the file had run alone. Where the process broke down, and it is not clear
 * under which file, each file runs alone.
 */

import { type Crash, crashOf, type Job, type JobReport, runJob, runOnce } from "./jobs.ts";
import { readGroup } from "./junit.ts";
import { hasFailed } from "./repeats.ts";

/** At most that many files share a process: what a process that broke down has to repeat, and what ends last on one core. */
const LARGEST = 16;

/**
 * Returns the jobs of one runtime in rows: neighbours that share a process, and those that are alone. The groups, which compute, are
 * spread among the others, which mostly wait where there is a control plane.
 */
export function groupJobs(jobs: readonly Job[], mayShare: (file: string) => boolean): Job[][] {
  const alone = jobs.filter(({ file }) => !mayShare(file));
  const shared = jobs.filter(({ file }) => mayShare(file));
  const count = Math.ceil(shared.length / LARGEST);
  const groups = Array.from({ length: count }, (_, index) => {
    const [from, to] = [index, index + 1].map((edge) => Math.round(edge * shared.length / count));
    return shared.slice(from, to);
  });
  const rows = [...spread(groups), ...spread(alone.map((job) => [job]))];
  return rows.sort((a, b) => a.at - b.at).map(({ row }) => row);
}

/** Gives each row its place, from 0 to 1. */
function spread(rows: readonly Job[][]): { readonly row: Job[]; readonly at: number }[] {
  return rows.map((row, index) => ({ row, at: (index + 0.5) / rows.length }));
}

/** Runs the files, all on one runtime, in one process. Never throws. */
export async function runGroup(jobs: readonly Job[]): Promise<JobReport[]> {
  const [first] = jobs;
  if (first === undefined) return [];
  if (jobs.length === 1) return [await runJob(first)];
  const started = performance.now();
  const evidence = await runOnce(first, jobs.map(({ file }) => file));
  const { xml = "", ending, cpu, output } = evidence;
  const results = readGroup(first.runtime.name, xml, jobs.map(({ file }) => file));
  const isRed = [...results.values()].flat().some(({ outcome }) => outcome === "failed");
  const isWhole = [...results.values()].every((own) => own.length > 0);
  if (!isWhole || (ending !== undefined && !isRed)) {
    return await runAlone(jobs, {
      ending: ending ?? "executed no test of some file",
      crash: crashOf(evidence),
    });
  }
  const seconds = (performance.now() - started) / 1000;
  return jobs.map((job) => ({
    job,
    results: results.get(job.file) ?? [],
    reasons: [],
    output,
    together: jobs.length,
    seconds,
    ...cpu !== undefined && { cpu },
  }));
}

/**
 * Finds the file under which a process broke down. Where each file goes well alone, the first one has the crash of the runtime, or
 * the failure.
 */
async function runAlone(
  jobs: readonly Job[],
  { ending, crash }: { readonly ending: string; readonly crash: Crash | undefined },
): Promise<JobReport[]> {
  const reports: JobReport[] = [];
  for (const job of jobs) reports.push(await runJob(job));
  const [first, ...others] = reports;
  if (first === undefined || reports.some(hasFailed)) return reports;
  if (crash !== undefined) return [{ ...first, crash }, ...others];
  const name = `(a process of ${jobs.length} files ${ending}; each goes well alone)`;
  const message = jobs.map(({ file }) => file).join("\n");
  return [{ ...first, results: [...first.results, { name, outcome: "failed", message }] }, ...others];
}
