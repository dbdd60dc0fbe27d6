/** Runs a program. Everything that fails ends here: as one sentence and an exit code. */

import { type Command, CommanderError } from "commander";

import type { Host } from "../runtime/host.ts";
import { describeError, EXIT, exitCodeOf, ProgramEnd, stackOf } from "./errors.ts";
import { type LogFlags, loggerFor } from "./options.ts";
import { completeOptions } from "./program.ts";

/** Runs a program. Returns the exit code, and never throws. With --debug, failures are shown with their stacks. */
export async function runProgram(
  program: Command,
  { host, args }: { readonly host: Host; readonly args: readonly string[] },
): Promise<number> {
  let flags: LogFlags = {};
  program.hook("preAction", (_, command) => {
    completeOptions(command, host);
    flags = command.opts<LogFlags>();
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return EXIT.done;
  } catch (error) {
    // Commander has written its message, or the help, already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof ProgramEnd) return error.code;
    reportError(error, { host, flags });
    return exitCodeOf(error);
  }
}

export interface ReportOptions {
  readonly host: Host;
  readonly flags: LogFlags;
  /** A note to add in brackets. */
  readonly note?: string;
}

/**
 * Writes an error to the standard error stream: as a sentence (which may go on over several lines, with the line of a
 * source file), as JSON where log lines are, with its stack where --debug is given.
 */
export function reportError(error: unknown, { host, flags, note }: ReportOptions): void {
  const text = describeError(error) + (note === undefined ? "" : `\n(${note})`);
  if (flags.logFormat === "json") loggerFor(flags, host).error(text, { error });
  else host.process.write("stderr", `error: ${text}\n${flags.debug ? `${stackOf(error)}\n` : ""}`);
}
