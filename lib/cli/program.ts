/**
 * Takes the command line apart, with commander, which is known to this file only.
 *
 * Commander is kept on a short leash: it neither reads the environment nor writes nor exits by itself, so that the
 * command line runs on any host, a virtual one included.
 */

import { Command as Parser, CommanderError, InvalidArgumentError, Option } from "commander";

import type { Host } from "../runtime/host.ts";
import {
  type Command,
  type CommandOption,
  longNameOf,
  type OptionValue,
  OptionValues,
  takesValue,
} from "./command.ts";
import { EXIT, UsageError } from "./errors.ts";
import { completeValues, parseValue, variableOf } from "./values.ts";

/** The whole program. */
export interface Program {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** What else `--help` has to say, below the list of commands. */
  readonly footer: string;
  /** With one command only, its name need not be given: the program is that command. */
  readonly commands: readonly Command[];
}

/** What the command line asks for: a command with its values, or nothing more (help was shown, or usage was wrong). */
export type Parsed =
  | { readonly command: Command; readonly files: readonly string[]; readonly options: OptionValues }
  | { readonly exitCode: number };

/** Takes arguments apart. Help, version and usage errors are written right away. */
export async function parseArguments(
  program: Program,
  { args, host }: { readonly args: readonly string[]; readonly host: Host },
): Promise<Parsed> {
  const found: { parsed?: Parsed } = {};
  const root = newParser(program, { host, found });
  try {
    await root.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? EXIT.done : EXIT.usage };
    if (!(error instanceof UsageError)) throw error;
    host.process.write("stderr", `error: ${error.message}\n`);
    return { exitCode: EXIT.usage };
  }
  return found.parsed ?? { exitCode: EXIT.usage };
}

interface ParserContext {
  readonly host: Host;
  /** Where the chosen command leaves what it was given. */
  readonly found: { parsed?: Parsed };
}

function newParser(program: Program, context: ParserContext): Parser {
  const root = new Parser(program.name);
  root.exitOverride();
  root.configureOutput({
    writeOut: (text) => context.host.process.write("stdout", text),
    writeErr: (text) => context.host.process.write("stderr", text),
    getOutHasColors: () => context.host.process.isTerminal("stdout"),
    getErrHasColors: () => context.host.process.isTerminal("stderr"),
  });
  root.showHelpAfterError("Add --help for what there is.");
  root.version(`${program.name} ${program.version}`, "-V, --version", "Print the version");
  root.helpOption("-h, --help", "Print this help");
  root.description(program.summary);
  root.addHelpText("after", `\n${program.footer}`);
  const [only, ...others] = program.commands;
  if (only !== undefined && others.length === 0) define(root, { ...context, command: only, program });
  else root.helpCommand(false);
  if (others.length > 0) {
    for (const command of program.commands) {
      define(root.command(command.name), { ...context, command, program }).summary(command.summary);
    }
  }
  return root;
}

interface DefineContext extends ParserContext {
  readonly command: Command;
  readonly program: Program;
}

function define(parser: Parser, { command, program, host, found }: DefineContext): Parser {
  parser.description([command.summary, ...command.details ?? []].join("\n\n"));
  parser.helpOption("-h, --help", "Print this help");
  if (command.files !== undefined) {
    parser.argument(command.files === "required" ? "<files...>" : "[files...]", "Handler files");
  }
  for (const option of command.options) addOption(parser, option);
  parser.addHelpText("after", helpFooter(command, program));
  parser.action((...received: unknown[]) => {
    const [files] = command.files === undefined ? [[]] : received;
    const given = givenValues(parser, command);
    const values = completeValues(command, { given, env: (name) => host.process.env(name) });
    found.parsed = { command, files: isTexts(files) ? files : [], options: new OptionValues(values) };
  });
  return parser;
}

function helpFooter(command: Command, program: Program): string {
  const examples = command.examples.map((example) => `  $ ${program.name} ${example}`);
  const [first] = command.options;
  const variables = first === undefined ? [] : [
    "",
    `Each option can also be set by a variable, such as ${variableOf(command, first)}.`,
  ];
  return ["", examples.length > 1 ? "Examples:" : "Example:", ...examples, ...variables].join("\n");
}

function addOption(parser: Parser, option: CommandOption): void {
  const { flags, summary, choices, repeatable, negatable } = option;
  const words = choices === undefined ? summary : `${summary} (${choices.join(", ")})`;
  const added = new Option(flags, words);
  const isVariadic = flags.includes("...");
  if (takesValue(option)) {
    added.argParser((text: string, previous: unknown) => {
      const value = parseArgument(option, text);
      if (!repeatable && !isVariadic) return value;
      return [...(isTexts(previous) ? previous : []), String(value)];
    });
  }
  parser.addOption(added);
  if (negatable) {
    parser.addOption(new Option(`--no-${longNameOf(option)}`, `The opposite of --${longNameOf(option)}`));
  }
}

function parseArgument(option: CommandOption, text: string): string | number {
  try {
    return parseValue(option, text);
  } catch (error) {
    if (error instanceof UsageError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** What stands on the command line itself; commander's own defaults (such as those of negatable options) do not count. */
function givenValues(parser: Parser, command: Command): Map<string, OptionValue> {
  const given = new Map<string, OptionValue>();
  for (const option of command.options) {
    const attribute = new Option(option.flags).attributeName();
    if (parser.getOptionValueSource(attribute) !== "cli") continue;
    const value: unknown = parser.getOptionValue(attribute);
    if (isOptionValue(value)) given.set(longNameOf(option), value);
  }
  return given;
}

function isOptionValue(value: unknown): value is OptionValue {
  return typeof value === "boolean" || typeof value === "string" || typeof value === "number" ||
    isTexts(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
