/**
 * Runs controller-runtime's own tests against the server in the process: `deno run -A tests/clients/controller_runtime.ts`.
 *
 * They start a cluster by envtest, whose `kube-apiserver` is ours here, and whose `etcd` only says that it is well. Builds
 * them first, unless they are in the cache (needs Go): minutes on two cores. `--runtime bun` serves with Bun, `--suite NAME`
 * runs one alone, `--focus TEXT` only tests with that in their names. Red if one fails that controller_runtime_list.ts does
 * not name, or passes although it does, and if fewer run than it says.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../tools/options.ts";
import { findControlPlane } from "../control_plane/binaries.ts";
import { buildClient, builtClient, sourcesOf } from "./binaries.ts";
import { FEWEST, fileOf, KNOWN, SUITES } from "./controller_runtime_list.ts";
import { readFindings, Tally } from "./report.ts";

/** A suite that hangs. */
const PATIENCE = "8m";

const { values: flags } = readOptions(import.meta.url, {
  options: {
    runtime: { type: "string", default: "deno" },
    suite: { type: "string" },
    focus: { type: "string" },
  },
});

buildClient("suites");
const folder = mkdtempSync(join(tmpdir(), "lotse-controller-runtime-"));
try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<number> {
  const assets = makeAssets();
  const sources = copySources();
  const isWhole = flags.suite === undefined && flags.focus === undefined;
  const tally = new Tally({ known: KNOWN, fewest: isWhole ? FEWEST : 1 });
  for (const suite of SUITES.filter((name) => flags.suite === undefined || name === flags.suite)) {
    const report = join(folder, `${fileOf(suite)}.json`);
    const args = ["-test.timeout", PATIENCE, `-ginkgo.json-report=${report}`];
    if (flags.focus !== undefined) args.push(`-ginkgo.focus=${flags.focus}`);
    await runProgram(join(builtClient("suites"), fileOf(suite)), {
      args,
      cwd: join(sources, "pkg", suite),
      assets,
    });
    if (!existsSync(report)) {
      tally.tell({ name: suite, passed: false, seconds: 0, why: "it wrote no report" });
      continue;
    }
    for (const finding of readFindings(report)) {
      tally.tell({ ...finding, name: `${suite} ${finding.name}` });
    }
  }
  return tally.end();
}

/** Makes a folder of executables as envtest wants one. */
function makeAssets(): string {
  const server = fileURLToPath(new URL("kube_apiserver.ts", import.meta.url));
  const command = flags.runtime === "bun" ? `bun ${server}` : `deno run -A ${server}`;
  writeFileSync(join(folder, "etcd"), `#!/bin/sh\nexec ${command} etcd "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "kube-apiserver"), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  const kubectl = findControlPlane().binaries?.kubectl?.[0];
  if (kubectl !== undefined) symlinkSync(kubectl, join(folder, "kubectl"));
  return folder;
}

/** The tests read files beside them, and write some. */
function copySources(): string {
  const { stdout } = spawnSync("go", ["mod", "download", "-json", "sigs.k8s.io/controller-runtime"], {
    cwd: sourcesOf("suites"),
    encoding: "utf8",
  });
  const copy = join(folder, "sources");
  cpSync(String(JSON.parse(stdout).Dir), copy, { recursive: true });
  spawnSync("chmod", ["-R", "u+w", copy]);
  return copy;
}

interface ProgramOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly assets: string;
}

/** Runs a suite, and ends the servers that it leaves behind. NB: its code says only whether any test has failed, which the report says better. */
function runProgram(path: string, { args, cwd, assets }: ProgramOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, KUBEBUILDER_ASSETS: assets };
    const child = spawn(path, [...args], { cwd, env, stdio: "ignore" });
    child.once("error", reject);
    child.once("close", () => {
      endServers(assets);
      resolve();
    });
  });
}

/** NB: envtest gives each server a group of its own. They have the folder of executables in common. */
function endServers(assets: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (environment.includes(`KUBEBUILDER_ASSETS=${assets}`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, or is somebody else's.
    }
  }
}
