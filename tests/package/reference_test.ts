/** The pages of docs/reference say what the code says. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { ROOT } from "../cli/processes.ts";
import { findRuntime } from "../runner/tools.ts";

describe("docs/reference", () => {
  it("is as the code says", { timeout: 60_000 }, () => {
    const { path } = findRuntime("deno");
    const args = ["run", "-A", "tools/reference.ts", "--check"];
    const { status, stderr } = spawnSync(path, args, { cwd: ROOT, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });
});
