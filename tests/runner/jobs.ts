/** One test file on one runtime: how it is started, and what it has to show for itself. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { cpuOfLastEnded } from "./cpu_time.ts";
import { readResults, type TestResult } from "./junit.ts";
import { importMap, onlyTagged, patternOf, TAG_VARIABLE } from "./tags.ts";
import type { Runtime, RuntimeName } from "./tools.ts";

/** A file to run. */
export interface Job {
  readonly runtime: Runtime;
  /** The test file, from the repository's root. */
  readonly file: string;
  /** It starts programs that fill a core and half a gigabyte, so only few such files run at a time. */
  readonly heavy: boolean;
  /** Whether it ends with the first test that fails (Deno). Default: false. */
  readonly failFast?: boolean;
  /** Whatever hangs for longer is ended. In milliseconds; default: 15 minutes. */
  readonly timeout?: number;
  /** Variables of its environment beside those of this process. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Only tests with this tag are wanted, such as "A97". Default: all tests. */
  readonly tag?: string;
}

/** What became of it. */
export interface JobReport {
  readonly job: Job;
  /** How many files ran in its process, itself included, if others did: its times are those of all. */
  readonly together?: number;
  readonly results: readonly TestResult[];
  /** Reasons that the file printed for its skips, as lines "# skip: reason". */
  readonly reasons: readonly string[];
  readonly output: string;
  readonly seconds: number;
  /** The CPU time of its process and of the programs that it has started, in seconds; not of a control plane that was lent. */
  readonly cpu?: number;
  /** Set if the runtime itself crashed and the file was run once more: the results are of the second run. */
  readonly crash?: Crash;
  /** Set if the file had failed before and this is its second run, alone (`repeats.ts`). */
  readonly before?: JobReport;
}

/** A runtime that broke down under a file. */
export interface Crash {
  /** Such as "was ended by SIGABRT". */
  readonly ending: string;
  /** The end of what the process wrote to its standard error: a panic says there what happened. */
  readonly message: string;
}

/** For a single test, where the runtime has such a limit; slow ones set their own. */
const TEST_TIMEOUT_MS = 120_000;

/** For a whole file: whatever hangs longer than this is ended. */
const FILE_TIMEOUT_MS = 15 * 60_000;

const OUTPUT_LIMIT = 4_000_000;

/** The name of the runtime's report in the folder of a run. */
const REPORT = "junit.xml";

/** The name of Deno's import map there, and of the module that loads the files. */
const IMPORTS = "imports.json";
const GROUP = "group_test.ts";

/**
 * Runs the file to its end. Never throws: a crash, a hang and a file without tests are failures in the report.
 *
 * If the runtime itself crashes, the file is run once more: that is the runtime's defect, and rare, and must be seen, but
 * says nothing about the file. A second crash is the file's failure.
 */
