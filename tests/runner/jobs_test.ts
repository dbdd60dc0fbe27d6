import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { type JobReport, runJob } from "./jobs.ts";
import { ownName } from "./tools.ts";

const HEAD = 'import { describe, it } from "node:test"; import process from "node:process";\n';

describe("runJob()", () => {
  it("reports the tests of a file", { timeout: 60_000 }, async () => {
    const report = await run(
      `describe("a", () => { it("b", () => {}); it("c", { skip: "why" }, () => {}); it("d", () => { throw new Error("no"); }); });`,
    );
    assert.deepEqual(outcomes(report), ["passed a > b", "skipped a > c", "failed a > d"]);
  });

  const failing: [what: string, source: string, problem: RegExp][] = [
    [
      "a file that cannot be loaded",
      'throw new Error("broken");',
      /itself (cannot be loaded|ended with exit code 1)|fails_test/,
    ],
    [
      "a file that cannot be loaded to its end",
      'it("a", () => {}); if (it.length >= 0) throw new Error("broken");',
      /itself (cannot be loaded|ended with exit code 1)|fails_test/,
    ],
    [
      "a file that ends the process too early",
      'it("a", () => { process.exit(0); });',
      /itself executed no test|a$/,
    ],
    ["a file without tests", "export const a = 1;", /itself executed no test/],
    [
      "a file that is killed",
      'process.kill(process.pid, "SIGKILL");',
      /itself (was ended by SIGKILL|ended with exit code)|fails_test/,
    ],
  ];
  for (const [what, source, problem] of failing) {
    it(`gives a failure for ${what}`, { timeout: 60_000 }, async () => {
      const failed = (await run(source)).results.filter(({ outcome }) => outcome === "failed");
      assert.equal(failed.length, 1);
      assert.match(failed[0]?.name ?? "", problem);
    });
  }

  it("runs a file once more whose runtime has crashed, and says so", { timeout: 60_000 }, async () => {
    const report = await run(`
      import { existsSync, writeFileSync } from "node:fs";
      const mark = new URL("./crashed", import.meta.url);
      if (!existsSync(mark)) {
        writeFileSync(mark, "");
        ${panic("no")}
      }
      it("a", () => {});`);
    assert.deepEqual(outcomes(report), ["passed a"]);
    assert.match(report.crash?.ending ?? "", /SIGABRT|134/);
    assert.match(report.crash?.message ?? "", /panicked at 'no'/);
  });

  it("gives a failure if the runtime crashes again, with what it said", { timeout: 60_000 }, async () => {
    const report = await run(`console.log("chatter"); ${panic("again")}`);
    const [failure, ...others] = report.results;
    assert.deepEqual([failure?.outcome, others], ["failed", []]);
    assert.match(failure?.name ?? "", /itself .*(SIGABRT|134)/);
    assert.match(failure?.message ?? "", /panicked at 'again'/);
    assert.ok(report.crash);
  });

  it("does not repeat what fails, or is killed from outside", { timeout: 60_000 }, async () => {
    assert.equal((await run('process.kill(process.pid, "SIGKILL");')).crash, undefined);
    assert.equal((await run("process.exit(1);")).crash, undefined);
  });

  it("gives a failure if the runtime cannot be started", async () => {
    const runtime = { name: "bun", path: "/nowhere/bun", version: "1.4.5" } as const;
    const report = await runJob({ runtime, file: "tests/a_test.ts", heavy: false });
    assert.match(outcomes(report).join(), /^failed \(the file itself could not be started: .*ENOENT/);
  });

  it("collects the reasons that the file prints for its skips", { timeout: 60_000 }, async () => {
    const report = await run('console.log("# skip: no openssl"); it("a", { skip: true }, () => {});');
    assert.deepEqual(report.reasons, ["no openssl"]);
  });
});

/** Source that dies as a panic makes a runtime die: by another's hand, since Deno lets nothing send itself such signals. */
function panic(message: string): string {
  // NB: Deno reads what its tests write through a pipe: the pause lets it pass that on before it dies.
  const script = `echo "panicked at '${message}'" >&2; sleep 0.5; kill -ABRT $PPID`;
  return `
    const { spawnSync } = await import("node:child_process");
    spawnSync("sh", ["-c", ${JSON.stringify(script)}], { stdio: "inherit" });`;
}

/** Runs a file with that text on the runtime that this test runs on. */
async function run(source: string): Promise<JobReport> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-runner-"));
  const file = join(folder, "fails_test.ts");
  writeFileSync(file, HEAD + source);
  const runtime = { name: ownName(), path: process.execPath, version: "0.0.0" };
  const report = await runJob({ runtime, file, heavy: false });
  rmSync(folder, { recursive: true });
  return report;
}

function outcomes({ results }: JobReport): string[] {
  return results.map(({ outcome, name }) => `${outcome} ${name}`);
}
