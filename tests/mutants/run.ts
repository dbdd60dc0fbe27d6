/**
 * Breaks the code in the ways that `lists/*.ts` name, one at a time, and looks which tests notice: what
 * `deno task mutants` runs. A test that never failed proves nothing.
 *
 * It works on a copy of the tree, on Deno, and without the real control plane: those tests share their bodies with
 * the ones in the process. First all of them run unbroken. At the end it names the mutants that nobody noticed, those that
 * no longer fit the code, and the tests with a scenario's tag that noticed none (without a filter: also those files with
 * tags that no mutant is for). The exit code is 1 if there are any of the first two, or tests that fail unbroken.
 *
 * Each mutant has as long as ten times what the tests take unbroken, and half a minute; one that hangs is noticed by that.
 * `--fast` goes on to the next mutant when one test has noticed: it tells whether somebody does, and not who else.
 * `--since COMMIT` takes only mutants of files, and for tests, that have changed since then.
 *
 * Usage: deno task mutants [--fast] [--part 2/5] [--since COMMIT] [part of a mutant's or a test's path]...
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { type Job, runJob } from "../runner/jobs.ts";
import type { TestResult } from "../runner/junit.ts";
import { findRuntime, type Runtime } from "../runner/tools.ts";
import { filesBelow } from "../architecture/tree.ts";
import { breakText, describeMutant, type Mutant, tagsIn } from "./mutant.ts";

/** What the tests need of the tree. */
const COPIED = [
  "bench",
  "cli.ts",
  "deno.json",
  "deno.lock",
  "docs",
  "examples",
  "lib",
  "mod.ts",
  "package.json",
  "tests",
];

const root = new URL("../..", import.meta.url).pathname;
const { positionals: filters, values: { part = "1/1", fast = false, since } } = readOptions(import.meta.url, {
  options: { part: { type: "string" }, fast: { type: "boolean" }, since: { type: "string" } },
  allowPositionals: true,
});
/** The tests with tags, and their files. */
const tagged = new Map<string, string>();
/** Tests that fail without any break. */
const failing = new Set<string>();
const noticed = new Set<string>();
/** How long each file has taken unbroken, in milliseconds. */
const times = new Map<string, number>();
const findings: string[] = [];

const all = await readMutants();
const [number = 1, parts = 1] = part.split("/").map(Number);
const changed = since === undefined ? undefined : changedSince(since);
const mutants = all.filter(({ file, tests }) => {
  const paths = [file, ...tests];
  if (changed !== undefined && !paths.some((path) => changed.has(path))) return false;
  return filters.length === 0 || filters.some((part) => paths.some((path) => path.includes(part)));
}).filter((_, index) => index % parts === number - 1);
const scratch = mkdtempSync(join(tmpdir(), "lotse-mutants-"));
process.on("SIGINT", () => process.exit(130));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
for (const name of COPIED) cpSync(join(root, name), join(scratch, name), { recursive: true });
symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
process.chdir(scratch);
process.env["KUBEBUILDER_ASSETS"] = "/nonexistent";
const runtime = findRuntime("deno") as Runtime;

for (const file of new Set(mutants.flatMap(({ tests }) => tests))) await tryUnbroken(file);
for (const [index, mutant] of mutants.entries()) {
  const killed = await tryOut(mutant);
  const tags = tagsIn(killed).join(" ");
  console.log(
    `[${index + 1}/${mutants.length}] ${killed.length} tests fail  ${describeMutant(mutant)}  ${tags}`,
  );
}
conclude();

/** The files that a commit does not have as they are here. @throws {Error} If there is no such commit. */
function changedSince(commit: string): ReadonlySet<string> {
  const { status, stdout, stderr } = spawnSync("git", ["diff", "--name-only", commit, "--"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Cannot tell what has changed since "${commit}": ${stderr.trim()}`);
  return new Set(stdout.split("\n").filter((path) => path !== ""));
}

async function readMutants(): Promise<Mutant[]> {
  const lists = filesBelow("tests/mutants/lists/", ".ts");
  const modules = await Promise.all(
    lists.map((path) => import(join(root, path)) as Promise<{ default: Mutant[] }>),
  );
  return modules.flatMap((module) => module.default);
}

/** Runs a file's tests, and returns what became of each, by their full names. */
async function runTests(file: string, limits: Partial<Job> = {}): Promise<Map<string, TestResult>> {
  const { results } = await runJob({ runtime, file, heavy: false, ...limits });
  return new Map(results.map((result) => [`${file}: ${result.name}`, result]));
}

async function tryUnbroken(file: string): Promise<void> {
  const begun = performance.now();
  const results = await runTests(file);
  times.set(file, performance.now() - begun);
  for (const [test, { name, outcome }] of results) {
    if (tagsIn([name]).length > 0 && outcome !== "skipped") tagged.set(test, file);
    if (outcome !== "failed") continue;
    failing.add(test);
    findings.push(`fails unbroken: ${test}`);
  }
}

/** Names the tests that fail with the break in place. */
async function tryOut(mutant: Mutant): Promise<string[]> {
  const original = readFileSync(mutant.file, "utf8");
  const broken = breakText(original, mutant);
  if ("problem" in broken) {
    findings.push(`does not fit: ${broken.problem}`);
    return [];
  }
  writeFileSync(mutant.file, broken.text);
  const killed: string[] = [];
  for (const file of mutant.tests) {
    if (fast && killed.length > 0) break;
    const timeout = 10 * (times.get(file) ?? 0) + 30_000;
    for (const [test, { outcome }] of await runTests(file, { timeout, failFast: fast })) {
      if (outcome === "failed" && !failing.has(test)) killed.push(test);
    }
  }
  writeFileSync(mutant.file, original);
  const loads = killed.some((name) => !name.includes("(the file itself") || name.includes("SIGKILL"));
  if (!loads) {
    findings.push(`${killed.length === 0 ? "nobody noticed" : "does not load"}: ${describeMutant(mutant)}`);
  }
  for (const name of killed) noticed.add(name);
  return killed;
}

function conclude(): void {
  const idle = [...tagged.keys()].filter((test) => !noticed.has(test));
  // Of tests that have other mutants, which were left out, nothing can be said; nor of those that were not run.
  const partial = new Set(all.filter((mutant) => !mutants.includes(mutant)).flatMap(({ tests }) => tests));
  report(
    "Tests with a tag that noticed no mutant",
    fast ? [] : idle.filter((test) => !partial.has(tagged.get(test) ?? "")),
  );
  if (filters.length === 0 && changed === undefined) {
    report("Files with tags that no mutant is for", findUnlisted());
  }
  report("Mutants to look at", findings);
  const count = `${tagged.size - idle.length} of ${tagged.size} tagged tests noticed one`;
  console.log(`\n${mutants.length} mutants, ${findings.length} to look at; ${count}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

function report(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(["", `${title}:`, ...lines.toSorted()].join("\n  "));
}

function findUnlisted(): string[] {
  const listed = new Set(all.flatMap(({ tests }) => tests));
  return filesBelow("tests/", "_test.ts").filter((file) =>
    !listed.has(file) && /^\s*\S*["'`]\[[ABC]\d+\] /m.test(readFileSync(file, "utf8"))
  );
}
