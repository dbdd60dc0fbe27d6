/**
 * `rehearse` shows the effects of handlers on a live cluster: it copies the cluster, and runs old and new code on the copy.
 *
 * Each code runs in a process of its own, which is this very command with the hidden option `--play`: sources run with their own
 * packages, no memory is shared, and the network of that process is closed.
 */

import type { Command } from "commander";

import {
  type ClusterCopy,
  compareRuns,
  type CopyDescription,
  copyLiveCluster,
  play,
  type Played,
  readFork,
  type Refusal,
  reportRehearsal,
  settle,
  type Stubs,
  writeFork,
} from "../kits/testing/rehearsal/mod.ts";
import type { Host, RunResult } from "../runtime/host.ts";
import { closeNetwork } from "../runtime/node/closed_network.ts";
import { CommandError, EXIT, ProgramEnd, UsageError } from "./errors.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { addClusterOptions, addLogOptions, type ClusterFlags, type LogFlags, loggerFor } from "./options.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import { listenForSignals } from "./signals.ts";
import { addTrialOptions, progressLine, type TrialFlags } from "./trials.ts";

interface RehearseFlags extends ClusterFlags, LogFlags, TrialFlags {
  readonly namespace?: readonly string[];
  readonly as?: string;
  readonly compare?: readonly string[];
  readonly hours?: number;
  readonly sample?: number;
  readonly stubs?: string;
  readonly save?: string;
  readonly fork?: string;
  /** Hidden: plays the copy in that file, and writes the result into another one. */
  readonly play?: string;
  readonly result?: string;
}

/** Virtual hours by default. */
const HOURS = 24;

/** For how long the new code runs at most, in real minutes. */
const MINUTES = 10;

/** How often the progress of the other process is looked at. In seconds. */
const LOOK = 1;

/** Adds the command. */
export function addRehearse(program: Command, host: Host): void {
  const command = program.command("rehearse").argument("<files...>", "Handler files");
  command.summary("Show what handlers would do to a live cluster, on a copy of it");
  command.description(
    `${command.summary()}\n\nCopies what the operator may read into an API server in the process (values of Secrets are replaced), runs ` +
      "the handlers there in virtual time, and tells what is different in the end, each write, missing rights, hot loops and " +
      "failures. The cluster is only read. Calls beyond the cluster are refused, or go to stubs. " +
      "Exit code 3 says that something is different, and 1 that handlers had nothing to run for.",
  );
  addTrialOptions(command, {
    crd: "Manifests that come with the new code, definitions among them, applied to its copy first",
    seed: "The seed of uids, and of the random numbers of handlers",
    minutes: `How long the new code may take, in real minutes: it ends earlier then; default: ${MINUTES}`,
  })
    .addOption(
      new CommandOption("-n, --namespace <name>", "A namespace; may be repeated; default: the whole cluster")
        .repeatable(),
    )
    .addOption(
      new CommandOption(
        "--as <account>",
        "With whose rights: NAMESPACE/NAME of a service account, or the name of a user; default: yours",
      ),
    )
    .addOption(
      new CommandOption(
        "--compare <files...>",
        "The old code: its handler files; default: the cluster as it is",
      ),
    )
    .addOption(
      new CommandOption(
        "--hours <number>",
        `Virtual time; 0: the first pass alone, as a plan; default: ${HOURS}`,
      )
        .argParser(hoursOf),
    )
    .addOption(
      new CommandOption(
        "--sample <number>",
        "So many objects of each kind, with those that they own; default: all",
      )
        .argParser(wholeNumber),
    )
    .addOption(
      new CommandOption(
        "--stubs <file>",
        "A module whose default export answers calls beyond the cluster: a function for each origin",
      ),
    )
    .addOption(
      new CommandOption("--save <file>", "Keep the copy, for `--fork` and for tests: testCluster({ fork })"),
    )
    .addOption(new CommandOption("--fork <file>", "Take a copy that was kept, in place of a cluster"))
    .addOption(new CommandOption("--play <file>", "Play a copy").hideHelp())
    .addOption(new CommandOption("--result <file>", "Where to write its result").hideHelp());
  addLogOptions(addClusterOptions(command));
  addExamples(command, [
    "rehearse handlers.ts --context prod --as databases/operator",
    "rehearse handlers.ts --context prod --compare ../released/handlers.ts --hours 24",
    "rehearse handlers.ts --hours 0 --save fork.tar",
  ]);
  command.action((files: readonly string[], flags: RehearseFlags) =>
    flags.play === undefined
      ? rehearse(files, flags, host)
      : playHere(files, { ...flags, play: flags.play }, host)
  );
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (!(hours >= 0 && hours <= 10_000)) throw new UsageError(`--hours ${text} is no number from 0 to 10000`);
  return hours;
}

