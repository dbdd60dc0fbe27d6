/** Measurements and tools tell how they are used, and begin with nothing else. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../cli/processes.ts";
import { findRuntime } from "../runner/tools.ts";

const MEASUREMENTS = readdirSync(join(ROOT, "bench"))
  .flatMap((name) => [`bench/${name}/run.ts`, `bench/${name}/main.ts`])
  .filter((path) => existsSync(join(ROOT, path)));
const TOOLS = [
  "tools/kubernetes_types.ts",
  "tools/package.ts",
  "tools/reference.ts",
  "tests/clients/build.ts",
  "tests/control_plane/build.ts",
  "tests/mutants/run.ts",
  "tests/run.ts",
];

async function run(
  path: string,
  ...args: readonly string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(findRuntime("deno").path, ["run", "-A", "--no-check", path, ...args], { cwd: ROOT });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output };
}

describe("readOptions()", () => {
  for (const path of [...MEASUREMENTS, ...TOOLS]) {
    it(`prints the help of ${path}, also as a task passes it on`, { timeout: 60_000 }, async () => {
      const { code, output } = await run(path, "--", "--help");
      assert.equal(code, 0, output);
      assert.match(output, /^[A-Z][^]{40}/);
      assert.doesNotMatch(output, /\*\/|^ \* |^\s+at /m);
    });
  }

  it("says in a sentence what it does not know, with the help", { timeout: 60_000 }, async () => {
    const { code, output } = await run("bench/peers/run.ts", "--objetcs", "3");
    assert.equal(code, 2);
    assert.match(output, /^Unknown option '--objetcs'[^]*\n\nMeasures Lotse beside/);
    assert.doesNotMatch(output, /^\s+at /m);
  });
});
