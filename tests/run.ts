/**
 * The tests, all of them, on each runtime: what `deno task test` runs.
 *
 * Each file runs in a process of its own, so that a crash, a leak or a hang is one file's failure. The counts are of single
 * tests, as the runtimes report them (`runner/junit.ts` says how they differ). The last line is `N passed, N failed, N skipped`.
 */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { spawnSync } from "node:child_process";
import { filesBelow } from "./architecture/tree.ts";
import { findControlPlane } from "./control_plane/binaries.ts";
import { type Job, type JobReport, runJob } from "./runner/jobs.ts";
import { runAll } from "./runner/pool.ts";
import { EXPECTATIONS, FEWEST_TESTS } from "./runner/expectations.ts";
import { repeatFailed } from "./runner/repeats.ts";
import { demand, describeReport, describeRun, isRed, whyTooFew } from "./runner/report.ts";
import { findRuntime, type RuntimeName, RUNTIMES } from "./runner/tools.ts";

const USAGE = `Usage: deno task test [part of a path]... [--only deno|bun|node]

Runs the test files whose path contains one of the parts (default: all) on Deno and on Bun, and those of
tests/conformance/host, and some of whole operators, on Node too. With --only node, whatever is asked for runs on Node.`;

/** Node runs what is about the host, and whole operators; all between is the same code on the same interface. */
const ON_NODE = [
  "tests/conformance/host/",
  "tests/e2e/copies_test.ts",
  "tests/e2e/rotation_test.ts",
  "tests/e2e/stray_errors_test.ts",
  "tests/scenarios/deep_objects_test.ts",
  "tests/e2e/stopping_test.ts",
];

/** These use Deno's own tools, or start each runtime themselves; what they find cannot depend on who runs them. */
const ON_DENO_ONLY = [
  "tests/architecture/",
  "tests/package/",
  "tests/clients/",
  "tests/e2e/examples_test.ts",
];

process.chdir(new URL("..", import.meta.url).pathname);
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(USAGE);
    return 0;
  }
  const options = readOptions(args);
  if (typeof options === "string") return refuse(options);
  const all = filesBelow("tests/", "_test.ts");
  const files = all.filter((file) => matches(file, options.filters));
  if (files.length === 0) return refuse(`No test file has "${options.filters.join('" or "')}" in its path`);
  const jobs = planJobs(files, options.only);
  const isCI = process.env["CI"] === "true";
  let done = 0;
  const first = await runAll(jobs, {
    // NB: one more than there are cores, as those with a control plane mostly wait.
    size: Math.max(3, Math.min(4, availableParallelism() + 1)),
    heavy: 2,
    run: async (job) => {
      const report = await runJob(job);
      console.log(
        `[${String(++done).padStart(String(jobs.length).length)}/${jobs.length}] ${describeReport(report)}`,
      );
      return report;
    },
  });
  const reports = isCI ? await repeatFailed(first, runAgain) : first;
  const demanded = isCI ? demand(reports, EXPECTATIONS) : reports;
  conclude(demanded);
  const isWhole = files.length === all.length && options.only === undefined;
  const tooFew = isCI && isWhole ? whyTooFew(demanded, FEWEST_TESTS) : undefined;
  if (tooFew !== undefined) console.error(tooFew);
  return tooFew !== undefined || isRed(demanded) ? 1 : 0;
}

async function runAgain(job: Job): Promise<JobReport> {
  const report = await runJob(job);
  console.log(`[once more] ${describeReport(report)}`);
  return report;
}

interface Options {
  readonly filters: readonly string[];
  readonly only: RuntimeName | undefined;
}

/** The options, or what is wrong with them. */
function readOptions(args: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { only: { type: "string" } },
      allowPositionals: true,
    });
    const only = RUNTIMES.find((name) => name === values.only);
    if (values.only !== undefined && !only) return `There is no runtime "${values.only}"`;
    return { filters: positionals, only };
  } catch (error) {
    return (error as Error).message;
  }
}

function refuse(reason: string): number {
  console.error(`${reason}\n\n${USAGE}`);
  return 2;
}

function matches(file: string, filters: readonly string[]): boolean {
  return filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^\.\//, "")));
}

function planJobs(files: readonly string[], only: RuntimeName | undefined): Job[] {
  const names = RUNTIMES.filter((name) => only === undefined || only === name);
  return names.flatMap((name) => {
    const chosen = files.filter((file) => runsOn(name, file) || (name === "node" && only === "node"));
    if (chosen.length === 0) return [];
    const runtime = findRuntime(name);
    console.log(`${chosen.length} files on ${name} ${runtime.version}`);
    if (name === "deno") installPackages(runtime.path);
    return chosen.map((file) => ({ runtime, file, heavy: startsControlPlane(file) }));
  });
}

function runsOn(name: RuntimeName, file: string): boolean {
  if (ON_DENO_ONLY.some((folder) => file.startsWith(folder))) return name === "deno";
  return name !== "node" || ON_NODE.some((folder) => file.startsWith(folder));
}

/** Lays down node_modules, which Bun and Node need. Takes no time when it is there. */
function installPackages(deno: string): void {
  const { status } = spawnSync(deno, ["install", "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("Cannot install the packages: `deno install` failed");
}

function startsControlPlane(file: string): boolean {
  return file.startsWith("tests/control_plane/") || readFileSync(file, "utf8").includes("control_plane/");
}

function conclude(reports: readonly JobReport[]): void {
  const { reason } = findControlPlane();
  for (const line of describeRun(reports, reason)) console.log(line);
}
