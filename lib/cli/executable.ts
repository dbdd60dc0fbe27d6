/**
 * The program inside an executable made by `build`: the command line of `run`, with the files inside in place of FILES.
 *
 * `./operator --namespace default` and `./operator run --namespace default` are the same, so that a manifest need not
 * care whether it starts the one or `lotse`. Must not import modules that only other commands need: it would be in each
 * executable.
 */

import type { Command } from "commander";

import { currentHost } from "../runtime/current_host.ts";
import type { Host } from "../runtime/host.ts";
import { VERSION } from "../runtime/version.ts";
import { declarationsIn, type Inside } from "./declarations.ts";
import { runProgram } from "./dispatch.ts";
import { type HandlerFile, importError, operatorsOf } from "./loading.ts";
import { switchedLoggerFor } from "./options.ts";
import { addExamples, newProgram } from "./program.ts";
import { addRunOptions, type RunFlags, runOperators } from "./run.ts";
import { listenForSignals } from "./signals.ts";

export interface ExecutableOptions {
  /** The executable's own name, for its help text. */
  readonly name: string;
  /** The handler files that were built in. */
  readonly files: readonly EmbeddedFile[];
  /** The author's version of it, for `--version`. */
  readonly version?: string;
  /** The commit that it was built from. */
  readonly commit?: string;
}

/** A handler file inside. It is loaded late, so that one that throws is reported like any other. */
export interface EmbeddedFile {
  /** As it was given to `build`. */
  readonly path: string;
  load(): Promise<Readonly<Record<string, unknown>>>;
}

/** Runs the executable on the runtime at hand, and ends the process with its exit code. */
export async function startExecutable(options: ExecutableOptions): Promise<never> {
  const host = currentHost();
  return host.process.exit(await runExecutable(host, options));
}

/** Adds a command that is about the operator inside. */
type Adder = (program: Command, host: Host, inside: Inside) => void;

/** The commands besides `run`. */
const COMMANDS: Readonly<Record<string, () => Promise<Adder>>> = {
  pause: async () => (await import("./steer.ts")).addPause,
  resume: async () => (await import("./freeze.ts")).addResume,
  "log-level": async () => (await import("./log_level.ts")).addLogLevel,
  "heap-snapshot": async () => (await import("./log_level.ts")).addHeapSnapshot,
  retry: async () => (await import("./steer.ts")).addRetry,
  why: async () => (await import("./why.ts")).addWhy,
  top: async () => (await import("./top.ts")).addTop,
  queue: async () => (await import("./why.ts")).addQueue,
  uninstall: async () => (await import("./uninstall.ts")).addUninstall,
};

/** Runs the executable on a host. Returns the exit code. */
export function runExecutable(host: Host, options: ExecutableOptions): Promise<number> {
  const { name, files } = options;
  const [first = "", ...others] = host.process.args;
  if (Object.hasOwn(COMMANDS, first)) return runCommand(first, options, host);
  const program = newProgram({
    name,
    version: versionOf(options, host),
    summary: "A Kubernetes operator made with Lotse.",
    footer:
      "Exit codes: 0 done, or stopped by a signal; 1 failed; 2 wrong usage; 130 killed by a second signal.",
    host,
  });
  program.description(
    `Run the handlers inside: ${files.map(({ path }) => path).join(", ")}\n\n` +
      `The command may be left out or be "run"; there are ${Object.keys(COMMANDS).join(", ")}, too. ` +
      "SIGTERM or SIGINT stops gracefully, a second one at once (130).",
  );
  addRunOptions(program);
  addExamples(program, ["-n 'team-*' --log-format json"]);
  program.action((flags: RunFlags) => runInside(options, flags, host));
  return runProgram(program, { host, args: first === "run" ? others : host.process.args });
}

async function runInside(
  { files, version, commit }: ExecutableOptions,
  flags: RunFlags,
  host: Host,
): Promise<void> {
  const { logger, levels } = switchedLoggerFor(flags, host);
  using stop = listenForSignals(host);
  const loaded = await loadAll(files, host);
  const release = { version, commit };
  await runOperators(operatorsOf(loaded), {
    host,
    flags,
    logger,
    levels,
    release,
    signal: stop.signal,
    ready: () => host.process.endStart?.(),
  });
}

async function runCommand(word: string, options: ExecutableOptions, host: Host): Promise<number> {
  const { name, files } = options;
  const program = newProgram({
    name,
    version: versionOf(options, host),
    summary: "A Kubernetes operator made with Lotse.",
    footer: "Exit codes: 0 done; 1 failed; 2 wrong usage.",
    host,
  });
  const declarations = async () => declarationsIn((await loadAll(files, host)).map(({ module }) => module));
  const add = await COMMANDS[word]?.();
  add?.(program, host, { name, declarations });
  return await runProgram(program, { host, args: host.process.args });
}

async function loadAll(files: ExecutableOptions["files"], host: Host): Promise<readonly HandlerFile[]> {
  const loaded: HandlerFile[] = [];
  for (const { path, load } of files) {
    loaded.push({
      path,
      module: await load().catch(async (error) => {
        throw await importError(path, { error, host });
      }),
    });
  }
  return loaded;
}

/** "1.4.0 (commit 1a2b3c4d5e6f, lotse 0.1.0, bun 1.4.5)". */
function versionOf({ version, commit }: ExecutableOptions, host: Host): string {
  const parts = [`lotse ${VERSION}`, `${host.name} ${host.version}`];
  if (commit !== undefined) parts.unshift(`commit ${commit}`);
  return `${version ?? "unversioned"} (${parts.join(", ")})`;
}
