/** The compiled command line, in an empty folder, where neither a runtime nor a package is to be found. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { Program, project, ROOT } from "../cli/processes.ts";
import { findRuntime } from "../runner/tools.ts";

/** An operator that needs no package but Lotse, which is in the program. */
const HANDLERS = `import { kinds, operator } from "@lotse/lotse";

const op = operator();

op.on.create(kinds.ConfigMap, { labels: { tea: "green" } }, function create({ patch }) {
  patch.metadata.annotations = { brewed: "yes" };
});

export default op;
`;

const HELLO =
  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hello, namespace: default, labels: { tea: green } }\n";

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
    mkdirSync(tea);
    writeFileSync(join(tea, "handlers.ts"), HANDLERS);
    writeFileSync(join(tea, "hello.yaml"), HELLO);
    writeFileSync(join(tea, "package.json"), '{ "name": "tea", "version": "0.1.0" }');
    const { path } = findRuntime("bun");
    const made = spawnSync(path, ["tools/lotse.ts", "--out", lotse], { cwd: ROOT, encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    assert.match(run(lotse, ["new", "coffee"], home), /^Made coffee\. Next:\n/);
  }, TIMEOUT);

  it("runs a project on the API server in the process", TIMEOUT, async () => {
    const args = ["dev", "handlers.ts", "--apply", "hello.yaml"];
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
    assert.match(run(lotse, ["generate", "rbac", "handlers.ts"], tea), /- configmaps\n/);
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
