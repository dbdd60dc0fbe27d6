/**
 * The tests: what `deno task test` runs.
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
import { Lender, LENDER_VARIABLE } from "./control_plane/lending.ts";
import { cpuOfEnded, cpuOfLastEnded } from "./runner/cpu_time.ts";
import { type Job, type JobReport, runJob } from "./runner/jobs.ts";
import { mostlyWaits, type Part, runsOn } from "./runner/plan.ts";
import { runAll } from "./runner/pool.ts";
import { EXPECTATIONS, FLOORS } from "./runner/expectations.ts";
import { remember, repeatFailed, type RunAgain, startLoad } from "./runner/repeats.ts";
import { demand, describeReport, describeRun, findTooFew, isRed } from "./runner/report.ts";
import { hasTag, readTag } from "./runner/tags.ts";
import { findRuntime, type RuntimeName, RUNTIMES } from "./runner/tools.ts";
import { readRecord, unsteadyFile, writeRecord } from "./runner/unsteady_file.ts";
import { RealPlace } from "./support/real_world.ts";

const USAGE =
  `Usage: deno task test [part of a path]... [--only deno|bun|node] [--tag TAG] [--rest] [--at-once N] [--minutes N]

Runs every test file on Deno, and on Bun and Node those whose outcome may depend on the runtime
(tests/runner/plan.ts).

  part of a path   only files whose path contains one of these, on each runtime that they can run on
  --only RUNTIME   only on that runtime; with node, whatever is asked for runs there
  --tag TAG        only tests with that tag in their names, such as A97
  --rest           only what the command without options leaves out: most files on Bun, comparisons with Kopf, executables
  --at-once N      so many files side by side; default: one more than there are cores, 3 or 4
  --minutes N      how long a file may take until it is ended; default: 15`;

/** NB: one more than there are cores, as files with a control plane mostly wait. */
const AT_ONCE = Math.max(3, Math.min(4, availableParallelism() + 1));

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
  const files = all.filter((file) => matches(file, options));
  if (files.length === 0) return refuse(whyNoFile(options));
  const jobs = planJobs(files, options);
  const isCI = process.env["CI"] === "true";
  const begun = performance.now();
  const { reports, started } = await runJobs(jobs, { atOnce: options.atOnce, repeats: isCI });
  const isWhole = files.length === all.length && options.only === undefined && options.tag === undefined;
  const remembered = isCI && isWhole ? rememberUnsteady(reports, options.part) : reports;
  const demanded = isCI ? demand(remembered, EXPECTATIONS) : reports;
  const tooFew = isCI && isWhole && options.part !== "all" ? findTooFew(demanded, FLOORS[options.part]) : [];
  for (const line of tooFew) console.error(line);
  const { reason } = findControlPlane();
  const left = isWhole && options.part === "first" ? describeLeft(all) : [];
  const cost = `${jobs.length} files took ${describeCost(begun)}; ${started} control planes were lent`;
  for (const line of describeRun(demanded, { noControlPlane: reason, notes: [...left, cost] })) {
    console.log(line);
  }
  return tooFew.length > 0 || isRed(demanded) ? 1 : 0;
}

/** Runs the jobs, and what failed once more if so wanted. `started` is how many control planes were lent. */
async function runJobs(
  jobs: readonly Job[],
  { atOnce, repeats }: { readonly atOnce: number; readonly repeats: boolean },
): Promise<{ readonly reports: readonly JobReport[]; readonly started: number }> {
  await using lender = await Lender.open(RealPlace.prepare);
  const run = async (job: Job, id: string): Promise<JobReport> => {
    const report = await runJob({ ...job, env: { [LENDER_VARIABLE]: lender.addressFor(id) } });
    lender.takeBack(id);
    return { ...report, job };
  };
  cpuOfLastEnded(); // what was installed
  let done = 0;
  const first = await runAll(jobs, {
    size: atOnce,
    heavy: Math.min(2, atOnce),
    run: async (job) => {
      const report = await run(job, `${job.runtime.name}/${job.file}`);
      console.log(
        `[${String(++done).padStart(String(jobs.length).length)}/${jobs.length}] ${describeReport(report)}`,
      );
      return report;
    },
  });
  let repetitions = 0;
  const runAgain: RunAgain = async (job, how) => {
    using _load = how === "alone" ? undefined : startLoad();
    const report = await run(job, `again-${++repetitions}`);
    console.log(`[once more, ${how}] ${describeReport(report)}`);
    return report;
  };
  const reports = repeats ? await repeatFailed(first, runAgain) : first;
  return { reports, started: lender.started };
}

