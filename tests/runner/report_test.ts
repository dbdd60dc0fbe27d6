import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobReport } from "./jobs.ts";
import type { TestResult } from "./junit.ts";
import { demand, describeReport, describeRun, findTooFew, isRed, measure } from "./report.ts";

const passed: TestResult = { name: "a() does", outcome: "passed" };
const failed: TestResult = { name: "b() does", outcome: "failed", message: "Error: no\n    at b.ts:1:1" };
const skipped: TestResult = { name: "c() does", outcome: "skipped" };

describe("describeRun()", () => {
  it("ends with the counts, alone on the last line", () => {
    const lines = describeRun([reportOf([passed, failed, skipped]), reportOf([passed])]);
    assert.equal(lines.at(-1), "2 passed, 1 failed, 1 skipped");
    assert.equal(lines.filter((line) => /^\d+ passed/.test(line)).length, 1);
  });

  it("gives each failure with its runtime, file and message", () => {
    const lines = describeRun([reportOf([failed])]);
    const start = lines.indexOf("FAILED on bun: tests/a_test.ts");
    assert.deepEqual(lines.slice(start + 1, start + 4), [
      "  b() does",
      "    Error: no",
      "        at b.ts:1:1",
    ]);
  });

  it("gives a missing control plane as the reason where one was needed, and says how to build it", () => {
    const lines = describeRun([reportOf([skipped], { heavy: true })], {
      noControlPlane: "No control plane: none",
    });
    assert.ok(lines.includes("Skipped: No control plane: none"));
    assert.ok(lines.includes("  tests/a_test.ts on bun: 1"));
    assert.ok(lines.some((line) => line.includes("deno task control-plane")));
  });

  it("gives the reasons that files and runtimes state", () => {
    const stated = reportOf([skipped, skipped], { reasons: ["no openssl"] });
    const told = reportOf([{ ...skipped, message: "not on Node" }]);
    const lines = describeRun([stated, told]);
    assert.ok(lines.includes("Skipped: no openssl"));
    assert.ok(lines.includes("Skipped: not on Node"));
  });
});

describe("describeReport()", () => {
  it("is one line with the file's counts", () => {
    const line = describeReport(reportOf([passed, passed, failed]));
    assert.equal(line, "bun  tests/a_test.ts: 2 passed, 1 FAILED (1.3 s)");
  });

  it("says that the time is of several files", () => {
    const line = describeReport({ ...reportOf([passed]), together: 3, cpu: 1 });
    assert.equal(line, "bun  tests/a_test.ts: 1 passed (with 2 others 1.3 s, 1.0 s of CPU)");
  });
});

describe("a file whose runtime has crashed", () => {
  const crash = { ending: "was ended by SIGABRT", message: "panicked at 'no'\nstack" };

  it("says so in its line, and is not red if the second run went well", () => {
    const report = { ...reportOf([passed]), crash };
    assert.equal(
      describeReport(report),
      "bun  tests/a_test.ts: 1 passed (1.3 s) CRASHED: bun was ended by SIGABRT; the file was run once more",
    );
    assert.equal(isRed([report]), false);
  });

  it("is told at the end, with what the runtime said", () => {
    const lines = describeRun([{ ...reportOf([passed]), crash }]);
    const start = lines.indexOf("CRASHED on bun, and run once more: tests/a_test.ts");
    assert.deepEqual(lines.slice(start + 1, start + 4), [
      "  (the runtime was ended by SIGABRT)",
      "    panicked at 'no'",
      "    stack",
    ]);
    assert.equal(lines.at(-1), "1 passed, 0 failed, 0 skipped");
  });
});

