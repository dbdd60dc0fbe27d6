import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";

/** In a process of its own: the memory of one that runs tests is large. */
function inProcess(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), "lotse-wish-"));
  const program = join(folder, "program.ts");
  writeFileSync(program, code);
  const words = process.versions.deno === undefined ? [program] : ["run", "-A", "--no-check", program];
  try {
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.equal(stderr, "");
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("writeHeapSnapshot()", () => {
  it("writes the memory of this very runtime into a file that only its own user can read", () => {
    const [wishes, current] = ["operator/process_wishes.ts", "runtime/current_host.ts"].map((path) =>
      JSON.stringify(new URL(`../../lib/${path}`, import.meta.url).href)
    );
    const output = inProcess(`
      import { writeHeapSnapshot } from ${wishes};
      import { currentHost } from ${current};
      globalThis.kept = { name: "a text that is " + "in memory" };
      const { path } = await writeHeapSnapshot(currentHost(), { process: { heapSnapshots: true } });
      console.log(path);
    `);
    const path = output.trim();
    try {
      assert.match(path, /lotse-heap-\w+\/operator\.heapsnapshot$/);
      const snapshot = JSON.parse(readFileSync(path, "utf8"));
      assert.ok(snapshot.nodes.length > 1000 && snapshot.strings.length > 100, "it has objects");
      assert.ok(JSON.stringify(snapshot.strings).includes("a text that is in memory"));
      assert.equal(statSync(dirname(path)).mode & 0o77, 0, "nobody else may enter the folder");
    } finally {
      rmSync(dirname(path), { recursive: true });
    }
  });
});
