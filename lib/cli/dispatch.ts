/** Runs the command that the arguments ask for. Everything that fails ends here: as one sentence and an exit code. */

import type { Host } from "../runtime/host.ts";
import { exitCodeOf } from "./errors.ts";
import { parseArguments, type Program } from "./program.ts";
import { reportError } from "./reporting.ts";

/** Runs a program. Gives the exit code, and never throws. With --debug, failures are shown with their stacks. */
export async function runProgram(
  program: Program,
  { host, args }: { readonly host: Host; readonly args: readonly string[] },
): Promise<number> {
  const parsed = await parseArguments(program, { args, host });
  if ("exitCode" in parsed) return parsed.exitCode;
  const { command, files, options } = parsed;
  try {
    return await command.run({ host, files, options });
  } catch (error) {
    reportError(error, { host, options });
    return exitCodeOf(error);
  }
}
