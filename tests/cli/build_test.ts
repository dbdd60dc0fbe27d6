import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { lotse, PATIENCE, type Program, project, ROOT } from "./processes.ts";

const EXAMPLE = join(ROOT, "examples/01-minimal");
describe("lotse build", () => {
  const folder = project({});
  const operator = join(folder, "operator");
  let server: Program;
  let kubeconfig = "";

  before(async () => {
    const handlers = join(EXAMPLE, "handlers.ts");
    await using build = lotse(["build", handlers, "-o", operator]);
    assert.equal(await build.ended(), 0, build.output);
    server = lotse(["apiserver"]);
    [, kubeconfig = ""] = await server.wrote(/KUBECONFIG=(\S+)/);
    apply("crd.yaml", "greeting.yaml");
  }, { timeout: PATIENCE });
  after(() => server?.[Symbol.asyncDispose]());

  function apply(...files: string[]): void {
    for (const file of files) kubectl("apply", "-f", join(EXAMPLE, file));
  }

  function kubectl(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync("kubectl", ["--kubeconfig", kubeconfig, ...args], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  it("makes an executable of at most 120 MB", () => {
    assert.ok(statSync(operator).size <= 120e6, `${statSync(operator).size}`);
  });
});
