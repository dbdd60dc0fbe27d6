/** Comments name things: riddles in them are counted by folder. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNone, filesBelow, readTree } from "./tree.ts";
import { CEILING, countWords, folderOf, rateOf, type WordCount } from "./words.ts";

const counts = new Map<string, WordCount>();
for (const path of filesBelow("lib/", ".ts")) {
  const { words, riddles } = countWords(readTree(path));
  const before = counts.get(folderOf(path)) ?? { words: 0, riddles: 0 };
  counts.set(folderOf(path), { words: before.words + words, riddles: before.riddles + riddles });
}

describe("Comments", () => {
  it("have no more riddles in 1,000 words than a folder may have", () => {
    const findings = [...counts].flatMap(([folder, count]) => {
      const rate = rateOf(count);
      return rate <= CEILING ? [] : `${folder}: ${rate.toFixed(1)} in 1,000 words, ${CEILING} are allowed`;
    });
    assertNone(
      findings,
      'folders with too many of "what", "who", "those", "nobody", "nothing" (name the thing)',
    );
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
