import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job, JobReport } from "./jobs.ts";
import type { TestResult } from "./junit.ts";
import { MOST_REPEATED, repeatFailed } from "./repeats.ts";
import { describeRun, isRed } from "./report.ts";

const passed: TestResult = { name: "does", outcome: "passed" };
const failed: TestResult = { name: "does", outcome: "failed", message: "Error: too late" };

describe("repeatFailed()", () => {
  it("runs what failed once more, one at a time, and leaves the rest alone", async () => {
    const ran: string[] = [];
    let running = 0;
    const reports = [reportOf("a", passed), reportOf("b", failed), reportOf("c", failed)];
    const again = await repeatFailed(reports, async ({ file }) => {
      assert.equal(++running, 1);
      await Promise.resolve();
      running--;
      ran.push(file);
      return reportOf(file, passed);
    });
    assert.deepEqual(ran, ["b", "c"]);
    assert.deepEqual(again.map(({ job }) => job.file), ["a", "b", "c"]);
    assert.equal(isRed(again), false);
  });

  it("counts the second run, and prints what the first one said", async () => {
    const again = await repeatFailed([reportOf("b", failed)], () => Promise.resolve(reportOf("b", passed)));
    const lines = describeRun(again);
    const start = lines.findIndex((line) => line.startsWith("UNSTEADY"));
    assert.match(lines[start] ?? "", /passed when the file ran again\) on bun: b$/);
    assert.deepEqual(lines.slice(start + 1, start + 3), ["  does", "    Error: too late"]);
    assert.deepEqual(lines.slice(-2), ["1 unsteady: b bun", "1 passed, 0 failed, 0 skipped"]);
  });

  it("is red when the second run fails too, and says it once", async () => {
    const again = await repeatFailed([reportOf("b", failed)], () => Promise.resolve(reportOf("b", failed)));
    assert.equal(isRed(again), true);
    const lines = describeRun(again);
    assert.equal(lines.filter((line) => line.includes("too late")).length, 1);
    assert.equal(lines.some((line) => line.startsWith("UNSTEADY")), false);
  });

  it("repeats nothing when more failed than chance explains", async () => {
    const reports = Array.from({ length: MOST_REPEATED + 1 }, (_, i) => reportOf(`${i}`, failed));
    const again = await repeatFailed(reports, () => Promise.reject(new Error("repeated")));
    assert.deepEqual(again, reports);
  });
});

function reportOf(file: string, result: TestResult): JobReport {
  const job: Job = { runtime: { name: "bun", path: "bun", version: "1.4.5" }, file, heavy: false };
  return { job, results: [result], reasons: [], output: "", seconds: 1 };
}
