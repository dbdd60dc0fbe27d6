/** The compiled command line, in an empty folder, where neither a runtime nor a package is to be found. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { Program, project, ROOT } from "../cli/processes.ts";
import { findRuntime } from "../runner/tools.ts";

/** In milliseconds. */
const TIMEOUT = { timeout: 120_000 };

describe("The compiled lotse", () => {
  const home = project({});
  const lotse = join(home, "lotse");
  const tea = join(home, "tea");
  const env = { HOME: home, PATH: "/usr/bin:/bin" };

  function run(command: string, args: readonly string[], cwd: string): string {
    const { status, stdout, stderr, error } = spawnSync(command, [...args], { cwd, env, encoding: "utf8" });
    assert.equal(status, 0, `${command} ${args.join(" ")}: ${error ?? stdout + stderr}`);
    return stdout + stderr;
  }

  before(() => {
    const { path } = findRuntime("bun");
    const made = spawnSync(path, ["tools/lotse.ts", "--out", lotse], { cwd: ROOT, encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    assert.match(run(lotse, ["new", "tea"], home), /^Made tea\. Next:\n/);
  }, TIMEOUT);

  it("runs a project on the API server in the process", TIMEOUT, async () => {
    const args = ["dev", "handlers.ts", "--apply", "deploy/crd.yaml", "deploy/example.yaml"];
    await using dev = new Program(lotse, args, { cwd: tea, env });
    const [, kubeconfig = ""] = await dev.wrote(/KUBECONFIG=(\S+);/);
    await dev.wrote(/\[default\/hello\] Handler succeeded handler=create\n/);
    // `run` takes the same file; the object has been handled already.
    await using other = new Program(lotse, ["run", "handlers.ts", "-A", "--kubeconfig", kubeconfig], {
      cwd: tea,
      env,
    });
    await other.wrote(/Operator has started/);
    assert.equal(await other.stop(), 0);
    assert.equal(await dev.stop(), 0);
  });

  it("generates, and builds the same executable each time", TIMEOUT, () => {
    assert.match(run(lotse, ["generate", "rbac", "handlers.ts"], tea), /- teas\n/);
    const digests = ["one", "two"].map((name) => {
      mkdirSync(join(tea, name));
      const output = join(tea, name, "operator");
      run(lotse, ["build", "handlers.ts", "-o", output], tea);
      return createHash("sha256").update(readFileSync(output)).digest("hex");
    });
    assert.equal(digests[0], digests[1]);
    assert.match(run("./one/operator", ["--version"], tea), /^operator 0\.1\.0 \(/);
    assert.ok(existsSync(join(home, ".cache/lotse")));
  });
});
