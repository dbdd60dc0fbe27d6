/**
 * The command line as a function from arguments to an exit code.
 *
 * The files of a command are loaded when it is named: all of them take longer than most commands need to begin.
 */

import type { Command } from "commander";

import type { Host } from "../runtime/host.ts";
import { VERSION } from "../runtime/version.ts";
import { runProgram } from "./dispatch.ts";
import { newProgram } from "./program.ts";

/** Adds a command to a program. */
type Adder = (program: Command, host: Host) => void;

/** All commands, in the order of the help text. */
const COMMANDS: Readonly<Record<string, () => Promise<Adder>>> = {
  new: async () => (await import("./new.ts")).addNew,
  run: async () => (await import("./run.ts")).addRun,
  dev: async () => (await import("./dev.ts")).addDev,
  apiserver: async () => (await import("./apiserver.ts")).addApiServer,
  build: async () => (await import("./build.ts")).addBuild,
  generate: async () => (await import("./generate.ts")).addGenerate,
  replicas: async () => (await import("./replicas.ts")).addReplicas,
  freeze: async () => (await import("./freeze.ts")).addFreeze,
  resume: async () => (await import("./freeze.ts")).addResume,
  pause: async () => (await import("./steer.ts")).addPause,
  retry: async () => (await import("./steer.ts")).addRetry,
  why: async () => (await import("./why.ts")).addWhy,
  top: async () => (await import("./top.ts")).addTop,
  queue: async () => (await import("./why.ts")).addQueue,
  "log-level": async () => (await import("./log_level.ts")).addLogLevel,
  "heap-snapshot": async () => (await import("./log_level.ts")).addHeapSnapshot,
  rehearse: async () => (await import("./rehearse.ts")).addRehearse,
  simulate: async () => (await import("./simulate.ts")).addSimulate,
  explore: async () => (await import("./explore.ts")).addExplore,
  size: async () => (await import("./size.ts")).addSize,
  uninstall: async () => (await import("./uninstall.ts")).addUninstall,
};

/** Returns the program with all its commands, or with one of them. */
export async function lotseProgram(host: Host, only?: string): Promise<Command> {
  const program = newProgram({
    name: "lotse",
    version: VERSION,
    summary: "Lotse runs Kubernetes operators written in TypeScript.",
    footer: [
      "Examples:",
      "  $ lotse new greeter",
      "  $ lotse dev handlers.ts --apply crd.yaml",
      "",
      "Exit codes: 0 done, or stopped by a signal; 1 failed; 2 wrong usage; 3 a finding of simulate, explore or rehearse; 130 killed by a second signal.",
    ].join("\n"),
    host,
  });
  const isKnown = only !== undefined && Object.hasOwn(COMMANDS, only);
  const loaded = Object.entries(COMMANDS).map(([name, load]) =>
    isKnown && name !== only ? undefined : load()
  );
  for (const add of await Promise.all(loaded)) add?.(program, host);
  return program;
}

/** Runs the command line. Returns the exit code, and never throws. */
export async function main(host: Host, args: readonly string[] = host.process.args): Promise<number> {
  const isHelp = args[0] === "help" && args.length > 1;
  const words = isHelp ? [...args.slice(1), "--help"] : args;
  const program = await lotseProgram(host, words[0]);
  return await runProgram(program, { host, args: refusable(program, words) });
}

/** NB: asked for the help of a command that it does not know, commander prints the help of the level above, as if all were well. */
function refusable(program: Command, words: readonly string[]): readonly string[] {
  let level = program;
  for (const word of words) {
    if (word.startsWith("-") || level.commands.length === 0) break;
    const found = level.commands.find((command) => command.name() === word);
    if (found === undefined) return words.filter((each) => each !== "--help" && each !== "-h");
    level = found;
  }
  return words;
}
