/**
 * The command line's dialect of commander: how a program, its options and its help look, and where values come from.
 *
 * Each option can also be set by a variable, LOTSE_<COMMAND>_<OPTION>: the names in capitals with underscores, such as
 * LOTSE_RUN_ALL_NAMESPACES. An option on the command line wins. Commander itself would read the variables of the
 * process, write to its streams and end it; here all three go through the Host, so that a virtual one serves as well.
 */

import { Command, InvalidArgumentError, Option } from "commander";

import type { Host } from "../runtime/host.ts";
import { UsageError } from "./errors.ts";

export interface ProgramOptions {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** The text of `--help` below options and commands. */
  readonly footer: string;
  readonly host: Host;
}

/** Returns a program without commands; `program.command(…)` adds one, which inherits these settings. */
export function newProgram({ name, version, summary, footer, host }: ProgramOptions): Command {
  return new Command(name)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.process.write("stdout", text),
      writeErr: (text) => host.process.write("stderr", text),
      getOutHasColors: () => host.process.isTerminal("stdout"),
      getErrHasColors: () => host.process.isTerminal("stderr"),
    })
    .showHelpAfterError("Add --help for what there is.")
    .version(`${name} ${version}`, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [command]", "Print the help of a command")
    .description(summary)
    .addHelpText("after", `\n${footer}`);
}

/** An option whose rules also hold for its variable. */
export class CommandOption extends Option {
  /** Whether it must be given. */
  isDemanded = false;
  /** The attribute name ("allNamespaces") of an option that cannot be given together with this one. */
  excludes: string | undefined;

  /** It must be given. */
  demand(): this {
    this.isDemanded = true;
    return this;
  }

  /** It cannot be given together with another one; `name` is that one's attribute name. */
  exclude(name: string): this {
    this.excludes = name;
    return this;
  }

  /** It may be given several times. In the variable, the values are separated by spaces. */
  repeatable(): this {
    return this.argParser(collect);
  }

  /** It takes one of these values, in upper or lower case. */
  oneOf(values: readonly string[]): this {
    return this.choices(values).argParser((text) => {
      const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
      if (found === undefined) throw new InvalidArgumentError(`"${text}" is none of ${values.join(", ")}.`);
      return found;
    });
  }

  get isRepeatable(): boolean {
    return this.variadic || this.parseArg === collect;
  }
}

/** Parses an option's value. @throws {InvalidArgumentError} If it is not a whole number. */
export function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError(`"${text}" is not a whole number.`);
  return Number(text);
}

/** Parses an option's value. @throws {InvalidArgumentError} If it is not a port. */
export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port >= 0 && port <= 65535) return port;
  throw new InvalidArgumentError(`"${text}" is not a port: give a number from 0 (any free one) to 65535.`);
}

function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

/** Ends a command's help with examples; they are written without the program's name: "run handlers.ts -n team-a". */
export function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText("after", () => {
    const program = nameOf(command);
    const lines = ["", examples.length > 1 ? "Examples:" : "Example:"];
    lines.push(...examples.map((example) => `  $ ${program} ${example}`));
    const [first] = command.options.filter((option) => option.long !== "--version");
    if (first === undefined) return lines.join("\n");
    const variable = variableOf(command, first);
    return [...lines, "", `Each option can also be set by a variable, such as ${variable}.`].join("\n");
  });
}

/** Returns the name of the variable that sets an option: "LOTSE_RUN_LOG_FORMAT". */
export function variableOf(command: Command, option: Option): string {
  return ["lotse", ...pathOf(command), option.name()].join("_").toUpperCase().replaceAll("-", "_");
}

/** The program's name. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : nameOf(command.parent);
}

/** The words after the program's name. A program that is one command only (a built operator) is `run`. */
function pathOf(command: Command): string[] {
  if (command.parent === null) return ["run"];
  return command.parent.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];
}

/**
 * Fills in options that the command line left open, from variables, and checks for options that exclude each other or are
 * missing.
 *
 * An empty variable counts as unset. A variable gives way to an option on the command line that excludes it.
 *
 * @throws {UsageError} If a variable's value cannot be understood, two options exclude each other, or one is missing.
 */
export function completeOptions(command: Command, host: Host): void {
  const excludedByGiven = command.options.filter((option) => isExcluded(command, option));
  for (const option of command.options) {
    const variable = variableOf(command, option);
    const text = host.process.env(variable) ?? "";
    if (text === "" || option.negate || excludedByGiven.includes(option)) continue;
    if (command.getOptionValueSource(option.attributeName()) === "cli") continue;
    command.setOptionValueWithSource(
      option.attributeName(),
      parseVariable(option, { text, variable }),
      "env",
    );
  }
  for (const option of command.options.filter((each) => each instanceof CommandOption)) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (option.isDemanded && !isSet(value)) {
      throw new UsageError(`the option "${option.flags}" is missing`);
    }
    const other = command.options.find((each) => excludes(option, each));
    if (other === undefined || !isSet(value) || !isSet(command.getOptionValue(other.attributeName()))) {
      continue;
    }
    throw new UsageError(`--${option.name()} and --${other.name()} exclude each other: give one of them`);
  }
}

/** Whether another option that was given excludes this one. */
function isExcluded(command: Command, option: Option): boolean {
  return command.options.some((other) =>
    (excludes(other, option) || excludes(option, other)) &&
    isSet(command.getOptionValue(other.attributeName()))
  );
}

/** Commander makes attribute names anew each time, so the cheap question comes first: most options exclude no other. */
function excludes(one: Option, two: Option): boolean {
  return one instanceof CommandOption && one.excludes !== undefined && one.excludes === two.attributeName();
}

function parseVariable(
  option: Option,
  { text, variable }: { readonly text: string; readonly variable: string },
): unknown {
  try {
    if (option.isBoolean()) return parseSwitch(text);
    if (option instanceof CommandOption && option.isRepeatable) return text.split(/\s+/).filter(Boolean);
    return option.parseArg === undefined ? text : option.parseArg(text, undefined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const reason = error.message.replace(/\.$/, ""); // the message ends as commander's do
    throw new UsageError(`Cannot use the variable ${variable}: ${reason}`);
  }
}

const ON = new Set(["1", "true", "yes", "on"]);
const OFF = new Set(["0", "false", "no", "off"]);

function parseSwitch(text: string): boolean {
  const word = text.toLowerCase();
  if (!ON.has(word) && !OFF.has(word)) throw new InvalidArgumentError(`"${text}" is neither true nor false.`);
  return ON.has(word);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false;
}