export async function runJob(job: Job): Promise<JobReport> {
  const started = performance.now();
  const first = await runOnce(job);
  const crash = crashOf(first);
  const last = crash === undefined ? first : await runOnce(job);
  return {
    job,
    results: judge(job, last),
    reasons: [...last.output.matchAll(/^# skip: (.*)$/gm)].map((match) => match[1] ?? ""),
    output: last.output,
    seconds: (performance.now() - started) / 1000,
    ...last.cpu !== undefined && { cpu: last.cpu },
    ...crash && { crash },
  };
}

/** Runs the file; or `files`, its own among them, in one process. */
export async function runOnce(job: Job, files: readonly string[] = [job.file]): Promise<Evidence> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-test-"));
  if (job.runtime.name === "deno") {
    writeFileSync(join(folder, IMPORTS), importMap(process.cwd()));
    writeFileSync(join(folder, GROUP), groupSource(files));
  }
  const run = await execute(job, files, folder);
  const xml = readIfThere(join(folder, REPORT));
  rmSync(folder, { recursive: true, force: true });
  return { ...run, xml };
}

/** What a process is ended by when it finds itself broken. NB: SIGKILL is not among them: that is us, or a lack of memory. */
const CRASHES = ["SIGABRT", "SIGSEGV", "SIGILL", "SIGBUS", "SIGTRAP"] as const;

/** Returns how the runtime broke down, if it did. */
export function crashOf({ ending, output, errors }: Evidence): Crash | undefined {
  // NB: a parent in between (a shell, Node's runner) turns the signal into an exit code.
  const names = CRASHES.flatMap((name) => [`by ${name}`, `code ${128 + constants.signals[name]}`]);
  if (ending === undefined || !names.some((name) => ending.endsWith(name))) return undefined;
  // NB: what a test writes to standard error comes out of Deno's standard output; what Deno itself says does not.
  return { ending, message: lastLines(errors.trim() === "" ? output : errors, 30) };
}

/** How the runtime ended: undefined if it is content, or else what is wrong. */
type Ending = string | undefined;

/** What a run leaves behind. */
export interface Evidence {
  readonly ending: Ending;
  /** What it wrote, to standard output and standard error, in order. */
  readonly output: string;
  /** What it wrote to standard error. */
  readonly errors: string;
  /** Its CPU time, in seconds. */
  readonly cpu?: number;
  readonly xml: string | undefined;
}

/** The tests' results, and one failure more where the file as a whole has failed without saying it through a test. */
export function judge(job: Pick<Job, "file" | "runtime" | "tag">, evidence: Evidence): TestResult[] {
  const { ending, output, xml } = evidence;
  const reported = xml === undefined ? [] : readResults(job.runtime.name, xml, job.file);
  // NB: Node reports a file that cannot be loaded as a test of that name, which says no more than "test failed".
  const isFile = ({ name }: TestResult) => name === job.file || job.file.endsWith(`/${name}`);
  const all = reported.map((one) => isFile(one) ? { ...one, message: lastLines(output, 30) } : one);
  const results = job.tag === undefined ? all : onlyTagged(all, job.tag);
  // NB: Bun ends with exit code 1 where a file has tests, and none with the tag.
  if (job.tag !== undefined && all.length > 0 && results.length === 0) return [];
  const failed = results.some(({ outcome }) => outcome === "failed");
  const isEmpty = results.length === 0 && job.tag === undefined;
  const problem = ending ?? (isEmpty ? "executed no test" : undefined);
  if (problem === undefined || failed) return results;
  const message = crashOf(evidence)?.message ?? lastLines(output, 30);
  return [...results, { name: `(the file itself ${problem})`, outcome: "failed", message }];
}

/** The arguments of a run of one file, or of several in one process; its folder takes the report and has what Deno needs besides. */
const COMMANDS: Readonly<
  Record<RuntimeName, (job: Job, files: readonly string[], folder: string) => string[]>
> = {
  deno: ({ failFast = false }, _, folder) => [
    "test",
    ...(failFast ? ["--fail-fast"] : []),
    "--allow-all",
    // What users write is checked by tests/types/compiled_test.ts, and all files by `deno task static`.
    "--no-check",
    `--import-map=${join(folder, IMPORTS)}`,
    `--junit-path=${join(folder, REPORT)}`,
    join(folder, GROUP),
  ],
  bun: ({ tag }, files, folder) => [
    "test",
    ...(tag === undefined ? [] : [`--test-name-pattern=${patternOf(tag)}`]),
    `--timeout=${TEST_TIMEOUT_MS}`,
    "--reporter=junit",
    `--reporter-outfile=${join(folder, REPORT)}`,
    ...files.map((file) => isAbsolute(file) ? file : `./${file}`),
  ],
  node: ({ tag }, files, folder) => [
    "--test",
    ...(tag === undefined ? [] : [`--test-name-pattern=${patternOf(tag)}`]),
    "--test-force-exit",
    "--disable-warning=ExperimentalWarning",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=junit",
    `--test-reporter-destination=${join(folder, REPORT)}`,
    ...files,
  ],
};

/** The module by which Deno runs one file or several: it notices files that cannot be loaded to their end. */
function groupSource(files: readonly string[]): string {
  const pairs = files.map((file) => [file, pathToFileURL(file).href]);
  return `import { declareFiles } from "node:test";\nawait declareFiles(${JSON.stringify(pairs)});\n`;
}

/** Plain output; and a runner's tests, which run a runner in a runner, are not taken for a part of the outer one. */
const ENVIRONMENT = {
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  NODE_TEST_CONTEXT: undefined,
  DENO_NO_UPDATE_CHECK: "1",
};

function execute(job: Job, files: readonly string[], folder: string): Promise<Omit<Evidence, "xml">> {
  const { runtime, timeout = FILE_TIMEOUT_MS } = job;
  const { promise, resolve } = Promise.withResolvers<Omit<Evidence, "xml">>();
  const child = spawn(runtime.path, COMMANDS[runtime.name](job, files, folder), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...ENVIRONMENT, ...job.env, [TAG_VARIABLE]: job.tag },
  });
  let output = "";
  let errors = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => output = (output + text).slice(-OUTPUT_LIMIT));
  }
  child.stderr.on("data", (text: string) => errors = (errors + text).slice(-OUTPUT_LIMIT));
  const timer = setTimeout(() => child.kill("SIGKILL"), timeout);
  child.on("error", (error) => resolve({ ending: `could not be started: ${error.message}`, output, errors }));
  let cpu: number | undefined;
  child.on("exit", () => cpu = cpuOfLastEnded());
  child.on("close", (code, signal) => {
    clearTimeout(timer);
    resolve({ ending: describeEnding(code, signal), output, errors, ...cpu !== undefined && { cpu } });
  });
  return promise;
}

function describeEnding(code: number | null, signal: string | null): Ending {
  if (signal) return `was ended by ${signal}`;
  return code === 0 ? undefined : `ended with exit code ${code}`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