interface Options {
  readonly filters: readonly string[];
  readonly only: RuntimeName | undefined;
  readonly tag: string | undefined;
  readonly part: Part;
  /** How many files run side by side. */
  readonly atOnce: number;
  /** How long a file may take. */
  readonly minutes: number;
}

/** The options, or what is wrong with them. */
function readOptions(args: readonly string[]): Options | string {
  try {
    const { values: { only, tag, rest = false, "at-once": atOnce, minutes }, positionals: filters } =
      parseArgs({
        args: [...args],
        options: {
          "only": { type: "string" },
          "tag": { type: "string" },
          "rest": { type: "boolean" },
          "at-once": { type: "string", default: `${AT_ONCE}` },
          "minutes": { type: "string", default: "15" },
        },
        allowPositionals: true,
      });
    if (!/^[1-9]\d?$/.test(atOnce)) return `"${atOnce}" is no number of files from 1 to 99`;
    if (!/^[1-9]\d{0,2}$/.test(minutes)) return `"${minutes}" is no number of minutes from 1 to 999`;
    const runtime = RUNTIMES.find((name) => name === only);
    if (only !== undefined && !runtime) return `There is no runtime "${only}"`;
    if (tag !== undefined && readTag(tag) === undefined) {
      return `"${tag}" is no tag: a tag looks like A97 or N1.2`;
    }
    const isChosen = filters.length > 0 || only !== undefined || tag !== undefined;
    const part = rest ? "rest" : isChosen ? "all" : "first";
    return {
      filters,
      only: runtime,
      tag: tag === undefined ? undefined : readTag(tag),
      part,
      atOnce: Number(atOnce),
      minutes: Number(minutes),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function refuse(reason: string): number {
  console.error(`${reason}\n\n${USAGE}`);
  return 2;
}

function matches(file: string, { filters, tag }: Options): boolean {
  const isNamed = filters.length === 0 ||
    filters.some((filter) => file.includes(filter.replace(/^\.\//, "")));
  return isNamed && (tag === undefined || hasTag(readFileSync(file, "utf8"), tag));
}

function whyNoFile({ filters, tag }: Options): string {
  const named = filters.length === 0
    ? "No test file"
    : `No test file with "${filters.join('" or "')}" in its path`;
  return tag === undefined ? named : `${named} has a test with the tag [${tag}]`;
}

function planJobs(files: readonly string[], { only, tag, part, minutes }: Options): Job[] {
  const names = RUNTIMES.filter((name) => only === undefined || only === name);
  const jobs = names.flatMap((name) => {
    const chosen = files.filter((file) => runsOn(name, file, part) || (name === "node" && only === "node"));
    if (chosen.length === 0) return [];
    const runtime = findRuntime(name);
    console.log(`${chosen.length} files on ${name} ${runtime.version}`);
    if (name !== "node") installPackages();
    return chosen.map((file) => ({
      runtime,
      file,
      heavy: startsControlPlane(file),
      tag,
      timeout: minutes * 60_000,
    }));
  });
  return jobs.sort((a, b) => Number(mostlyWaits(b.file)) - Number(mostlyWaits(a.file)));
}

/** Lays down node_modules, which Bun and Node need. Takes no time when it is there. */
function installPackages(): void {
  const { status } = spawnSync(findRuntime("deno").path, ["task", "--quiet", "packages"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("Cannot install the packages: `deno task packages` failed");
}

function startsControlPlane(file: string): boolean {
  return file.startsWith("tests/control_plane/") || readFileSync(file, "utf8").includes("control_plane/");
}

/** Keeps in mind which files were unsteady, and judges those that were before. */
function rememberUnsteady(reports: readonly JobReport[], part: Part): readonly JobReport[] {
  const path = unsteadyFile(part);
  const { reports: judged, record } = remember(reports, readRecord(path));
  writeRecord(path, record);
  return judged;
}

/** What the command without options leaves to others. */
function describeLeft(files: readonly string[]): string[] {
  const rest = RUNTIMES.map((name) =>
    `${files.filter((file) => runsOn(name, file, "rest")).length} files on ${name}`
  );
  return [
    `Left to CI: ${rest.join(", ")} (deno task test --rest)`,
    "Left to the nightly run: the full sizes of scale, faults, many_objects, migrations, overload, hot_loops, strangers (.ci/nightly)",
  ];
}

/** The time since then and, where the system tells it, the CPU time of all programs that have ended, in seconds. */
function describeCost(begun: number): string {
  const elapsed = `${((performance.now() - begun) / 1000).toFixed()} s`;
  const used = cpuOfEnded();
  return used === undefined ? elapsed : `${elapsed} and ${used.toFixed()} s of CPU`;
}
