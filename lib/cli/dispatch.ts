/** Runs the command that the arguments ask for. Everything that fails ends here: as one sentence and an exit code. */

import type { Host } from "../runtime/host.ts";
import type { OptionValues } from "./command.ts";
import { describeError, exitCodeOf, stackOf } from "./errors.ts";
import { parseArguments, type Program } from "./program.ts";
import { loggerFor } from "./shared_options.ts";

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
    report(error, { host, options });
    return exitCodeOf(error);
  }
}

function report(
  error: unknown,
  { host, options }: { readonly host: Host; readonly options: OptionValues },
): void {
  const text = describeError(error);
  if (options.text("log-format") === "json") loggerFor(options, host).error(text, { error });
  else host.process.write("stderr", `error: ${text}\n${options.flag("debug") ? `${stackOf(error)}\n` : ""}`);
}
