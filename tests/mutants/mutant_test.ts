import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { breaksOf, breakText, describeMutant, type Mutant, tagsIn } from "./mutant.ts";

const mutant: Mutant = { file: "lib/a.ts", replace: "a > b", by: "$& < b", tests: [] };

describe("breakText()", () => {
  it("replaces the text where it occurs once, by just what is given", () => {
    assert.deepEqual(breakText("if (a > b) c();", mutant), { text: "if ($& < b) c();" });
  });

  it("says why it cannot, where the text is missing or occurs twice", () => {
    for (const [text, count] of [["", 0], ["a > b, a > b", 2]] as const) {
      assert.deepEqual(breakText(text, mutant), {
        problem: `"a > b" occurs ${count} times in lib/a.ts, not once`,
      });
    }
  });
});

describe("describeMutant()", () => {
  it("gives the file and the first lines of both texts", () => {
    const text = describeMutant({ ...mutant, replace: "\n  one\n  two", by: "" });
    assert.equal(text, "lib/a.ts: one … → (nothing)");
  });
});

describe("breaksOf()", () => {
  it("gives a mutant for each break, for the file's own test or for those that are named", () => {
    const file = "lib/engines/daemons/daemons.ts";
    assert.deepEqual(breaksOf(file, [["x", "y"]]), [
      { file, replace: "x", by: "y", tests: ["tests/engines/daemons/daemons_test.ts"] },
    ]);
    assert.deepEqual(breaksOf(file, [["x", "y"], ["z", ""]], ["t"]).map(({ by, tests }) => [by, tests]), [
      ["y", ["t"]],
      ["", ["t"]],
    ]);
  });
});

describe("tagsIn()", () => {
  it("gives the tags of scenarios, each once", () => {
    assert.deepEqual(tagsIn(["[A1] [B20] one", "two [x]", "[A1] three [C3]"]), ["[A1]", "[B20]", "[C3]"]);
  });
});
