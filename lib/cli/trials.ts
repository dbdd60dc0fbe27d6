/**
 * The options of commands that try an operator out without touching a cluster (`simulate`, `rehearse`, `explore`), which mean the same in each:
 * `--crd`, `--seed`, `--minutes`, `--json`; those of the two that draw objects; and their line of progress. All end with exit code 3 if they find something.
 */

import type { Command } from "commander";

import type { Host } from "../runtime/host.ts";
import { UsageError } from "./errors.ts";
import { CommandOption, wholeNumber } from "./program.ts";

/** The flags that all trials have. */
export interface TrialFlags {
  readonly crd?: readonly string[];
  readonly seed: number;
  readonly minutes?: number;
  readonly json?: boolean;
}

/** The meaning of the options for one command, in the words of its help. */
export interface TrialOptions {
  /** Why manifests are given. */
  readonly crd: string;
  readonly seed: string;
  /** The work that is limited, and the default. */
  readonly minutes: string;
}

/** Adds the options of `TrialFlags`. */
export function addTrialOptions(command: Command, { crd, seed, minutes }: TrialOptions): Command {
  return command
    .addOption(new CommandOption("--crd <path>", `${crd}: a file, or a folder; repeatable`).repeatable())
    .addOption(new CommandOption("--seed <number>", seed).argParser(wholeNumber).default(1))
    .addOption(new CommandOption("--minutes <number>", minutes).argParser(minutesOf))
    .addOption(new CommandOption("--json", "Print the result as JSON"));
}

/** The flags of trials whose objects are drawn. */
export interface DrawingFlags {
  readonly example?: readonly string[];
  readonly objects: number;
  readonly compare?: boolean;
}

/** Adds the options of `DrawingFlags`. @param objects What `--objects` counts. */
export function addDrawingOptions(command: Command, objects: string): Command {
  return command
    .addOption(
      new CommandOption("--example <path>", "Objects as they may be: a file, or a folder; repeatable")
        .repeatable(),
    )
    .addOption(new CommandOption("--objects <number>", objects).argParser(wholeNumber).default(2))
    .addOption(
      new CommandOption(
        "--no-compare",
        "Results may depend on their history: do not compare them with those of calm runs",
      ),
    );
}

/** Real minutes. @throws {UsageError} If they are no number above 0. */
function minutesOf(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0)) throw new UsageError(`--minutes ${text} is no number above 0`);
  return minutes;
}

/** One line that is written again and again. */
export interface ProgressLine {
  show(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** Returns a line on the standard error stream; none is written where that is no terminal, or the result is JSON. */
export function progressLine({ process }: Host, json = false): ProgressLine {
  const isShown = !json && process.isTerminal("stderr");
  const write = (text: string): void => void (isShown && process.write("stderr", `\r\x1b[K${text}`));
  return { show: write, end: () => write("") };
}
