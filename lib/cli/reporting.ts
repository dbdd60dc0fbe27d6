/** Tells the user of an error, in the form that the options ask for. */

import type { Host } from "../runtime/host.ts";
import type { OptionValues } from "./command.ts";
import { describeError, stackOf } from "./errors.ts";
import { loggerFor } from "./shared_options.ts";

export interface ReportOptions {
  readonly host: Host;
  readonly options: OptionValues;
  /** What to add in brackets. */
  readonly note?: string;
}

/**
 * Writes an error to the standard error stream: as a sentence (which may go on over several lines, with the line of a
 * source file), as JSON where log lines are, with its stack where --debug is given.
 */
export function reportError(error: unknown, { host, options, note }: ReportOptions): void {
  const text = describeError(error) + (note === undefined ? "" : `\n(${note})`);
  if (options.text("log-format") === "json") loggerFor(options, host).error(text, { error });
  else host.process.write("stderr", `error: ${text}\n${options.flag("debug") ? `${stackOf(error)}\n` : ""}`);
}
