/**
 * Runs the tests of a kubebuilder project, unchanged, on a real etcd and kube-apiserver and on the stand-ins of
 * `lotse apiserver --envtest`, in turn: `deno run -A bench/envtest/run.ts PROJECT [--rounds 3] [--lotse FILE]` (needs Go, and the control
 * plane that `deno task control-plane` builds, or KUBEBUILDER_ASSETS).
 *
 * The test programs are compiled first. The stand-ins run from the sources, with the runtime of this script; with `--lotse`, those of an
 * executable run, too. Prints the wall time of each run, the processor time of the test itself and of the servers that it has waited
 * for, and the medians. Red if a run fails.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findControlPlane } from "../../tests/control_plane/binaries.ts";
import { readOptions } from "../../tools/options.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

const { values, positionals: [project] } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: { rounds: { type: "string", default: "3" }, lotse: { type: "string" } },
});
if (project === undefined || !existsSync(join(project, "go.mod"))) {
  console.error(`There is no go.mod in "${project ?? ""}": name the folder of a kubebuilder project`);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "lotse-envtest-"));
try {
  const suites = testPrograms(resolve(project));
  const assets = new Map([["real", realAssets()], ["stand-ins", standIns("sources", ownCommand())]]);
  if (values.lotse !== undefined) assets.set("executable", standIns("executable", [resolve(values.lotse)]));
  const times = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, folder] of assets) {
      for (const [suite, program] of suites) {
        const { seconds, cpu } = run(program, suite, folder);
        const key = `${suite.slice(resolve(project).length + 1)} on ${name}`;
        times.set(key, [...times.get(key) ?? [], seconds]);
        console.log(
          `${key}: ${seconds.toFixed(1)} s, CPU ${cpu.toFixed(1)} s, load ${loadavg()[0]?.toFixed(0)}`,
        );
      }
    }
  }
  for (const [key, all] of times) {
    console.log(`median of ${key}: ${[...all].sort((a, b) => a - b)[all.length >> 1]?.toFixed(1)} s`);
  }
} finally {
  rmSync(work, { recursive: true });
}

/** Compiles the tests of each package that starts a server. Returns the programs by their packages' folders. */
function testPrograms(root: string): Map<string, string> {
  const suites = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("suite_test.go") && !path.startsWith("test/"))
    .map((path) => join(root, dirname(path))).sort();
  return new Map(suites.map((folder, index) => {
    const program = join(work, `suite${index}.test`);
    must("go", ["test", "-c", "-o", program, "."], folder);
    return [folder, program];
  }));
}

function realAssets(): string {
  const { binaries, reason } = findControlPlane();
  if (binaries === undefined) throw new Error(`There is no real control plane: ${reason}`);
  const folder = mkdtempSync(join(work, "real-"));
  for (const name of ["etcd", "kube-apiserver"] as const) symlinkSync(binaries[name][0], join(folder, name));
  return folder;
}

function ownCommand(): string[] {
  return process.execPath.includes("deno") ? [process.execPath, "run", "-A", CLI] : [process.execPath, CLI];
}

function standIns(name: string, [program = "", ...args]: readonly string[]): string {
  const folder = join(work, name);
  must(program, [...args, "apiserver", "--envtest", folder], work);
  return folder;
}

function run(program: string, folder: string, assets: string): { seconds: number; cpu: number } {
  const begin = performance.now();
  // The shell tells the processor time of what it has waited for.
  const told = must(
    "bash",
    ["-c", `"$0" >/dev/null 2>"$0.log" || { tail -n 40 "$0.log" >&2; exit 1; }; times`, program],
    folder,
    {
      KUBEBUILDER_ASSETS: assets,
    },
  );
  const seconds = (performance.now() - begin) / 1000;
  const children = told.trim().split("\n").at(-1) ?? "";
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + 60 * Number(m) + Number(s),
    0,
  );
  return { seconds, cpu };
}

function must(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(`${program} ${args[0]} has failed in ${cwd}: ${error?.message ?? ""}${stdout}${stderr}`);
  }
  return stdout;
}
