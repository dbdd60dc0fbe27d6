/** The words in which `why` speaks of looks, causes and durations. Pure. */

import type { LedgerEntry, LedgerHandler } from "../engines/ledger.ts";
import type { ChangeCause } from "../handlers/change/change_cause.ts";
import type { ChangeHandler } from "../handlers/change/change_handler.ts";
import type { Seconds } from "../runtime/host.ts";

export interface LookOptions {
  /** The judgements of the handlers about the state that the look has seen, if that is the present one. */
  readonly judged: readonly { readonly id: string; readonly state: string }[];
  /** Takes confidential values out of a text. */
  readonly hide: (text: string) => string;
}

/** Returns one look at an object in one sentence. */
export function lookWords(entry: LedgerEntry, { judged, hide }: LookOptions): string {
  const { wake, changed, handlers, written, error, seconds: took, isPassed, waits } = entry;
  const parts: string[] = [];
  const skipped = judged.filter(({ state }) => state.startsWith(SKIPPED));
  const isTold = (id: string): boolean => skipped.some((each) => each.id === id);
  if (isPassed) parts.push(`${listOf(changed)} changed, which no handler looks at`);
  else parts.push(WAKES[wake] ?? wake);
  if (!isPassed && changed.length > 0) parts.push(`${listOf(changed)} changed`);
  for (const { id, outcome, mismatch, waitsFor, error: thrown } of handlers) {
    const message = thrown ?? waitsFor;
    const words = message === undefined ? "" : `: ${hide(message)}`;
    if (outcome !== undefined) parts.push(`${id} ${OUTCOMES[outcome]}${words}`);
    else if (mismatch !== undefined && !isTold(id)) {
      parts.push(`skipped ${id}: ${MISMATCHES[mismatch] ?? mismatch}`);
    }
  }
  const isCalled = handlers.some(({ outcome }) => outcome !== undefined);
  if (!isPassed && !isCalled && wake !== "daemon" && wake !== "timer") {
    for (const { id, state } of skipped) parts.push(`skipped ${id}: ${state.slice(SKIPPED.length)}`);
    if (parts.length === 1) parts.push("no handler was called");
  }
  if (written.length > 0) parts.push(`wrote ${listOf(written)}`);
  if (error !== undefined) parts.push(`failed: ${hide(error)}`);
  if (waits !== undefined) parts.push(`next turn at ${new Date(waits.until).toISOString()}`);
  if (took >= 1) parts.push(`took ${seconds(took)}`);
  return parts.join("; ");
}

/** The beginning of the state of a handler that is not called. */
export const SKIPPED = "skipped: ";

/** The hint that follows a refusal for want of a right. */
export const MISSING_RIGHT =
  " Its service account lacks a right: grant it (`lotse generate rbac` prints the rights that the operator needs).";

const WAKES: Readonly<Record<string, string>> = {
  event: "an event came",
  retry: "a planned turn",
  write: "our own write came back",
  error: "the turn before had failed",
  dependency: "another object changed",
  daemon: "a daemon wrote",
  timer: "a timer wrote",
};

const OUTCOMES: Readonly<Record<string, string>> = {
  success: "succeeded",
  failure: "gave up",
  retry: "failed",
  children: "has not finished",
  refused: "was refused by the server",
};

const MISMATCHES: Readonly<Record<string, string>> = {
  reason: "it is for another cause",
  labels: "its labels do not match",
  annotations: "its annotations do not match",
  field: "its field does not match",
  change: "its field has not changed as wanted",
  when: "its condition does not hold",
  error: "its filter failed",
  id: "another handler of that id was called",
};

/** Returns why a handler of changes is not called for this cause; undefined: it is. */
export function reasonWords({ reason, initial }: ChangeHandler, cause: ChangeCause): string | undefined {
  if (initial) return "it is called only when the operator starts, for objects that are there then";
  if (reason === cause.reason) return undefined;
  if (reason === undefined && cause.reason !== "noop" && cause.reason !== "free") return undefined;
  if (cause.reason === "noop") {
    return reason === "create"
      ? "it is for creations, and the object was handled before"
      : reason === "delete"
      ? "it is for deletions, and the object is not being deleted"
      : "the object has not changed since it was handled";
  }
  const wanted = NOUNS[reason ?? ""] ?? "changes";
  return cause.reason === "free"
    ? reason === "delete"
      ? "the deletion was handled"
      : `it is for ${wanted}, and the object is being deleted`
    : `it is for ${wanted}, and this is ${PRESENT_CAUSES[cause.reason] ?? cause.reason}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  create: "creations",
  update: "updates",
  delete: "deletions",
  resume: "the start of the operator",
};

const PRESENT_CAUSES: Readonly<Record<string, string>> = {
  create: "a creation",
  update: "an update",
  delete: "a deletion",
  resume: "the start of the operator",
};

/** Returns the outcome that a handler had when it was called last. */
export function findLast(entries: readonly LedgerEntry[], handler: string): LedgerHandler | undefined {
  for (const { handlers } of [...entries].reverse()) {
    const found = handlers.find(({ id, outcome }) => id === handler && outcome !== undefined);
    if (found !== undefined) return found;
  }
}

/** Lists some, and says how many more there are. */
export function listOf(words: readonly string[]): string {
  return words.slice(0, 8).join(", ") + (words.length > 8 ? `, and ${words.length - 8} more` : "");
}

/** Returns the text with a small letter at its beginning. */
export function lower(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

/** Returns a duration in words. */
export function seconds(value: Seconds): string {
  return value < 120 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`;
}
