/**
 * Runs Kubernetes' end-to-end tests of its API against the server in the process: `deno run -A tests/clients/kubernetes.ts`.
 *
 * Builds their program first, unless it is in the cache: minutes on two cores. `--runtime bun` serves with Bun, `--focus TEXT`
 * runs only tests with that in their names. Red if one fails that kubernetes_list.ts does not name, or passes although it does,
 * and if fewer run than it says.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../tools/options.ts";
import { Program } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/binaries.ts";
import { buildClient, builtClient } from "./binaries.ts";
import { CHOSEN, FEWEST, KNOWN, LEFT_OUT } from "./kubernetes_list.ts";
import { readFindings, Tally } from "./report.ts";

const { values: flags } = readOptions(import.meta.url, {
  options: { runtime: { type: "string", default: "deno" }, focus: { type: "string" } },
});

buildClient("kubernetes");
const folder = mkdtempSync(join(tmpdir(), "lotse-kubernetes-"));
try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<number> {
  const kubeconfig = join(folder, "kubeconfig");
  const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
  const args = [cli, "apiserver", "--rbac", "--workloads", "--quotas", "--kubeconfig", kubeconfig];
  const isBun = flags.runtime === "bun";
  await using server = new Program(isBun ? "bun" : "deno", isBun ? args : ["run", "-A", ...args]);
  await server.wrote(/ready: /);
  const report = join(folder, "report.json");
  await runProgram(["--kubeconfig", kubeconfig, `--ginkgo.json-report=${report}`, ...programFlags()]);
  const tally = new Tally({ known: KNOWN, fewest: flags.focus === undefined ? FEWEST : 1 });
  for (const finding of readFindings(report)) tally.tell(finding);
  return tally.end();
}

function programFlags(): string[] {
  const found = findControlPlane().binaries?.kubectl;
  const kubectl = join(folder, "kubectl");
  if (found !== undefined) symlinkSync(found[0], kubectl);
  return [
    "--provider=skeleton",
    "--num-nodes=1",
    "--allowed-not-ready-nodes=-1",
    "--minStartupPods=-1",
    "--dump-logs-on-failure=false",
    "--ginkgo.timeout=60m",
    `--kubectl-path=${found === undefined ? "kubectl" : kubectl}`,
    `--ginkgo.focus=${flags.focus ?? CHOSEN.join("|")}`,
    `--ginkgo.skip=${Object.keys(LEFT_OUT).join("|")}`,
  ];
}

/** NB: its code says only whether any test has failed, which the report says better. */
function runProgram(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(builtClient("kubernetes"), [...args], { stdio: "ignore" });
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}
