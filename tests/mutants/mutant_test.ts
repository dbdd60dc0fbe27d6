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

describe("breakText() in a function", () => {
  const text = [
    "function one() {\n  a > b;\n}\n",
    "export class Two {\n  #three(): void {\n    a > b;\n  }\n\n  get four(): void {\n    a > b;\n  }\n}\n",
  ].join("\n");

  it("replaces the text there, and leaves it everywhere else", () => {
    for (const [inside, place] of [["one", 0], ["Two.#three", 1], ["Two.four", 2]] as const) {
      const broken = breakText(text, { ...mutant, in: inside });
      assert.ok("text" in broken, inside);
      const parts = broken.text.match(/a > b|\$& < b/g);
      assert.deepEqual(parts, ["a > b", "a > b", "a > b"].with(place, "$& < b"), inside);
    }
  });

  it("says so where there is no such function, or the text is not in it", () => {
    const problemOf = (inside: string, replace = mutant.replace): unknown =>
      breakText(text, { ...mutant, in: inside, replace });
    assert.deepEqual(problemOf("five"), { problem: 'there is no function "five" in lib/a.ts' });
    assert.deepEqual(problemOf("Two.five"), { problem: 'there is no function "Two.five" in lib/a.ts' });
    assert.deepEqual(problemOf("one", "d > e"), {
      problem: `"d > e" occurs 0 times in "one" of lib/a.ts, not once`,
    });
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
    const file = "lib/handlers/background/daemons.ts";
    assert.deepEqual(breaksOf(file, [["x", "y"]]), [
      { file, replace: "x", by: "y", tests: ["tests/handlers/background/daemons_test.ts"] },
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
