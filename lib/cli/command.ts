/**
 * What a command of the command line is: its name, its options, and what it does.
 *
 * Commands are plain data, so that the parser (`program.ts`) is the only file that knows how arguments are taken apart,
 * and so that a test can call a command without one.
 */

import type { Host } from "../runtime/host.ts";

/** A command. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What else `--help` has to say: paragraphs, without line breaks inside. */
  readonly details?: readonly string[];
  /** Whether FILES are required, forbidden (absent), or may be left out. */
  readonly files?: "required" | "optional";
  readonly options: readonly CommandOption[];
  /** Command lines to copy, without the program's name: "run handlers.ts --namespace default". */
  readonly examples: readonly string[];
  /** Does it, and gives the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** An option, as it stands in the help text. */
export interface CommandOption {
  /** "-n, --namespace <pattern>"; without a value in angle brackets it is a switch; "<yaml...>" takes several values. */
  readonly flags: string;
  readonly summary: string;
  readonly kind?: "text" | "number" | "port";
  /** The only values allowed; case does not matter. */
  readonly choices?: readonly string[];
  /** May be given several times. In the environment, the values are separated by spaces. */
  readonly repeatable?: boolean;
  /** Whether "--no-<name>" exists too. */
  readonly negatable?: boolean;
  /** Must be given. */
  readonly required?: boolean;
  /** The long name of an option that cannot be given together with this one. */
  readonly excludes?: string;
}

/** One call of a command. */
export interface Invocation {
  readonly host: Host;
  readonly files: readonly string[];
  readonly options: OptionValues;
}

/** What was given for a command's options, by long name without dashes. */
export class OptionValues {
  readonly #values: ReadonlyMap<string, OptionValue>;

  constructor(values: ReadonlyMap<string, OptionValue> = new Map()) {
    this.#values = values;
  }

  /** Whether a switch is on. */
  flag(name: string): boolean {
    return this.#values.get(name) === true;
  }

  /** Whether a switch was given at all, and how. */
  choice(name: string): boolean | undefined {
    const value = this.#values.get(name);
    return typeof value === "boolean" ? value : undefined;
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "string" ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.#values.get(name);
    return typeof value === "number" ? value : undefined;
  }

  /** The values of an option that may be given several times; none: empty. */
  list(name: string): readonly string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value : [];
  }
}

/** A switch, a text, a number, or several texts. */
export type OptionValue = boolean | string | number | readonly string[];

/** Gives an option's long name without its dashes: "namespace" of "-n, --namespace <pattern>". */
export function longNameOf({ flags }: Pick<CommandOption, "flags">): string {
  const name = /--([a-z-]+)/.exec(flags)?.[1];
  if (name === undefined) throw new TypeError(`Cannot name the option "${flags}": it has no long form`);
  return name;
}

/** Whether an option takes a value. */
export function takesValue({ flags }: Pick<CommandOption, "flags">): boolean {
  return flags.includes("<");
}