describe("demand()", () => {
  const allowed = {
    skips: [{ file: "tests/a_test.ts", test: "c() ", why: "" }],
    crashes: [{ runtime: "bun", message: "known", why: "" }],
  };
  const nothing = { skips: [], crashes: [] };

  it("makes a skip a failure that is not on the list, so that a missing control plane cannot go unnoticed", () => {
    const reports = [reportOf([passed, skipped])];
    assert.equal(isRed(demand(reports, allowed)), false);
    const [report] = demand(reports, nothing);
    assert.deepEqual(report?.results.map(({ outcome }) => outcome), ["passed", "failed"]);
    assert.match(report?.results[1]?.message ?? "", /not on the list: tests\/runner\/expectations\.ts/);
  });

  it("makes a crash that nobody knows of a failure of its own kind", () => {
    const crashed = (message: string) => [{ ...reportOf([passed]), crash: { ending: "was ended", message } }];
    assert.equal(isRed(demand(crashed("a known one"), allowed)), false);
    const [report] = demand(crashed("another"), allowed);
    assert.match(report?.results.at(-1)?.name ?? "", /^\(the runtime crashed: it was ended;/);
  });
});

describe("isRed()", () => {
  it("is true after a failure, and when nothing ran or everything was skipped", () => {
    assert.equal(isRed([reportOf([passed]), reportOf([failed])]), true);
    assert.equal(isRed([]), true);
    assert.equal(isRed([reportOf([skipped])]), true);
    assert.equal(isRed([reportOf([passed, skipped])]), false);
  });

  it("comes with a line that says so where nothing ran", () => {
    assert.deepEqual(describeRun([reportOf([skipped])]).slice(-2), [
      "No test ran",
      "0 passed, 0 failed, 1 skipped",
    ]);
  });
});

const inProcess: TestResult = { name: "a > [A1] [N1.2] does (in the process)", outcome: "passed" };
const onReal: TestResult = { name: "a > [A1] does (on a real control plane)", outcome: "passed" };

describe("measure()", () => {
  it("counts what ran on all runtimes, and no skips", () => {
    const reports = [reportOf([passed, failed]), reportOf([passed, skipped])];
    assert.deepEqual(measure(reports), { tests: 3, tags: 0, tagsOnRealServer: 0 });
  });

  it("counts a tag once, by the names of tests that passed, and as real where a control plane was there", () => {
    assert.deepEqual(measure([reportOf([inProcess, onReal]), reportOf([inProcess])]), {
      tests: 3,
      tags: 2,
      tagsOnRealServer: 1,
    });
    const story: TestResult = { name: "[B1] does", outcome: "passed" };
    assert.equal(measure([reportOf([story, inProcess])]).tagsOnRealServer, 0);
    assert.equal(measure([reportOf([story, inProcess], { heavy: true })]).tagsOnRealServer, 1);
    const missed: TestResult[] = [{ ...onReal, outcome: "skipped" }, { ...inProcess, outcome: "failed" }];
    assert.deepEqual(measure([reportOf(missed, { heavy: true })]), {
      tests: 1,
      tags: 0,
      tagsOnRealServer: 0,
    });
  });
});

describe("findTooFew()", () => {
  it("names each number that a run falls short of", () => {
    const reports = [reportOf([inProcess, onReal, skipped], { heavy: true })];
    assert.deepEqual(findTooFew(reports, { tests: 2, tags: 2, tagsOnRealServer: 1 }), []);
    const [tests = "", tags = "", real = ""] = findTooFew(reports, {
      tests: 3,
      tags: 3,
      tagsOnRealServer: 2,
    });
    assert.match(tests, /^Only 2 tests ran: there have been 3/);
    assert.match(tags, /^Only 2 tags were in tests that passed: there have been 3/);
    assert.match(real, /^Only 1 tags were in tests that passed on a real control plane: there have been 2/);
  });
});

describe("the last lines of a run", () => {
  it("say what was left to other runs", () => {
    const lines = describeRun([reportOf([passed])], { notes: ["Left to CI: 2 files"] });
    assert.deepEqual(lines, ["", "Left to CI: 2 files", "1 passed, 0 failed, 0 skipped"]);
  });
});

function reportOf(
  results: readonly TestResult[],
  more: { heavy?: boolean; reasons?: string[] } = {},
): JobReport {
  const runtime = { name: "bun", path: "bun", version: "1.4.5" } as const;
  const job = { runtime, file: "tests/a_test.ts", heavy: more.heavy ?? false };
  return { job, results, reasons: more.reasons ?? [], output: "", seconds: 1.26 };
}
