/** Runs jobs side by side, with a limit for all and a lower one for heavy ones. */

export interface PoolOptions<Unit, Report> {
  /** At most that many at a time. */
  readonly size: number;
  /** At most that many heavy ones at a time. */
  readonly heavy: number;
  readonly run: (job: Unit) => Promise<Report>;
}

/** Returns the reports in the order in which the jobs ended. Heavy jobs begin first, as they take longest. */
export async function runAll<Unit extends { readonly heavy: boolean }, Report>(
  jobs: readonly Unit[],
  options: PoolOptions<Unit, Report>,
): Promise<Report[]> {
  const waiting = [...jobs].sort((a, b) => Number(b.heavy) - Number(a.heavy));
  const reports: Report[] = [];
  let heavyRunning = 0;

  /** Takes the next job that may run now; heavy ones wait while others go ahead. */
  function take(): Unit | undefined {
    const index = waiting.findIndex((job) => !job.heavy || heavyRunning < options.heavy);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  }

  async function work(): Promise<void> {
    for (let job = take(); job; job = take()) {
      if (job.heavy) heavyRunning++;
      reports.push(await options.run(job));
      if (job.heavy) heavyRunning--;
    }
  }

  await Promise.all(Array.from({ length: Math.max(options.size, options.heavy) }, work));
  return reports;
}
