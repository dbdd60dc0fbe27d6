/** Comments name things: riddles in them are counted by folder. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNone, filesBelow, readTree } from "./tree.ts";
import { CEILINGS, countWords, folderOf, rateOf, WANTED, type WordCount } from "./words.ts";

/** A ceiling that is higher than the rate by so much is to be lowered. */
const SLACK = 10;

const counts = new Map<string, WordCount>();
for (const path of filesBelow("lib/", ".ts")) {
  const { words, riddles } = countWords(readTree(path));
  const before = counts.get(folderOf(path)) ?? { words: 0, riddles: 0 };
  counts.set(folderOf(path), { words: before.words + words, riddles: before.riddles + riddles });
}

describe("Comments", () => {
  it("have no more riddles in 1,000 words than their folder may have", () => {
    const findings = [...counts].flatMap(([folder, count]) => {
      const [rate, ceiling] = [rateOf(count), CEILINGS[folder] ?? WANTED];
      return rate <= ceiling ? [] : `${folder}: ${rate.toFixed(1)} in 1,000 words, ${ceiling} are allowed`;
    });
    assertNone(
      findings,
      'folders with too many of "what", "who", "those", "nobody", "nothing" (name the thing)',
    );
  });

  it("have ceilings that follow them down", () => {
    const findings = Object.entries(CEILINGS).flatMap(([folder, ceiling]) => {
      const count = counts.get(folder);
      if (count === undefined || ceiling === WANTED) return [];
      const rate = rateOf(count);
      return ceiling <= Math.max(WANTED, rate + SLACK) ? [] : `${folder}: ${rate.toFixed(1)}, not ${ceiling}`;
    });
    assertNone(findings, "ceilings to lower in tests/architecture/words.ts");
  });
});

describe("countWords()", () => {
  it("counts comments of both sorts, without code and examples", () => {
    const source = [
      "/** Says who it is, and nothing else.",
      " * ```ts",
      " * what();",
      " * ```",
      " */",
      'const what = "// who"; // Somebody has the state that of which was said',
      'const url = "https://who.example";',
    ].join("\n");
    assert.deepEqual(countWords(source), { words: 16, riddles: 4 });
  });
});
