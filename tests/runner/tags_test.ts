import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { runJob } from "./jobs.ts";
import { hasTag, patternOf, readTag } from "./tags.ts";
import { findRuntime } from "./tools.ts";

const folder = mkdtempSync(join(tmpdir(), "lotse-tags-"));
after(() => rmSync(folder, { recursive: true, force: true }));

describe("readTag()", () => {
  it("takes a tag with and without its brackets, and no other text", () => {
    assert.deepEqual(["A97", "[A97]", "N1.2", "N30"].map(readTag), ["A97", "A97", "N1.2", "N30"]);
    assert.deepEqual(["a97", "A", "A97x", "E1", ""].map(readTag), Array(5).fill(undefined));
  });
});

describe("hasTag()", () => {
  it("tells N1 from N1.2, and A9 from A97", () => {
    assert.ok(hasTag("[A9] [N1] does", "A9"));
    assert.ok(!hasTag("[A97] does", "A9"));
    assert.ok(!hasTag("[N1.2] does", "N1"));
    assert.ok(!new RegExp(patternOf("N1.2")).test("[N1x2] does"));
  });
});

describe("a run of the tests with one tag", () => {
  const file = join(folder, "some_test.ts");
  const source = `
    import { after, describe, it } from "node:test";
    describe("outer", () => {
      after(() => {});
      it("[A97] does", () => {});
      it("has no tag", () => { throw new Error("not wanted"); });
      describe("of [A97]", () => it("does as well", { timeout: 1000 }, () => {}));
    });
    it("[A98] [A97] fails", () => { throw new Error("as it should"); });
    it("[A9] is another", () => { throw new Error("not wanted"); });`;

  for (const name of ["deno", "bun"] as const) {
    it(`runs no other, wherever the tag stands in the test's full name, on ${name}`, async () => {
      writeFileSync(file, source);
      const job = { runtime: findRuntime(name), file, heavy: false, tag: "A97" };
      const { results } = await runJob(job);
      assert.deepEqual(results.map(({ name, outcome }) => `${name}: ${outcome}`).sort(), [
        "[A98] [A97] fails: failed",
        "outer > [A97] does: passed",
        "outer > of [A97] > does as well: passed",
      ]);
    });

    it(`has no results and no failure for a file without such a test, on ${name}`, async () => {
      writeFileSync(file, source);
      const job = { runtime: findRuntime(name), file, heavy: false, tag: "B1" };
      assert.deepEqual((await runJob(job)).results, []);
    });

    it(`fails where the file cannot be loaded, on ${name}`, async () => {
      writeFileSync(file, `import "./missing.ts";`);
      const job = { runtime: findRuntime(name), file, heavy: false, tag: "A97" };
      const { results } = await runJob(job);
      assert.deepEqual(results.map(({ outcome }) => outcome), ["failed"]);
    });
  }
});
