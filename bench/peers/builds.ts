/**
 * Builds what is measured, unless it is in the cache already: with Go from the module proxy, with cargo, and Kopf from PyPI.
 *
 * Where a toolchain is missing, or fails, there is a reason instead: whoever is missing is named, never left out in silence.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../../tests/runner/tools.ts";

/** The path of a program, or why there is none. */
export interface Build {
  readonly path: string;
  readonly missing?: string;
}

/** The packages of the folder "go". */
export type GoPackage = "load" | "operator";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "lotse", "peers");
const KOPF = "kopf[uvloop]==1.45.2";

/** Builds a program in Go: half a minute the first time, controller-runtime some minutes. */
export function buildGo(name: GoPackage): Build {
  return once(`go-${name}`, hashOf("go"), (output) => {
    const go = ["go", "/usr/local/go/bin/go"].find((each) => spawnSync(each, ["version"]).status === 0) ??
      "go";
    const args = ["build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", output, `./${name}`];
    return run(go, args, { cwd: join(FOLDER, "go"), env: { CGO_ENABLED: "0" } });
  });
}

/** Builds the operator on kube-rs for release: some five minutes the first time. */
export function buildRust(): Build {
  return once("rust-operator", hashOf("rust"), (output) => {
    const target = join(CACHE, "target");
    const cwd = join(FOLDER, "rust");
    const failure = run("cargo", ["build", "--release", "--locked", "--target-dir", target], { cwd });
    if (failure === undefined) copyFileSync(join(target, "release", "operator"), output);
    return failure;
  });
}

/** Installs Kopf into an environment of its own, with uvloop, as its documentation advises. The path is the interpreter's. */
export function installKopf(): Build {
  const folder = join(CACHE, `kopf-${createHash("sha256").update(KOPF).digest("hex").slice(0, 16)}`);
  const path = join(folder, "bin", "python");
  const done = join(folder, "complete");
  if (existsSync(done)) return { path };
  // NB: an environment cannot be moved, as its scripts name its place: what is half done is removed instead.
  rmSync(folder, { recursive: true, force: true });
  const missing = run("python3", ["-m", "venv", folder]) ??
    run(path, ["-m", "pip", "install", "--quiet", "--retries", "1", KOPF]) ??
    run(path, ["-c", `import kopf, uvloop; open(${JSON.stringify(done)}, "w")`]);
  return { path, missing };
}

/** Packs the operator on Lotse into an executable, as users do: each time, since it holds what is to be measured. */
export function buildLotse(): Build {
  const path = join(CACHE, "lotse-operator");
  mkdirSync(CACHE, { recursive: true });
  const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
  const args = [cli, "build", join(FOLDER, "operator.ts"), "--output", path, "--backend", "bun"];
  return { path, missing: run(findRuntime("bun").path, args) };
}

function once(name: string, hash: string, build: (output: string) => string | undefined): Build {
  const path = join(CACHE, `${name}-${hash}`);
  if (existsSync(path)) return { path };
  mkdirSync(CACHE, { recursive: true });
  console.error(`Building ${name} ...`);
  const unfinished = `${path}.${process.pid}`;
  const missing = build(unfinished);
  if (missing === undefined) renameSync(unfinished, path);
  return { path, missing };
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns why it failed, or nothing. */
function run(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: RunOptions = {},
): string | undefined {
  const { status, error, stderr } = spawnSync(command, [...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status === 0) return undefined;
  const detail = error?.message ?? stderr.trim().split("\n").slice(-3).join(" ");
  return `"${command} ${args.slice(0, 3).join(" ")}" failed: ${detail}`;
}

/** The state of a folder's sources. */
function hashOf(folder: string): string {
  const hash = createHash("sha256");
  const path = join(FOLDER, folder);
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((each) => /\.(go|rs|mod|sum|toml|lock)$/.test(each)).sort()) {
    hash.update(file).update(readFileSync(join(path, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
