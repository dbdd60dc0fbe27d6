/**
 * Errors in words, for log lines, notes and Kubernetes events: with their causes, and with the errors that an AggregateError holds.
 *
 * Some errors have no message: those of failed connections on Node (their errors are in a list), and errors of Bun that say all in a
 * code. Errors come from strangers: lists and chains are cut off, as they may be long or circular.
 */

/** How many causes are followed. */
const DEEPEST = 8;

/** How deep lists of errors are followed: an error in a list may hold another list. */
const NESTED = 2;

/** How many errors of a list are told. */
const MOST = 5;

/** Returns an error in one line: its name, its message, the errors in it, and its causes. */
export function errorText(error: unknown, write: (value: unknown) => string = String): string {
  return textOf(error, { write, depth: 0 });
}

/** Returns the message of an error; of one without a message, the messages of the errors in it, its code, or its name. */
export function errorMessage(error: unknown): string {
  return messageOf(error, 0);
}

function messageOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "" || depth > NESTED) return error.message;
  const inner = partsOf(error).slice(0, MOST).map((part) => messageOf(part, depth + 1));
  const said = [...new Set(inner)].filter((text) => text !== "");
  return said.length > 0 ? said.join("; ") : codeOf(error) ?? error.name;
}

/** Returns the errors that an error holds beside its cause: of `Promise.any()`, of several addresses of a host, of an author's own. */
export function partsOf(error: Error): readonly unknown[] {
  const { errors } = error as { readonly errors?: unknown };
  return Array.isArray(errors) ? errors : [];
}

interface Telling {
  readonly write: (value: unknown) => string;
  readonly depth: number;
}

function textOf(error: unknown, telling: Telling): string {
  let text = alone(error, telling);
  let cause = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; depth < DEEPEST && cause !== undefined; depth++) {
    if (!isSaid(text, cause)) text += `, caused by ${alone(cause, telling)}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return text;
}

/** Returns an error without its causes, and with the errors in it. */
function alone(error: unknown, { write, depth }: Telling): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : write(error);
  const parts = depth < NESTED ? partsOf(error) : [];
  if (parts.length === 0) return headOf(error);
  const told = parts.slice(0, MOST).map((part) => textOf(part, { write, depth: depth + 1 }));
  const more = parts.length > MOST ? [`and ${parts.length - MOST} more`] : [];
  return `${headOf(error)} [${[...told, ...more].join("; ")}]`;
}

function headOf(error: Error): string {
  const { name, message } = error;
  if (message !== "") return `${name}: ${message}`;
  const code = codeOf(error);
  return code === undefined ? name : `${name}: ${code}`;
}

/** Returns what an error without a message says: a code such as "ECONNREFUSED", and the call that has failed. */
function codeOf(error: Error): string | undefined {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  const words = [code, syscall].filter((word) => typeof word === "string" || typeof word === "number");
  return words.length === 0 ? undefined : words.join(" ");
}

/** Shorter ones may stand in a text by chance. In characters. */
const SHORTEST_STATE = 12;

/** Whether an error was told in the words of its cause, if only in the words after its subject: `Cannot read "a": it has gone`. */
function isSaid(text: string, cause: unknown): boolean {
  if (!(cause instanceof Error) || cause.message === "") return false;
  const { message } = cause;
  const end = message.indexOf('": ');
  const state = end < 0 ? message : message.slice(end + 3);
  return text.includes(state.length < SHORTEST_STATE ? message : state);
}
