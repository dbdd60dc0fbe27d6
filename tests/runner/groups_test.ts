import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { groupJobs, runGroup } from "./groups.ts";
import type { Job, JobReport } from "./jobs.ts";
import { findRuntime, type RuntimeName } from "./tools.ts";

const HEAD = 'import assert from "node:assert/strict"; import { describe, it } from "node:test";\n';

describe("groupJobs()", () => {
  it("makes rows of neighbours that are about as long, and puts them among the jobs that may not share", () => {
    const jobs = Array.from({ length: 42 }, (_, index) => jobOf("deno", `${index}_test.ts`));
    const rows = groupJobs(jobs, (file) => !/^[12]_/.test(file));
    assert.deepEqual(rows.map(({ length }) => length), [13, 1, 14, 1, 13]);
    assert.deepEqual([rows[1], rows[3]].flat().map((job) => job?.file), ["1_test.ts", "2_test.ts"]);
    assert.equal(new Set(rows.flat()).size, 42);
  });
});

describe("runGroup()", () => {
  for (const name of ["deno", "bun"] as const) {
    it(`gives each file its own results, on ${name}`, { timeout: 60_000 }, async () => {
      const suite = 'describe("same", () => { it("a > b", () => {}); it("c", { skip: true }, () => {}); });';
      const reports = await run(name, [
        suite,
        `${suite} it("alone", () => { throw new Error("no"); });`,
        'describe("outer", () => describe("inner", () => it("d", () => {})));',
      ]);
      assert.deepEqual(reports.map(outcomes), [
        ["passed same > a > b", "skipped same > c"],
        ["failed alone", "passed same > a > b", "skipped same > c"],
        ["passed outer > inner > d"],
      ]);
      assert.match(reports[1]?.results.find(({ name }) => name === "alone")?.message ?? "", /no/);
      assert.deepEqual(reports.map(({ together }) => together), [3, 3, 3]);
    });
  }

  it("is red for a file that cannot be loaded to its end, on deno", { timeout: 60_000 }, async () => {
    const reports = await run("deno", [
      'it("a", () => {});',
      'it("b", () => {}); if (it.length >= 0) throw new Error("late");',
      'import "./missing.ts";',
    ]);
    const unloaded = "failed (the file itself cannot be loaded)";
    assert.deepEqual(reports.map(outcomes), [["passed a"], [unloaded, "passed b"], [unloaded]]);
  });

  it("is red where files go well alone, and not together", { timeout: 60_000 }, async () => {
    const reports = await run("deno", [
      'globalThis.leak = 1; it("a", () => {});',
      'import process from "node:process"; if (globalThis.leak) process.kill(process.pid, "SIGKILL"); it("b", () => {});',
    ]);
    const failures = reports.flatMap(({ results }) => results).filter(({ outcome }) => outcome === "failed");
    assert.match(
      failures.map(({ name }) => name).join(),
      /^\(a process of 2 files was ended by SIGKILL; each goes well alone\)$/,
    );
  });

  it("runs each file alone where the process ends too early", { timeout: 60_000 }, async () => {
    const leave = 'it("a", () => { process.kill(process.pid, "SIGKILL"); });';
    const reports = await run("deno", [`import process from "node:process"; ${leave}`, 'it("b", () => {});']);
    assert.deepEqual(outcomes(reports[1]), ["passed b"]);
    assert.match(outcomes(reports[0]).join(), /^failed \(the file itself was ended by SIGKILL\)/);
  });
});

/** Runs files with these texts in one process. */
async function run(name: RuntimeName, sources: readonly string[]): Promise<JobReport[]> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-groups-"));
  const jobs = sources.map((source, index) => {
    writeFileSync(join(folder, `${index}_test.ts`), HEAD + source);
    return jobOf(name, join(folder, `${index}_test.ts`));
  });
  const reports = await runGroup(jobs);
  rmSync(folder, { recursive: true });
  return reports;
}

function jobOf(name: RuntimeName, file: string): Job {
  return { runtime: findRuntime(name), file, heavy: false };
}

function outcomes(report: JobReport | undefined): string[] {
  return (report?.results ?? []).map(({ outcome, name }) => `${outcome} ${name}`).sort();
}
