/**
 * Reports a run whose expected state did not come: the object's story, the handlers that still run, the last warnings.
 */

import type { HandlerCall } from "../../engines/calls.ts";
import type { LedgerEntry, LedgerRecord } from "../../engines/ledger.ts";
import { namespacedName, type ObjectReference } from "../../model/references.ts";
import type { LogRecord } from "../../runtime/logging.ts";
import { show } from "./expectations.ts";

/** Everything that can be told. */
export interface Seen {
  readonly calls: readonly HandlerCall[];
  readonly logs: readonly LogRecord[];
  /** The story of the object in question, if it is known. */
  readonly record?: LedgerRecord;
  /** Handlers that use timers of the runtime's, which the run's clock does not move. */
  readonly realTimers: ReadonlyMap<string, string>;
  /** When the run began, and the present time, in milliseconds since 1970. */
  readonly began: number;
  readonly now: number;
}

const MOST_LINES = 5;

/** Returns the lines of a message. */
export function report(seen: Seen): string[] {
  return [...story(seen), ...waiting(seen), ...running(seen), ...timers(seen), ...complaints(seen)];
}

function story({ record, began }: Seen): string[] {
  if (record === undefined) return [];
  const lines = record.entries.slice(-MOST_LINES).map((entry) =>
    `  ${at(entry.time, began)} ${describe(entry, began)}`
  );
  return [`What happened to ${title(record.reference)}:`, ...lines];
}

function describe(entry: LedgerEntry, began: number): string {
  const { wake, reason, handlers, written, error, waits, gone } = entry;
  const called = handlers.filter(({ outcome }) => outcome !== undefined)
    .map(({ id, outcome, error }) => `${id}: ${error ?? outcome}`);
  const missed = handlers.filter(({ outcome, mismatch }) => outcome === undefined && mismatch !== undefined)
    .map(({ id, mismatch }) => `${id}: not called, its ${mismatch} does not match`);
  const parts = [
    [wake, reason].filter((each) => each !== undefined).join(", "),
    ...called,
    ...missed,
    written.length > 0 ? `wrote ${written.join(", ")}` : "",
    error === undefined ? "" : `failed: ${error}`,
    waits === undefined ? "" : `waits until ${at(waits.until, began)} (${waits.wake})`,
    gone ? "gone" : "",
  ];
  return parts.filter((each) => each !== "").join("; ");
}

/** Tells of handlers whose last attempt ended without an error, such as for children that are not ready. */
function waiting({ record, logs }: Seen): string[] {
  if (record === undefined) return [];
  const { name, namespace } = record.reference;
  const last = record.entries.findLast(({ handlers }) =>
    handlers.some(({ outcome }) => outcome !== undefined)
  );
  const waits = last?.handlers.filter(({ outcome }) => outcome === "children") ?? [];
  return waits.flatMap(({ id }) => {
    const told = logs.findLast(({ message, fields, reference }) =>
      message.endsWith(" waits") && fields.handler === id && reference?.name === name &&
      reference?.namespace === namespace
    );
    return told === undefined ? [] : [`Handler "${id}" waits: ${told.fields.reason}`];
  });
}

function running({ calls, now }: Seen): string[] {
  const open = calls.filter(({ outcome }) => outcome === undefined);
  if (open.length === 0) return [];
  const lines = open.slice(0, MOST_LINES).map(({ type, handler, object, time }) =>
    `  ${type.toLowerCase()} "${handler}"${object ? ` of ${title(object)}` : ""}, for ${
      (now - time) / 1000
    } s`
  );
  return ["Running:", ...lines];
}

function timers({ realTimers }: Seen): string[] {
  return [...realTimers].map(([handler, name]) => realTimerAdvice(handler, name));
}

/** Returns the advice for a handler that waits for real time. */
export function realTimerAdvice(handler: string, name: string): string {
  return `Handler "${handler}" uses ${name}(), whose time the test does not wind: let it wait with its \`clock\` argument, ` +
    "or start the run with `globals: true`";
}

function complaints({ logs, began }: Seen): string[] {
  const loud = logs.filter(({ level, logger }) => level === "error" || (level === "warn" && logger !== OWN));
  if (loud.length === 0) return ["Nothing was logged as a warning or an error"];
  return ["Warnings and errors, the last ones:", ...loud.slice(-MOST_LINES).map((each) => log(each, began))];
}

/** The name of the kit's own logger. */
export const OWN = "lotse.testing";

function log({ time, message, fields, reference }: LogRecord, began: number): string {
  const { error, stack: _stack, ...rest } = fields;
  const told = Object.entries(rest).map(([key, value]) => ` ${key}=${show(value)}`).join("");
  const about = reference === undefined ? "" : `[${namespacedName(reference)}] `;
  return `  ${at(time, began)} ${about}${message}${told}${error === undefined ? "" : `: ${error}`}`;
}

/** Such as `Tea "default/one"`. */
export function title(
  { kind = "object", ...reference }: Pick<ObjectReference, "kind" | "namespace" | "name">,
): string {
  return `${kind} "${namespacedName(reference)}"`;
}

function at(time: number, began: number): string {
  return `+${(time - began) / 1000} s`;
}
