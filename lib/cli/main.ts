/** The command line as a function from arguments to an exit code. */

import type { Host } from "../runtime/host.ts";
import { APISERVER } from "./apiserver.ts";
import { BUILD } from "./build.ts";
import { DEV } from "./dev.ts";
import { runProgram } from "./dispatch.ts";
import { FREEZE } from "./freeze.ts";
import type { Program } from "./program.ts";
import { RESUME } from "./resume.ts";
import { RUN } from "./run.ts";
import { VERSION } from "../runtime/version.ts";

/** The program, its commands in the order of the help text. */
export const LOTSE: Program = {
  name: "lotse",
  version: VERSION,
  summary: "Lotse runs Kubernetes operators written in TypeScript.",
  footer: [
    "Example:",
    "  $ lotse dev handlers.ts --apply crd.yaml",
    "",
    "Exit codes: 0 done, or stopped by a signal; 1 failed; 2 wrong usage; 130 killed by a second signal.",
  ].join("\n"),
  commands: [RUN, DEV, APISERVER, BUILD, FREEZE, RESUME],
};

/** Runs the command line. Gives the exit code, and never throws. */
export function main(host: Host, args: readonly string[] = host.process.args): Promise<number> {
  return runProgram(LOTSE, { host, args });
}
