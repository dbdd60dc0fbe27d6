/**
 * The tests: what `deno task test` runs.
 *
 * Files that leave nothing behind share a process with their neighbours, as most of their time was the start of a runtime and
 * the loading of the library. All others, and all that `--rest` runs or a person asks for by name, have a process of their own,
 * so that a crash, a leak or a hang is one file's failure. The counts are of single tests, as the runtimes report them
 * (`runner/junit.ts` says how they differ). The last line is `N passed, N failed, N skipped`.
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
import { groupJobs, runGroup } from "./runner/groups.ts";
import type { Job, JobReport } from "./runner/jobs.ts";
import { mostlyWaits, type Part, runsOn, sharesProcess } from "./runner/plan.ts";
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

/** What files import that run on a real server, where there is one. */
const MEETS_A_SERVER =
  /control_plane\/|support\/(?:scenario|real_world|real_upstream|proxy_server|replica_processes)\.ts/;

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
  const rows = planRows(files, options);
  const isCI = process.env["CI"] === "true";
  const begun = performance.now();
  const { reports, started } = await runJobs(rows, { atOnce: options.atOnce, repeats: isCI });
  const isWhole = files.length === all.length && options.only === undefined && options.tag === undefined;
  const remembered = isCI && isWhole ? rememberUnsteady(reports, options.part) : reports;
  const demanded = isCI ? demand(remembered, EXPECTATIONS) : reports;
  const tooFew = isCI && isWhole && options.part !== "all" ? findTooFew(demanded, FLOORS[options.part]) : [];
  for (const line of tooFew) console.error(line);
  const { reason } = findControlPlane();
  const left = isWhole && options.part === "first" ? describeLeft(all) : [];
  const cost = `${reports.length} files in ${rows.length} processes took ${
    describeCost(begun)
  }; ${started} control planes were lent`;
  for (const line of describeRun(demanded, { noControlPlane: reason, notes: [...left, cost] })) {
    console.log(line);
  }
  return tooFew.length > 0 || isRed(demanded) ? 1 : 0;
}

/** Runs the rows of jobs, each in one process, and what failed once more if so wanted. `started` is how many control planes were lent. */
async function runJobs(
  rows: readonly (readonly Job[])[],
  { atOnce, repeats }: { readonly atOnce: number; readonly repeats: boolean },
): Promise<{ readonly reports: readonly JobReport[]; readonly started: number }> {
  await using lender = await Lender.open(RealPlace.prepare);
  const run = async (jobs: readonly Job[], id: string): Promise<readonly JobReport[]> => {
    const env = { [LENDER_VARIABLE]: lender.addressFor(id) };
    const reports = await runGroup(jobs.map((job) => ({ ...job, env })));
    lender.takeBack(id);
    return reports.map((report, index) => ({ ...report, job: jobs[index] ?? report.job }));
  };
  cpuOfLastEnded(); // what was installed
  const total = rows.flat().length;
  let done = 0;
  const ended = await runAll(rows.map((jobs) => ({ jobs, heavy: jobs.some(({ heavy }) => heavy) })), {
    size: atOnce,
    heavy: Math.min(2, atOnce),
    run: async ({ jobs }) => {
      const reports = await run(jobs, `${jobs[0]?.runtime.name}/${jobs[0]?.file}`);
      for (const report of reports) {
        console.log(`[${String(++done).padStart(String(total).length)}/${total}] ${describeReport(report)}`);
      }
      return reports;
    },
  });
  let repetitions = 0;
  const runAgain: RunAgain = async (job, how) => {
    using _load = how === "alone" ? undefined : startLoad();
    const [report] = await run([job], `again-${++repetitions}`);
    if (report === undefined) throw new Error(`Cannot run ${job.file} again`);
    console.log(`[once more, ${how}] ${describeReport(report)}`);
    return report;
  };
  const reports = repeats ? await repeatFailed(ended.flat(), runAgain) : ended.flat();
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

/** What runs in which process, in the order in which it begins. What is asked for by name runs alone, as does what is left to CI. */
function planRows(files: readonly string[], { only, tag, part, minutes }: Options): Job[][] {
  const names = RUNTIMES.filter((name) => only === undefined || only === name);
  const hasServer = findControlPlane().binaries !== undefined;
  // NB: a control plane is lent to one file, and is then made as it was.
  const mayShare = (file: string) =>
    part === "first" && sharesProcess(file) &&
    !(hasServer && MEETS_A_SERVER.test(readFileSync(file, "utf8")));
  const rows = names.flatMap((name) => {
    const chosen = files.filter((file) => runsOn(name, file, part) || (name === "node" && only === "node"));
    if (chosen.length === 0) return [];
    const runtime = findRuntime(name);
    console.log(`${chosen.length} files on ${name} ${runtime.version}`);
    if (name !== "node") installPackages();
    const jobs = chosen.map((file): Job => ({
      runtime,
      file,
      heavy: startsControlPlane(file),
      tag,
      timeout: minutes * 60_000,
    }));
    return groupJobs(jobs, mayShare);
  });
  const waits = (row: readonly Job[]) => Number(row.some(({ file }) => mostlyWaits(file)));
  return rows.sort((a, b) => waits(b) - waits(a));
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
