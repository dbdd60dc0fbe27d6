/**
 * Builds the programs of other clients, unless they are in the cache already: `deno task clients [--rust] [--kubernetes] [--suites]`.
 *
 * The one in Go shares what it compiles with the control plane (the same modules, versions and flags), so that it takes half a
 * minute after that. The one in Rust takes minutes, and is built on request.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { builtClient, type ClientName, sourcesOf } from "./binaries.ts";
import { fileOf, SUITES } from "./controller_runtime_list.ts";

const STEPS: Readonly<Record<ClientName, (output: string) => void>> = {
  go: (output) => buildGo(output, "go"),
  kubernetes: (output) => buildGo(output, "kubernetes"),
  rust: buildRust,
  suites: buildSuites,
};

const { values: { rust, kubernetes, suites } } = readOptions(import.meta.url, {
  options: { rust: { type: "boolean" }, kubernetes: { type: "boolean" }, suites: { type: "boolean" } },
});
const wanted: ClientName[] = suites
  ? ["suites"]
  : kubernetes
  ? ["kubernetes"]
  : rust
  ? ["go", "rust"]
  : ["go"];
for (const name of wanted) {
  const path = builtClient(name);
  if (isBuilt(name, path)) {
    console.error(`The program in ${name} is in the cache; nothing to do`);
    continue;
  }
  const started = performance.now();
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  STEPS[name](unfinished);
  rmSync(path, { recursive: true, force: true });
  renameSync(unfinished, path);
  console.error(`Built the program in ${name} in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** NB: which suites there are is no part of their sources. */
function isBuilt(name: ClientName, path: string): boolean {
  return existsSync(path) &&
    (name !== "suites" || SUITES.every((suite) => existsSync(join(path, fileOf(suite)))));
}

/** NB: the flags of the control plane's build, or nothing that it compiled would count. */
function buildGo(output: string, name: ClientName): void {
  const args = ["build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", output, "."];
  run(findGo(), args, name);
}

/** One program for each suite, in a folder. */
function buildSuites(folder: string): void {
  for (const suite of SUITES) {
    const output = join(folder, fileOf(suite));
    const flags = ["-vet=off", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", output];
    run(findGo(), ["test", "-c", ...flags, `sigs.k8s.io/controller-runtime/pkg/${suite}`], "suites");
  }
}

function findGo(): string {
  const candidates = ["go", "/usr/local/go/bin/go"];
  return candidates.find((each) => spawnSync(each, ["version"], { stdio: "ignore" }).status === 0) ?? "go";
}

function buildRust(output: string): void {
  const target = join(homedir(), ".cache", "lotse", "clients", "target");
  run("cargo", ["build", "--locked", "--target-dir", target], "rust");
  copyFileSync(join(target, "debug", "clients"), output);
}

function run(command: string, args: readonly string[], name: ClientName): void {
  const env = { ...process.env, CGO_ENABLED: "0" };
  const { status, error } = spawnSync(command, [...args], {
    cwd: sourcesOf(name),
    env,
    stdio: ["ignore", 2, 2],
  });
  if (status === 0) return;
  console.error(
    `Cannot build the program in ${name}: ${error?.message ?? `${command} exited with ${status}`}`,
  );
  process.exit(1);
}
