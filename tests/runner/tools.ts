/**
 * Finds the three runtimes: those on the PATH where they are new enough, or else npm packages in a cache outside the tree.
 *
 * The packages that hold the bare executables are installed (not `bun` and `node`, whose install scripts would fetch
 * those), so that this works wherever the npm registry can be reached, in about two seconds, once.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";

export type RuntimeName = "deno" | "bun" | "node";

export const RUNTIMES: readonly RuntimeName[] = ["deno", "bun", "node"];

/** A runtime's executable. */
export interface Runtime {
  readonly name: RuntimeName;
  readonly path: string;
  readonly version: string;
}

interface Tool {
  /** Anything older does not do. */
  readonly minimum: string;
  /** Installed where the PATH has none. */
  readonly version: string;
  readonly package: () => string;
}

const TOOLS: Readonly<Record<RuntimeName, Tool>> = {
  deno: { minimum: "2.9.0", version: "2.9.6", package: denoPackage },
  bun: { minimum: "1.4.0", version: "1.4.5", package: bunPackage },
  node: { minimum: "24.0.0", version: "24.21.0", package: nodePackage },
};

/**
 * Returns the runtime, and installs it if need be.
 *
 * @throws {Error} If it is neither there nor to be had; the message says what to do.
 */
export function findRuntime(name: RuntimeName): Runtime {
  const { minimum, version } = TOOLS[name];
  const own = ownName() === name ? [process.execPath] : [];
  for (const path of [...own, name, cachedPath(name)]) {
    const found = versionOf(path);
    if (found && compareVersions(found, minimum) >= 0) return { name, path, version: found };
  }
  console.log(`Installing ${name} ${version}, because there is none on the PATH (${minimum} or newer) ...`);
  install(name);
  return { name, path: cachedPath(name), version };
}

/** Negative, zero or positive, as for sorting: "1.10.0" is after "1.9.3". */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const index of [0, 1, 2]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Which runtime this script itself runs in. */
export function ownName(): RuntimeName {
  if (process.versions.deno) return "deno";
  return process.versions.bun ? "bun" : "node";
}

function versionOf(path: string): string | undefined {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 20_000 });
  return /(\d+\.\d+\.\d+)/.exec(stdout ?? "")?.[1];
}

function cacheFolder(name: RuntimeName): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "lotse", "tools", `${name}-${TOOLS[name].version}`);
}

function cachedPath(name: RuntimeName): string {
  const executable = process.platform === "win32" ? `${name}.exe` : name;
  const inner = name === "deno" ? executable : join("bin", executable);
  return join(cacheFolder(name), "node_modules", TOOLS[name].package(), inner);
}

/** Installs into a fresh folder and moves it into place, so that two runs at once do no harm. */
function install(name: RuntimeName): void {
  const { version, package: packageName } = TOOLS[name];
  const target = cacheFolder(name);
  const fresh = `${target}.${process.pid}.tmp`;
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, "package.json"), JSON.stringify({ dependencies: { [packageName()]: version } }));
  const [command, ...options] = installCommand();
  const { status, error } = spawnSync(command, options, {
    cwd: fresh,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) {
    rmSync(fresh, { recursive: true });
    throw new Error(`Cannot install ${packageName()}@${version}: put ${name} on the PATH`, { cause: error });
  }
  rmSync(target, { recursive: true, force: true });
  if (!existsSync(target)) renameSync(fresh, target);
}

function installCommand(): [string, ...string[]] {
  if (ownName() === "deno") {
    return [process.execPath, "install", "--quiet", "--node-modules-dir=auto", "--no-lock"];
  }
  return ["npm", "install", "--no-audit", "--no-fund", "--silent"];
}

function denoPackage(): string {
  const suffix = process.platform === "linux" ? "-glibc" : "";
  return `@deno/${process.platform}-${process.arch}${suffix}`;
}

function bunPackage(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const architecture = process.arch === "arm64" ? "aarch64" : process.arch;
  return `@oven/bun-${platform}-${architecture}${lacksAvx2() ? "-baseline" : ""}`;
}

function nodePackage(): string {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  return `${prefix}-${platform}-${process.arch}`;
}

/** Bun's ordinary build needs AVX2, which small virtual machines may lack. */
function lacksAvx2(): boolean {
  if (process.platform !== "linux" || process.arch !== "x64") return false;
  return !readFileSync("/proc/cpuinfo", "utf8").includes("avx2");
}
