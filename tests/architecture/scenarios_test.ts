/** The tables of scenarios and the tags in tests' names agree, in both directions. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareTags, parseScenarios, type Scenario, tagsInTests, tagsOnRealServer } from "./scenarios.ts";
import { assertNone, filesBelow, readTree } from "./tree.ts";

const tables = filesBelow("tests/scenarios/table/", ".md");
const rows = tables.flatMap((path) => parseScenarios(path, readTree(path)));
const tags = tagsInTests(
  filesBelow("tests/", "_test.ts").filter((path) => !path.startsWith("tests/architecture/"))
    .concat("tests/architecture/lint_test.ts").map(readTree),
);

describe("The scenarios", () => {
  it("count as real where they run in both places, or start a control plane", () => {
    const source =
      `scenario("[A1] a", f); scenario.timed(\n  "[A2] b", f); scenario.virtual("[A3] c", f); it("[A4] d", f)`;
    assert.deepEqual([...tagsOnRealServer([source])], ["A1", "A2"]);
    assert.deepEqual([...tagsOnRealServer(['startControlPlane(); it("[A4] d", f)'])], ["A4"]);
  });

  it("have each tag in one row only", () => {
    const seen = new Set<string>();
    assertNone(
      rows.filter(({ tag }) => seen.size === seen.add(tag).size).map(({ tag }) => tag),
      "tags twice",
    );
  });

  it("have a row for each tag in a test's name", () => {
    assertNone(compareTags(rows, tags).strange, "tags have no row in tests/scenarios/table/");
  });

  it("have a test for each row that is marked as tested", () => {
    assertNone(compareTags(rows, tags).untested, "rows are marked as tested, and no test has their tag");
  });

  it("mark each row that has a test as tested", () => {
    assertNone(compareTags(rows, tags).understated, "rows have a test, and another state");
  });

  it("have a state that README.md names", () => {
    const bad = rows.filter(({ state }) => !/^(tested|open|shown|not here: \[.+\]\(.+\))$/.test(state));
    assertNone(bad.map(({ tag, state }) => `${tag}: ${state}`), "states that mean nothing");
  });
});

describe("compareTags()", () => {
  const row = (tag: string, state: string): Scenario => ({ tag, state });

  it("finds tags without a row, rows without a test, and rows that say less than is there", () => {
    const found = compareTags(
      [row("A1", "tested"), row("A2", "tested"), row("A3", "open"), row("G1", "shown")],
      new Set(["A1", "A3", "A4"]),
    );
    assert.deepEqual(found, { strange: ["A4"], untested: ["A2"], understated: ["A3"] });
  });
});

describe("parseScenarios()", () => {
  it("reads the first and the last cell of the rows that begin with a tag", () => {
    const text =
      "| tag | then | state |\n|---|---|---|\n| A1 | a \\| b | tested |\n\n| Kopf | here |\n|---|---|\n| x | y |\n";
    assert.deepEqual(parseScenarios("a.md", text), [{ tag: "A1", state: "tested" }]);
  });

  it("takes rows of a table without states for rows that other tests show", () => {
    const text = "| tag | Kopf | here |\n|---|---|---|\n| G1 | a | b |\n";
    assert.deepEqual(parseScenarios("a.md", text), [{ tag: "G1", state: "shown" }]);
  });
});

describe("tagsInTests()", () => {
  it("finds tags in names, and not in comments or in other strings", () => {
    const text = `
      // [A1] is tested below
      it("[A2] [B3] does it", () => { assert.equal(text, "[A4]"); });
      scenario("[N1.2] does more", async () => {});
    `;
    assert.deepEqual([...tagsInTests([text])], ["A2", "B3", "N1.2"]);
  });
});