async function rehearse(files: readonly string[], flags: RehearseFlags, host: Host): Promise<void> {
  const { hours = HOURS, json = false, compare, namespace = [] } = flags;
  rejectPatterns(namespace);
  using stop = listenForSignals(host);
  const { signal } = stop;
  for (const path of [...files, ...compare ?? []]) await rejectMissing(path, host);
  const progress = progressLine(host, json);
  const say = progress.show;
  const folder = await host.files.makeTempFolder("lotse-rehearsal-");
  try {
    say("Copying the cluster");
    const fork = host.files.resolve(folder, "fork.tar");
    const copy = await writeCopy(fork, flags, { host, signal });
    const rehearsing = { host, fork, folder, flags, signal, say };
    const now = await playElsewhere(files, { ...rehearsing, hours, name: "new" });
    const old = compare === undefined
      ? undefined
      // As long as the new code, which may have been cut.
      : await playElsewhere(compare, { ...rehearsing, hours: playedHours(now, hours), name: "old" });
    progress.end();
    const rehearsal = compareRuns(copy, { hours, now, old });
    const text = json
      ? JSON.stringify(rehearsal, undefined, 2)
      : reportRehearsal(rehearsal, { now: files.join(" "), old: compare?.join(" ") });
    host.process.write("stdout", `${text}\n`);
    if (rehearsal.isDifferent) throw new ProgramEnd(EXIT.finding);
    if (rehearsal.unproven.length > 0) throw new ProgramEnd(EXIT.failed);
  } finally {
    await host.files.remove(folder);
  }
}

function playedHours({ isCut, seconds }: Played, hours: number): number {
  return isCut === true ? seconds / 3600 : hours;
}

/** @throws {UsageError} If a namespace is a pattern: each one is listed by itself. */
function rejectPatterns(namespaces: readonly string[]): void {
  const pattern = namespaces.find((name) => !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name));
  if (pattern === undefined) return;
  throw new UsageError(`-n ${pattern} is no name of a namespace: name each namespace`);
}

/** @throws {CommandError} If there is no such file: said before a cluster is copied. */
async function rejectMissing(path: string, { files, process }: Host): Promise<void> {
  if (await files.exists(files.resolve(process.cwd(), path))) return;
  throw new CommandError(`Cannot load "${path}": there is no such file in "${process.cwd()}"`);
}

