/**
 * Turns texts into option values, wherever they come from: the command line or the environment.
 *
 * Each option has a variable: LOTSE_<COMMAND>_<OPTION>, the option's long name in capitals with underscores, such as
 * LOTSE_RUN_ALL_NAMESPACES. What stands on the command line wins. Source: Kopf, docs/cli, where the names differ.
 */

import { type Command, type CommandOption, longNameOf, type OptionValue, takesValue } from "./command.ts";
import { UsageError } from "./errors.ts";

const ON = new Set(["1", "true", "yes", "on"]);
const OFF = new Set(["0", "false", "no", "off"]);

/**
 * Gives the value that a text stands for, of an option that takes one.
 *
 * @throws {UsageError} If it is not one of the choices, or not a number (or port) where one is wanted.
 */
export function parseValue(option: CommandOption, text: string): string | number {
  if (option.choices !== undefined) {
    const choice = option.choices.find((each) => each.toLowerCase() === text.toLowerCase());
    if (choice === undefined) throw new UsageError(`"${text}" is none of ${option.choices.join(", ")}`);
    return choice;
  }
  if (option.kind === undefined || option.kind === "text") return text;
  if (!/^-?\d+$/.test(text)) throw new UsageError(`"${text}" is not a whole number`);
  if (option.kind === "port" && (Number(text) < 0 || Number(text) > 65535)) {
    throw new UsageError(`"${text}" is not a port: give a number from 0 (any free one) to 65535`);
  }
  return Number(text);
}

/** Gives the name of the variable that sets an option: "LOTSE_RUN_LOG_FORMAT". */
export function variableOf(command: Pick<Command, "name">, option: Pick<CommandOption, "flags">): string {
  return `LOTSE_${command.name}_${longNameOf(option)}`.toUpperCase().replaceAll("-", "_");
}

/**
 * Fills in from the environment what the command line left open, and checks what excludes each other.
 *
 * An empty variable counts as unset. A variable gives way to an option on the command line that excludes it.
 *
 * @throws {UsageError} If a variable's value cannot be understood, two options exclude each other, or one is missing.
 */
export function completeValues(
  command: Pick<Command, "name" | "options">,
  { given, env }: {
    readonly given: ReadonlyMap<string, OptionValue>;
    readonly env: (name: string) => string | undefined;
  },
): Map<string, OptionValue> {
  const values = new Map(given);
  for (const option of command.options) {
    const name = longNameOf(option);
    const text = env(variableOf(command, option)) ?? "";
    if (text === "" || given.has(name) || excludedBy(command, { name, given })) continue;
    values.set(name, parseVariable(option, { text, variable: variableOf(command, option) }));
  }
  checkExclusions(command, values);
  for (const option of command.options) {
    if (option.required && !isSet(values.get(longNameOf(option)))) {
      throw new UsageError(`the option "${option.flags}" is missing`);
    }
  }
  return values;
}

function parseVariable(
  option: CommandOption,
  { text, variable }: { readonly text: string; readonly variable: string },
): OptionValue {
  try {
    if (!takesValue(option)) return parseSwitch(text);
    if (option.repeatable) return text.split(/\s+/).filter((part) => part !== "");
    return parseValue(option, text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`Cannot use the variable ${variable}: ${error.message}`, { cause: error });
  }
}

function parseSwitch(text: string): boolean {
  const word = text.toLowerCase();
  if (!ON.has(word) && !OFF.has(word)) throw new UsageError(`"${text}" is neither true nor false`);
  return ON.has(word);
}

function excludedBy(
  { options }: Pick<Command, "options">,
  { name, given }: { readonly name: string; readonly given: ReadonlyMap<string, OptionValue> },
): boolean {
  return options.some((option) => {
    const other = longNameOf(option);
    return (option.excludes === name && isSet(given.get(other))) ||
      (other === name && option.excludes !== undefined && isSet(given.get(option.excludes)));
  });
}

function checkExclusions(
  { options }: Pick<Command, "options">,
  values: ReadonlyMap<string, OptionValue>,
): void {
  for (const option of options) {
    if (option.excludes === undefined) continue;
    if (!isSet(values.get(longNameOf(option))) || !isSet(values.get(option.excludes))) continue;
    throw new UsageError(
      `--${longNameOf(option)} and --${option.excludes} exclude each other: give one of them`,
    );
  }
}

function isSet(value: OptionValue | undefined): boolean {
  return value !== undefined && value !== false;
}
