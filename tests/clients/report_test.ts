import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readGoTest } from "./go_output.ts";
import { type Finding, readFindings, Tally } from "./report.ts";

const passed: Finding = { name: "does", passed: true, seconds: 1 };
const failed: Finding = { name: "lacks", passed: false, seconds: 1, why: "it said so" };
const skipped: Finding = { name: "needs more", passed: false, seconds: 0, skipped: "there is one node" };

/** Returns what is printed meanwhile, and the exit code. */
function told(
  tally: Tally,
  findings: readonly Finding[],
): { readonly lines: string[]; readonly code: number } {
  const lines: string[] = [];
  const { log } = console;
  console.log = (text: string) => lines.push(text);
  try {
    for (const finding of findings) tally.tell(finding);
    return { code: tally.end(), lines };
  } finally {
    console.log = log;
  }
}

describe("Tally", () => {
  it("is red where a test fails that the list does not name, or passes although it does", () => {
    assert.equal(told(new Tally({ known: {} }), [passed]).code, 0);
    assert.equal(told(new Tally({ known: {} }), [passed, failed]).code, 1);
    assert.equal(told(new Tally({ known: { "^lacks$": "not built" } }), [passed, failed]).code, 0);
    assert.equal(told(new Tally({ known: { "^does$": "not built" } }), [passed]).code, 1);
  });

  it("is red where fewer tests ran than before, and counts none that skipped itself", () => {
    assert.equal(told(new Tally({ known: {}, fewest: 2 }), [passed, passed]).code, 0);
    const { code, lines } = told(new Tally({ known: {}, fewest: 2 }), [passed, skipped]);
    assert.equal(code, 1);
    assert.equal(lines.at(-1), "Only 1 tests ran: there have been 2");
    assert.equal(told(new Tally({ known: {} }), [skipped]).code, 1);
  });

  it("lists at its end the tests that did not run, by their reasons", () => {
    const { lines } = told(new Tally({ known: {} }), [skipped, passed, { ...skipped, name: "also" }]);
    assert.deepEqual(lines, [
      "passed 1.0 s does",
      "not run, or not counted: there is one node\n  also\n  needs more",
      "1 of 1 passed; 2 not run; 0 otherwise than the list says",
    ]);
  });
});

describe("readFindings()", () => {
  it("tells tests that skipped themselves from tests that were not asked for", () => {
    const folder = mkdtempSync(join(tmpdir(), "lotse-report-"));
    const spec = (LeafNodeText: string, State: string, Message = "") => ({
      ContainerHierarchyTexts: ["API"],
      LeafNodeText,
      LeafNodeType: "It",
      State,
      RunTime: 2e9,
      Failure: { Message },
    });
    const specs = [
      spec("does", "passed"),
      spec("lacks", "failed", "no\nat all"),
      spec("needs more", "skipped", "there is one node"),
      spec("not chosen", "skipped"),
      spec("not written", "pending"),
    ];
    writeFileSync(join(folder, "report.json"), JSON.stringify([{ SpecReports: specs }]));
    const findings = readFindings(join(folder, "report.json"));
    rmSync(folder, { recursive: true });
    assert.deepEqual(findings.map(({ name, passed, skipped, why }) => [name, passed, skipped ?? why]), [
      ["API does", true, "passed"],
      ["API lacks", false, "no"],
      ["API needs more", false, "there is one node"],
    ]);
  });
});

describe("readGoTest()", () => {
  it("gives the reason of a test that skipped itself", () => {
    const output = "=== RUN   TestA\n    a_test.go:1: no etcd\n--- SKIP: TestA (0.00s)\nPASS\n";
    const [finding] = readGoTest(output, "TestA");
    assert.match(finding?.skipped ?? "", /no etcd/);
  });
});
