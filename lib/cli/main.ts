/** The command line as a function from arguments to an exit code. */

import type { Command } from "commander";

import type { Host } from "../runtime/host.ts";
import { VERSION } from "../runtime/version.ts";
import { addApiServer } from "./apiserver.ts";
import { addBuild } from "./build.ts";
import { addDev } from "./dev.ts";
import { runProgram } from "./dispatch.ts";
import { addFreeze, addResume } from "./freeze.ts";
import { addGenerate } from "./generate.ts";
import { addNew } from "./new.ts";
import { newProgram } from "./program.ts";
import { addRun } from "./run.ts";

/** Returns the program, its commands in the order of the help text. */
export function lotseProgram(host: Host): Command {
  const program = newProgram({
    name: "lotse",
    version: VERSION,
    summary: "Lotse runs Kubernetes operators written in TypeScript.",
    footer: [
      "Examples:",
      "  $ lotse new greeter",
      "  $ lotse dev handlers.ts --apply crd.yaml",
      "",
      "Exit codes: 0 done, or stopped by a signal; 1 failed; 2 wrong usage; 130 killed by a second signal.",
    ].join("\n"),
    host,
  });
  for (const add of [addNew, addRun, addDev, addApiServer, addBuild, addGenerate, addFreeze, addResume]) {
    add(program, host);
  }
  return program;
}

/** Runs the command line. Returns the exit code, and never throws. */
export function main(host: Host, args: readonly string[] = host.process.args): Promise<number> {
  return runProgram(lotseProgram(host), { host, args });
}
