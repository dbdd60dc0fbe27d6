/**
 * Runs Kubernetes' end-to-end tests of its API against the server in the process: `deno run -A tests/clients/kubernetes.ts`.
 *
 * Builds their program first, unless it is in the cache: minutes on two cores. `--runtime bun` serves with Bun, `--focus TEXT`
 * runs only tests with that in their names. Red if one fails that kubernetes_list.ts does not name, or passes although it does.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Program } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/binaries.ts";
import { builtClient } from "./binaries.ts";
import { CHOSEN, KNOWN, LEFT_OUT } from "./kubernetes_list.ts";

/** One test of ginkgo's report, as far as it is read here. */
interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

const { values: flags } = parseArgs({
  options: { runtime: { type: "string", default: "deno" }, focus: { type: "string" } },
});

build();
const folder = mkdtempSync(join(tmpdir(), "lotse-kubernetes-"));
try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function build(): void {
  const script = fileURLToPath(new URL("build.ts", import.meta.url));
  const { status } = spawnSync(process.execPath, ["run", "-A", script, "--kubernetes"], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
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
  // The file is the report of ginkgo.
  const [suite] = JSON.parse(readFileSync(report, "utf8")) as readonly {
    readonly SpecReports: readonly Spec[];
  }[];
  return tell(
    (suite?.SpecReports ?? []).filter(({ State, LeafNodeType }) =>
      LeafNodeType === "It" && State !== "skipped" && State !== "pending"
    ),
  );
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

function tell(specs: readonly Spec[]): number {
  let red = 0;
  for (const { ContainerHierarchyTexts, LeafNodeText, State, RunTime, Failure } of specs) {
    const name = [...ContainerHierarchyTexts ?? [], LeafNodeText].join(" ");
    const reason = Object.entries(KNOWN).find(([part]) => new RegExp(part).test(name))?.[1];
    const passed = State === "passed";
    if (passed !== (reason === undefined)) red++;
    const why = passed
      ? reason === undefined ? "" : " (known not to pass: take it off the list)"
      : ` (${reason ?? Failure?.Message?.split("\n")[0] ?? State})`;
    console.log(`${passed ? "passed" : "FAILED"} ${(RunTime / 1e9).toFixed(1)} s ${name}${why}`);
  }
  const passed = specs.filter(({ State }) => State === "passed").length;
  console.log(`${passed} of ${specs.length} passed; ${red} otherwise than the list says`);
  return red === 0 && specs.length > 0 ? 0 : 1;
}
