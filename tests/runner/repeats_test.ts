import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, JobReport } from "./jobs.ts";
import type { TestResult } from "./junit.ts";
import { MOST_REPEATED, remember, repeatFailed, startLoad, type UnsteadyRecord } from "./repeats.ts";
import { describeRun, isRed } from "./report.ts";
import { readRecord, unsteadyFile, writeRecord } from "./unsteady_file.ts";

const passed: TestResult = { name: "does", outcome: "passed" };
const failed: TestResult = { name: "does", outcome: "failed", message: "Error: too late" };

describe("repeatFailed()", () => {
  it("runs what failed three times more, one at a time, twice beside a load, and leaves the rest alone", async () => {
    const ran: string[] = [];
    let running = 0;
    const reports = [reportOf("a", passed), reportOf("b", failed), reportOf("c", failed)];
    const again = await repeatFailed(reports, async ({ file }, how) => {
      assert.equal(++running, 1);
      await Promise.resolve();
      running--;
      ran.push(`${file} ${how}`);
      return reportOf(file, passed);
    });
    const repetitions = ["beside a load", "beside a load", "alone"];
    assert.deepEqual(ran, ["b", "c"].flatMap((file) => repetitions.map((how) => `${file} ${how}`)));
    assert.deepEqual(again.map(({ job }) => job.file), ["a", "b", "c"]);
    assert.equal(isRed(again), false);
  });

  it("counts the last repetition, and tells at first and in the last lines what failed", async () => {
    const again = await repeatFailed([reportOf("b", failed)], () => Promise.resolve(reportOf("b", passed)));
    const lines = describeRun(again);
    const start = lines.findIndex((line) => line.startsWith("UNSTEADY"));
    assert.match(lines[start] ?? "", /failed at first\) on bun: b$/);
    assert.deepEqual(lines.slice(start + 1, start + 3), ["  does", "    Error: too late"]);
    assert.deepEqual(lines.slice(-2), ["1 unsteady: b bun", "1 passed, 0 failed, 0 skipped"]);
  });

  it("is red when one repetition of three fails, and repeats it no further", async () => {
    let runs = 0;
    const again = await repeatFailed(
      [reportOf("b", failed)],
      () => Promise.resolve(reportOf("b", ++runs === 2 ? failed : passed)),
    );
    assert.equal(runs, 2);
    assert.equal(isRed(again), true);
    const lines = describeRun(again);
    assert.ok(lines.some((line) => line.startsWith("FAILED")));
    assert.equal(lines.some((line) => line.startsWith("1 unsteady")), false);
  });

  it("repeats nothing when more failed than chance explains", async () => {
    const reports = Array.from({ length: MOST_REPEATED + 1 }, (_, i) => reportOf(`${i}`, failed));
    const again = await repeatFailed(reports, () => Promise.reject(new Error("repeated")));
    assert.deepEqual(again, reports);
  });
});

describe("remember()", () => {
  const unsteady = (file: string): JobReport => ({
    ...reportOf(file, passed),
    before: reportOf(file, failed),
  });
  const nothing: UnsteadyRecord = { runs: 0, unsteady: {} };

  it("makes a file red that is unsteady twice in ten runs, on the same runtime", () => {
    const first = remember([unsteady("a"), unsteady("b")], nothing);
    assert.equal(isRed(first.reports), false);
    let { record } = first;
    for (let run = 2; run < 10; run++) ({ record } = remember([reportOf("a", passed)], record));
    const tenth = remember([unsteady("a"), unsteady("c")], record);
    assert.deepEqual(tenth.reports.map((report) => isRed([report])), [true, false]);
    assert.equal(tenth.reports[0]?.results.at(-1)?.message, "It was unsteady 9 runs ago, too");
    assert.deepEqual(tenth.record, {
      runs: 10,
      unsteady: { "a on bun": [1, 10], "b on bun": [1], "c on bun": [10] },
    });
  });

  it("forgets what was eleven runs ago", () => {
    let { record } = remember([unsteady("a")], nothing);
    for (let run = 2; run <= 10; run++) ({ record } = remember([], record));
    const { reports, record: last } = remember([unsteady("a")], record);
    assert.equal(isRed(reports), false);
    assert.deepEqual(last.unsteady["a on bun"], [11]);
  });

  it("counts a file that failed in a repetition as failed, not as unsteady", () => {
    const report = { ...reportOf("a", failed), before: reportOf("a", failed) };
    assert.deepEqual(remember([report], nothing).record.unsteady, {});
  });
});

describe("the record of unsteady files", () => {
  it("is kept in the cache, and is empty where it is not there or cannot be read", () => {
    const folder = mkdtempSync(join(tmpdir(), "lotse-unsteady-"));
    const path = unsteadyFile("first", folder);
    assert.deepEqual(readRecord(path), { runs: 0, unsteady: {} });
    const record = { runs: 3, unsteady: { "a on bun": [2] } };
    writeRecord(path, record);
    assert.deepEqual(readRecord(path), record);
    for (
      const text of ["", "{}", '{ "runs": "x", "unsteady": {} }', '{ "runs": 1, "unsteady": { "a": 1 } }']
    ) {
      writeFileSync(path, text);
      assert.deepEqual(readRecord(path), { runs: 0, unsteady: {} }, text);
    }
    rmSync(folder, { recursive: true });
  });
});

describe("startLoad()", () => {
  it("keeps cores busy until it is disposed of", async () => {
    const busy = (): number =>
      Number(
        spawnSync("ps", ["-o", "pid=", "--ppid", `${process.pid}`], { encoding: "utf8" }).stdout.trim().split(
          "\n",
        ).length,
      );
    const before = busy();
    const load = startLoad();
    assert.ok(busy() > before);
    load[Symbol.dispose]();
    for (let attempt = 0; busy() > before && attempt < 100; attempt++) await sleep(50);
    assert.equal(busy(), before);
  });
});

function reportOf(file: string, result: TestResult): JobReport {
  const job: Job = { runtime: { name: "bun", path: "bun", version: "1.4.5" }, file, heavy: false };
  return { job, results: [result], reasons: [], output: "", seconds: 1 };
}
