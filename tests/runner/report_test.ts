import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobReport } from "./jobs.ts";
import type { TestResult } from "./junit.ts";
import { demand, describeReport, describeRun, isRed, whyTooFew } from "./report.ts";

const passed: TestResult = { name: "a() does", outcome: "passed" };
const failed: TestResult = { name: "b() does", outcome: "failed", message: "Error: no\n    at b.ts:1:1" };
const skipped: TestResult = { name: "c() does", outcome: "skipped" };

describe("describeRun()", () => {
  it("ends with the counts, alone on the last line", () => {
    const lines = describeRun([reportOf([passed, failed, skipped]), reportOf([passed])], undefined);
    assert.equal(lines.at(-1), "2 passed, 1 failed, 1 skipped");
    assert.equal(lines.filter((line) => /^\d+ passed/.test(line)).length, 1);
  });

  it("gives each failure with its runtime, file and message", () => {
    const lines = describeRun([reportOf([failed])], undefined);
    const start = lines.indexOf("FAILED on bun: tests/a_test.ts");
    assert.deepEqual(lines.slice(start + 1, start + 4), [
      "  b() does",
      "    Error: no",
      "        at b.ts:1:1",
    ]);
  });

  it("gives a missing control plane as the reason where one was needed, and says how to build it", () => {
    const lines = describeRun([reportOf([skipped], { heavy: true })], "No control plane: none");
    assert.ok(lines.includes("Skipped: No control plane: none"));
    assert.ok(lines.includes("  tests/a_test.ts on bun: 1"));
    assert.ok(lines.some((line) => line.includes("deno task control-plane")));
  });

  it("gives the reasons that files and runtimes state", () => {
    const stated = reportOf([skipped, skipped], { reasons: ["no openssl"] });
    const told = reportOf([{ ...skipped, message: "not on Node" }]);
    const lines = describeRun([stated, told], undefined);
    assert.ok(lines.includes("Skipped: no openssl"));
    assert.ok(lines.includes("Skipped: not on Node"));
  });
});

describe("describeReport()", () => {
  it("is one line with the file's counts", () => {
    const line = describeReport(reportOf([passed, passed, failed]));
    assert.equal(line, "bun  tests/a_test.ts: 2 passed, 1 FAILED (1.3 s)");
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
    const lines = describeRun([{ ...reportOf([passed]), crash }], undefined);
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
  it("is true after a failure, and when nothing ran", () => {
    assert.equal(isRed([reportOf([passed]), reportOf([failed])]), true);
    assert.equal(isRed([]), true);
    assert.equal(isRed([reportOf([passed, skipped])]), false);
  });
});

describe("whyTooFew()", () => {
  it("counts what ran on all runtimes, so that files that vanish are missed", () => {
    const reports = [reportOf([passed, passed]), reportOf([passed, skipped])];
    assert.equal(whyTooFew(reports, 4), undefined);
    assert.match(whyTooFew(reports, 5) ?? "", /^Only 4 tests ran: there have been 5/);
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
