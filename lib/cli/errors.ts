/**
 * Errors as the command line tells them: one sentence and what to do, no stack unless asked for.
 *
 * Two kinds are told apart by their exit code: mistakes on the command line (2), and all others (1).
 */

import { formatJson } from "../runtime/json.ts";

// deno-lint-ignore no-control-regex -- Deno colours its messages, whether or not anybody looks
const COLOUR = /\x1b\[\d*m/g;

/** Exit codes, the same for all commands. */
export const EXIT = {
  /** Done, or stopped gracefully by a signal. */
  done: 0,
  /** The operator, or the command, failed. */
  failed: 1,
  /** Wrong usage: unknown option or command, wrong value, missing argument. */
  usage: 2,
  /** A simulation has found a broken rule, or a rehearsal a difference. */
  finding: 3,
  /** Killed by a second signal. */
  killed: 130,
} as const;

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An error that a user can understand and mend: exit code 1, and never a stack unless asked for. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A program that a command has run has ended: its exit code is the command's, and no message is printed. */
export class ProgramEnd extends Error {
  override readonly name = "ProgramEnd";
  readonly code: number;

  constructor(code: number) {
    super(`The program ended with code ${code}`);
    this.code = code;
  }
}

/** Returns the exit code that an error stands for. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

/** Whether an error, or one of its causes, says that another program listens at an address. */
export function isPortTaken(error: unknown): boolean {
  return chainOf(error).some((each) => each instanceof Error && "code" in each && each.code === "EADDRINUSE");
}

/** Returns an error in words: its message and the messages of its causes, but for repetitions. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (const each of chainOf(error)) {
    const message = messageOf(each);
    const [line = ""] = message.split("\n");
    const gist = line.replace(/ at file:\/\/\S+$/, ""); // as Deno ends messages about modules that it cannot link
    if (!parts.some((part) => part.includes(gist))) parts.push(message);
  }
  return parts.join(": ");
}

/** Returns the stacks of an error and of its causes. */
export function stackOf(error: unknown): string {
  return chainOf(error)
    .map((each) => each instanceof Error && each.stack ? each.stack : messageOf(each))
    .join("\nCaused by: ");
}

/** The error and its causes, the outermost first; at most ten, for a chain may be a circle. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let each = error; each !== undefined && each !== null && chain.length < 10;) {
    chain.push(each);
    each = each instanceof Error ? each.cause : undefined;
  }
  return chain.length > 0 ? chain : [error];
}

/** Takes terminal colours out of a text. */
export function withoutColours(text: string): string {
  return text.replaceAll(COLOUR, "");
}

function messageOf(error: unknown): string {
  return withoutColours(textOf(error));
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error === "object" ? formatJson(error) : String(error);
  }
  if (error instanceof AggregateError && error.message === "") return error.errors.map(textOf).join("; ");
  return error.message || error.name;
}
