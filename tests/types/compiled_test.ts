/** All that has to compile, in one process: the compiler reads the whole surface for each process anew. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pages, programsOf, typeCheck } from "../architecture/pages.ts";
import { filesBelow, readTree } from "../architecture/tree.ts";
import { generatedModules } from "./generated.ts";

describe("Whatever users are to write or get", () => {
  const types = filesBelow("tests/types/", ".ts");

  it("compiles: each block of pages and of comments, what is generated, our files about types", {
    timeout: 600_000,
  }, () => {
    const files = [...pages(), "mod.ts", "cli.ts", ...filesBelow("lib/", ".ts")];
    const shown = files.flatMap((page) =>
      programsOf(readTree(page)).map((text, index) => [`${page}#${index + 1}`, text] as const)
    );
    assert.ok(shown.length > 40, "most pages show code, and what is exported, too");
    assert.ok(types.length > 5);
    assert.equal(typeCheck(new Map([...shown, ...generatedModules()]), types), "");
  });

  it("would be refused otherwise, with its place", { timeout: 120_000 }, () => {
    const programs = new Map([["docs/x.md#1", "export const a = 1;"], [
      "docs/x.md#2",
      "let a: number;\na = 'x';",
    ]]);
    assert.match(typeCheck(programs), /'string' is not[^]*docs_x\.md_2\.ts:2:/);
  });
});
