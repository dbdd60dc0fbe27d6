import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job } from "./jobs.ts";
import { runAll } from "./pool.ts";

const runtime = { name: "bun", path: "bun", version: "1.4.5" } as const;

describe("runAll()", () => {
  it("keeps both limits, and runs everything", async () => {
    const jobs = Array.from(
      { length: 12 },
      (_, index): Job => ({ runtime, file: `${index}`, heavy: index % 2 === 0 }),
    );
    const running = new Set<Job>();
    let [most, mostHeavy] = [0, 0];
    const run = async (job: Job) => {
      running.add(job);
      most = Math.max(most, running.size);
      mostHeavy = Math.max(mostHeavy, [...running].filter(({ heavy }) => heavy).length);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      running.delete(job);
      return job.file;
    };
    const reports = await runAll(jobs, { size: 4, heavy: 2, run });
    assert.deepEqual(reports.sort(), jobs.map(({ file }) => file).sort());
    assert.deepEqual([most, mostHeavy], [4, 2]);
  });

  it("runs heavy jobs also where nothing else is left", async () => {
    const jobs = ["a", "b", "c"].map((file): Job => ({ runtime, file, heavy: true }));
    const reports = await runAll(jobs, { size: 3, heavy: 1, run: ({ file }) => Promise.resolve(file) });
    assert.deepEqual(reports, ["a", "b", "c"]);
  });
});
