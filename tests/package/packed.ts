/** The package for npm as the tests install it: made once for all test files, as long as nothing in it changes. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../cli/processes.ts";
import { findRuntime } from "../runner/tools.ts";

const CONTENT = [
  "bin",
  "lib",
  "cli.ts",
  "mod.ts",
  "deno.json",
  "package.json",
  "README.md",
  "LICENSE",
  "NOTICE",
  "CHANGELOG.md",
  "tools/package.ts",
];
const PREFIX = "lotse-packed-";
/** In milliseconds. */
const DAY = 86_400_000;
/** After that, whoever was to make it has been killed. In milliseconds. */
const PATIENCE = 120_000;

/** Returns the path of the package. Where another test file makes it right now, that is waited for. */
export async function packedPackage(): Promise<string> {
  const folder = join(tmpdir(), PREFIX + digestOf(CONTENT));
  for (let waited = 0; waited < PATIENCE && !begin(folder); waited += 200) {
    const [made] = packagesIn(folder);
    if (made !== undefined) return made;
    await sleep(200); // Nothing tells of files that appear on all systems.
  }
  return make(folder);
}

/** Whether this process is the one that makes it. */
function begin(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** None where it is not whole yet, or could not be made. */
function packagesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".tgz")).map((name) => join(folder, name));
}

/** NB: it is made elsewhere, and appears when it is whole. */
function make(folder: string): string {
  forgetOld();
  const { path } = findRuntime("deno");
  const work = mkdtempSync(join(tmpdir(), "lotse-package-"));
  const env = { ...process.env, PATH: `${isAbsolute(path) ? dirname(path) : ""}:${process.env["PATH"]}` };
  const args = ["run", "-A", "tools/package.ts", "--out", work];
  const { status, stdout, stderr } = spawnSync(path, args, { cwd: ROOT, env, encoding: "utf8" });
  if (status !== 0) rmSync(folder, { recursive: true });
  assert.equal(status, 0, stderr);
  const made = stdout.trim().split("\n").at(-1) ?? "";
  const packed = join(folder, basename(made));
  renameSync(made, packed);
  rmSync(work, { recursive: true });
  return packed;
}

/** Those of other sources, from days before. */
function forgetOld(): void {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX))) {
    const path = join(tmpdir(), name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > DAY) rmSync(path, { recursive: true, force: true });
  }
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.map((name) => join(ROOT, name))) {
    const isFolder = statSync(path).isDirectory();
    const names = isFolder ? readdirSync(path, { recursive: true, encoding: "utf8" }).sort() : [""];
    for (const name of names) {
      const file = join(path, name);
      if (statSync(file).isFile()) hash.update(`${file}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex").slice(0, 16);
}