/** Writes a copy into a file, and into the one that keeps it; its objects are not kept in memory. */
async function writeCopy(
  fork: string,
  flags: RehearseFlags,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<CopyDescription> {
  const { files, process } = host;
  const copy = await copyFor(flags, { host, signal });
  if (flags.save !== undefined) await writeFork(files, files.resolve(process.cwd(), flags.save), copy);
  await writeFork(files, fork, copy);
  return { ...copy, objects: { length: copy.objects.length } };
}

async function copyFor(
  flags: RehearseFlags,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<ClusterCopy> {
  const { kubeconfig, context, namespace, sample, as, fork } = flags;
  if (fork !== undefined) return await readFork(host.files, host.files.resolve(host.process.cwd(), fork));
  return await copyLiveCluster({
    host,
    logger: loggerFor(flags, host),
    kubeconfig,
    context,
    namespaces: namespace,
    sample,
    ...as === undefined ? {} : { as: userOf(as) },
    signal,
  });
}

/** "databases/operator" is a service account; any other name is a user's. */
function userOf(account: string): string {
  const [namespace, name, ...others] = account.split("/");
  const isAccount = namespace && name && others.length === 0 && !account.includes(":");
  return isAccount ? `system:serviceaccount:${namespace}:${name}` : account;
}

interface Rehearsing {
  readonly host: Host;
  readonly fork: string;
  readonly folder: string;
  readonly flags: RehearseFlags;
  readonly signal: AbortSignal;
  readonly hours: number;
  readonly say: (text: string) => void;
  readonly name: "old" | "new";
}

/** Runs code in a process of its own. @throws {CommandError} If it cannot be run there. */
async function playElsewhere(files: readonly string[], rehearsing: Rehearsing): Promise<Played> {
  const { host, fork, folder, flags, signal, hours, say, name } = rehearsing;
  const { files: { resolve, readText, exists }, process } = host;
  const paths = files.map((path) => resolve(process.cwd(), path));
  const result = resolve(folder, `${name}.json`);
  const { words, cwd, version } = await programFor(paths[0] ?? "", host);
  const [command = "", ...rest] = words;
  const stubs = flags.stubs === undefined ? [] : ["--stubs", resolve(process.cwd(), flags.stubs)];
  const places = (flags.namespace ?? []).flatMap((each) => ["-n", each]);
  const args = [
    ...rest,
    "rehearse",
    ...paths,
    "--play",
    fork,
    "--result",
    result,
    "--hours",
    String(hours),
    // An older release does not know these.
    ...name === "new" ? ["--minutes", String(flags.minutes ?? MINUTES)] : [],
    ...name === "new" ? (flags.crd ?? []).flatMap((path) => ["--crd", resolve(process.cwd(), path)]) : [],
    ...flags.seed === 1 ? [] : ["--seed", String(flags.seed)],
    ...stubs,
    ...places,
  ];
  const run = process.run(command, args, { signal, ...cwd === undefined ? {} : { cwd } });
  const ended = await watched(run, { host, say, path: `${result}.progress`, name, hours });
  if (!await exists(result)) throw playError(files, { ended, version, name });
  // The same command has written it.
  return JSON.parse(await readText(result)) as Played;
}

/** How a code is run: with the Lotse that its project has installed; with this one, if it has none. */
async function programFor(
  file: string,
  { files, process }: Host,
): Promise<{ readonly words: readonly string[]; readonly cwd?: string; readonly version?: string }> {
  const words = closed(process.self);
  for (let folder = files.folderOf(file);;) {
    const home = files.resolve(folder, "node_modules", "@lotse", "lotse");
    const text = await files.readText(files.resolve(home, "package.json")).catch(() => undefined);
    if (text !== undefined && words.length > 1) {
      const { bin, version } = JSON.parse(text) as {
        readonly bin?: { readonly lotse?: string };
        readonly version?: string;
      };
      const script = files.resolve(home, bin?.lotse ?? "bin/lotse.js");
      return { words: [...words.slice(0, -1), script], cwd: folder, version };
    }
    const above = files.folderOf(folder);
    if (above === folder) return { words };
    folder = above;
  }
}

/**
 * How Deno runs that process. NB: Deno itself refuses sockets and programs to it; on other runtimes `closeNetwork()` does. And the heap may only grow
 * by a half between two collections: a busy machine collects late, and 1,000 objects took 557 MB in place of 429, in the same time of the processor.
 */
const IN_DENO = ["--deny-net", "--deny-run", "--v8-flags=--heap-growing-percent=50"];

function closed(self: readonly string[]): readonly string[] {
  return self.flatMap((word) => word === "--allow-all" || word === "-A" ? [word, ...IN_DENO] : [word]);
}

/** Waits for the other process, and tells of its progress. */
async function watched(
  run: Promise<RunResult>,
  { host, say, path, name, hours }: Pick<Rehearsing, "host" | "say" | "name" | "hours"> & {
    readonly path: string;
  },
): Promise<RunResult> {
  const done = new AbortController();
  const looking = (async () => {
    while (await host.clock.sleep(LOOK, done.signal)) {
      const text = await host.files.readText(path).catch(() => "0");
      say(`Running ${name} code: ${(Number(text) / 3600).toFixed(1)} of ${hours} h`);
    }
  })();
  try {
    return await run;
  } finally {
    done.abort();
    await looking;
  }
}

function playError(
  files: readonly string[],
  { ended, version, name }: { readonly ended: RunResult; readonly version?: string; readonly name: string },
): CommandError {
  const { code, stderr } = ended;
  if (/unknown command/.test(stderr)) {
    return new CommandError(
      `Cannot run the ${name} code ${files.join(" ")}: its Lotse ${
        version ?? ""
      } has no \`rehearse\` (update @lotse/lotse there, or rehearse without it)`,
    );
  }
  const lines = stderr.trim().split("\n");
  const first = lines.findIndex((line) => line.startsWith("error: "));
  const reason = first < 0
    ? lines.slice(-5).join("\n")
    : lines.slice(first).join("\n").slice("error: ".length);
  return new CommandError(
    `Cannot rehearse the ${name} code: ${reason || `its process ended with code ${code}`}`,
  );
}

/** Replaces a copy by what it is at rest, unless the process of the other code has done so. */
async function settleFork(path: string, files: Host["files"]): Promise<void> {
  let hasSettled = false;
  const settled = await settle(async () => {
    const copy = await readFork(files, path);
    hasSettled = copy.isSettled === true;
    return copy;
  });
  if (!hasSettled) await writeFork(files, path, settled);
}

/** Plays a copy in this process, whose network is closed. */
async function playHere(
  files: readonly string[],
  { play: fork, result, hours = HOURS, minutes = Infinity, stubs, namespace, crd, seed, ...flags }:
    & RehearseFlags
    & {
      readonly play: string;
    },
  host: Host,
): Promise<void> {
  if (result === undefined) throw new UsageError("--play is for the command itself: it goes with --result");
  const refused: Refusal[] = [];
  // NB: before the handlers' modules are loaded, which may keep functions for later.
  using _closed = closeNetwork((call, target) => void refused.push({ target: `${call} ${target}` }));
  const operators = operatorsOf(await importFiles(files, { host }));
  if (hours > 0) await settleFork(fork, host.files);
  const logger = loggerFor(flags, host);
  let written: Promise<unknown> = Promise.resolve();
  const played = await play({
    operators,
    copy: () => readFork(host.files, fork),
    hours,
    within: minutes * 60,
    seed,
    manifests: crd,
    ...namespace === undefined ? {} : { scope: namespace },
    stubs: stubs === undefined ? {} : await stubsIn(stubs, host),
    refused,
    onProgress(seconds) {
      written = written.then(() => host.files.writeText(`${result}.progress`, String(seconds))).catch((
        error,
      ) => logger.debug("Cannot tell the progress", { error }));
    },
  });
  await written;
  await host.files.writeText(result, JSON.stringify(played), { mode: 0o600 });
  // Handlers may have left timers of the runtime's own behind.
  host.process.exit(EXIT.done);
}

/** @throws {CommandError} If the module exports no stubs. */
async function stubsIn(path: string, host: Host): Promise<Stubs> {
  const [file] = await importFiles([path], { host });
  const stubs = file?.module.default;
  const isRight = typeof stubs === "object" && stubs !== null &&
    Object.entries(stubs).every(([origin, fetch]) => URL.canParse(origin) && typeof fetch === "function");
  if (!isRight) {
    throw new CommandError(
      `Cannot use the stubs in "${path}": export default { "https://api.example.com": (request) => Response.json({}) }`,
    );
  }
  // Checked: each member is a function.
  return stubs as Stubs;
}
