/**
 * Programs of others that are written in Go, built from the module proxy: once on a machine, into the cache.
 *
 * Each is built in a module that is made for it: `go install` refuses programs whose own go.mod replaces a module. The versions that
 * it replaces are not ours then, which no program here depends on.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";

/** A program. */
export interface GoTool {
  readonly name: string;
  /** Its package, such as "helm.sh/helm/v3/cmd/helm". */
  readonly path: string;
  readonly version: string;
}

/** Returns the path of a program: of the variable with its name in capitals, else of the cache, where it is built if it is missing. */
export function goTool({ name, path, version }: GoTool): string {
  const given = process.env[name.toUpperCase()];
  if (given) return given;
  const built = join(homedir(), ".cache", "lotse", "tools", `${name}-${version}`);
  if (existsSync(built)) return built;
  console.error(`Building ${name} ${version}: some minutes the first time`);
  const folder = mkdtempSync(join(tmpdir(), "lotse-go-"));
  try {
    writeFileSync(join(folder, "go.mod"), "module lotse.dev/tests/tools\n\ngo 1.26.0\n");
    writeFileSync(join(folder, "tools.go"), `package tools\n\nimport _ "${path}"\n`);
    run(folder, ["get", `${path}@${version}`]);
    mkdirSync(dirname(built), { recursive: true });
    const made = `${built}.${process.pid}`;
    run(folder, ["build", "-o", made, path]);
    // Another process may have built it meanwhile: either will do.
    renameSync(made, built);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return built;
}

function run(cwd: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("go", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run "go ${args.join(" ")}": ${error?.message ?? stderr}`);
}
