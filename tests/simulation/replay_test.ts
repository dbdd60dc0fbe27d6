/** The same seed gives the same run on each runtime, to the last request and the last call. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { findRuntime, type RuntimeName, RUNTIMES } from "../runner/tools.ts";

const PROGRAM = fileURLToPath(new URL("replay_program.ts", import.meta.url));

function runsOn(name: RuntimeName): string {
  const { path } = findRuntime(name);
  const args = name === "deno" ? ["run", "-A", "--no-check", PROGRAM] : [PROGRAM];
  const { status, stdout, stderr } = spawnSync(path, args, { encoding: "utf8", timeout: 120_000 });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe("A seed", () => {
  it("[N21.8] gives the same requests, calls and times on Deno, Bun and Node", { timeout: 400_000 }, () => {
    const [deno = "", ...others] = RUNTIMES.map(runsOn);
    assert.match(deno, /^(\d+ [0-9a-f]{16}\n){6}$/);
    for (const [index, other] of others.entries()) assert.equal(other, deno, `on ${RUNTIMES[index + 1]}`);
  });
});
