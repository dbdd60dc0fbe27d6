/**
 * Remembers, for each object, its wakes, its causes, the calls and writes for it, and its waits.
 *
 * It answers "why did this happen, and why did that not?" without a debugger: for tests, and for `explain`. Bounded for
 * each object and in all; the objects that were reconciled longest ago go first. Events without
 * news are not kept. Source: docs/architecture.md.
 */

import type {
  AttemptEnd,
  AttemptStart,
  BackgroundWriter,
  Observer,
  ReconcileEnd,
  ReconcileStart,
  Subject,
  Written,
} from "../execution/observer.ts";
import { changedPaths } from "../model/changed_paths.ts";
import type { Diff } from "../model/diff.ts";
import { formatField } from "../model/fields.ts";
import { type ObjectReference, objectReference, type Referable } from "../model/references.ts";
import { groupResource } from "../model/resource.ts";
import { errorMessage } from "../runtime/error_text.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** The outcome of a handler in one reconcile of an object. */
export interface LedgerHandler {
  /** The handler's id. */
  readonly id: string;
  /** Which of its criteria does not hold: "reason", "labels", "annotations", "field", "change", "when", "error", "id". Undefined: it matches. */
  readonly mismatch?: string;
  /** How its call ended; undefined if it was not called. "refused": well, but the server refused its write. */
  readonly outcome?: "success" | "failure" | "retry" | "children" | "refused";
  /** The error that it threw, or with which the server refused. */
  readonly error?: string;
  /** The children or sub-handlers that it waits for, in words. */
  readonly waitsFor?: string;
}

/** One reconcile of an object. */
export interface LedgerEntry {
  /** When, in milliseconds since 1970. */
  readonly time: number;
  /**
   * Why: "event", "retry", "write" (our own write came back), "error" (the reconcile before failed), "dependency"; "daemon" or
   * "timer" if one has written, which is no reconcile.
   */
  readonly wake: string;
  /** The types of the events that came; null for objects of a listing. */
  readonly events: readonly (string | null)[];
  /** Changes on the object since the reconcile before: dotted paths, sixteen at most. */
  readonly changed: readonly string[];
  /** The reason that the object's state gave; undefined if no change handler could want it. */
  readonly reason?: string;
  /** Differences from the state that was handled last: dotted paths, sixteen at most. */
  readonly diff: readonly string[];
  /** Handlers that were asked or called, in order. */
  readonly handlers: readonly LedgerHandler[];
  /** Fields that handlers wrote: dotted paths, sixteen at most. */
  readonly written: readonly string[];
  /** How many requests changed the object. */
  readonly writes: number;
  /** Why it failed, if it did. */
  readonly error?: string;
  /** How long it took. */
  readonly seconds: Seconds;
  /**
   * The time that it waits for now, in milliseconds since 1970 and on the monotonic clock, and why. Undefined: it waits for an
   * event.
   */
  readonly waits?: { readonly until: number; readonly due: Seconds; readonly wake: string };
  /** Whether the object has gone. */
  readonly gone: boolean;
  /** Whether no handler looks at the fields that have changed, so that there was no reconcile. Of several in a row the latest is kept. */
  readonly isPassed?: boolean;
}

/** A call of a handler that goes on. */
export interface LedgerCall {
  /** The handler's id. */
  readonly id: string;
  /** "Handler", "Daemon", "Timer", and so on. */
  readonly noun: string;
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  /** For how long it has gone on. */
  readonly seconds: Seconds;
  /** How many attempts in a row have failed before. */
  readonly retry: number;
}

/** The calls of one handler that go on, over all objects of a kind. */
export interface RunningCalls {
  /** "plural.group". */
  readonly kind: string;
  readonly handler: string;
  readonly calls: number;
  /** For how long the longest has gone on. */
  readonly oldest: Seconds;
}

/** The record of one object. */
export interface LedgerRecord {
  /** Which object. */
  readonly reference: ObjectReference;
  /** Its latest reconciles, the oldest first. A look at our own write, which finds nothing to do, is a part of the one that has written. */
  readonly entries: readonly LedgerEntry[];
  /** The reconcile that goes on; undefined: none does. */
  readonly current: LedgerEntry | undefined;
  /** The calls that go on, those of daemons and timers included. */
  readonly calls: readonly LedgerCall[];
}

export interface LedgerOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** How many reconciles are kept for each object. Default: 10. */
  readonly perObject?: number;
  /** How many objects are remembered. Default: 2000. */
  readonly objects?: number;
}

/** How many handlers and paths are kept of one reconcile. */
const MOST_HANDLERS = 64;
const MOST_PATHS = 16;

/**
 * By how much more objects are remembered before the oldest are forgotten. Finding the first entry of a map whose first entries
 * were deleted takes long.
 */
const SLACK = 0.1;

type Draft = { -readonly [Key in keyof LedgerEntry]: LedgerEntry[Key] };

interface Page {
  reference: ObjectReference;
  readonly entries: LedgerEntry[];
}

// An entry outlives the turn that it is about, and most turns are alike: parts that are equal are one value. What is collected late
// is most of the ledger's cost, and hardly any of it is its own work.

const NONE: readonly never[] = Object.freeze([]);

/** The events of nearly all turns. */
const SINGLE_EVENTS: ReadonlyMap<string | null, readonly (string | null)[]> = new Map(
  [null, "ADDED", "MODIFIED", "DELETED"].map((type) => [type, Object.freeze([type])]),
);

/** Of how many handlers such values are kept for each state: ids of sub-handlers may be many. */
const MOST_SHARED = 1000;

/** Keeps the records. */
export class Ledger implements Observer {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #perObject: number;
  readonly #objects: number;
  /** The one that was reconciled longest ago is the first. */
  readonly #pages = new Map<string, Page>();
  readonly #drafts = new Map<Subject, Draft>();
  /** By mismatch (or "success", or ""), and then by id: lists of one handler of which no more is known than this. */
  readonly #shared = new Map<string, Map<string, readonly [LedgerHandler]>>();
  readonly #calls = new Map<AttemptStart, { readonly subject: Subject; readonly since: Seconds }>();

  constructor({ clock, perObject = 10, objects = 2000 }: LedgerOptions) {
    this.#clock = clock;
    this.#perObject = perObject;
    this.#objects = objects;
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#pages.size;
  }

  /** The calls that go on, by kind and handler; of daemons, too. */
  running(): readonly RunningCalls[] {
    const now = this.#clock.monotonic();
    const counts = new Map<string, RunningCalls>();
    for (const [{ handler }, { subject, since }] of this.#calls) {
      const kind = groupResource(subject.resource);
      const { calls = 0, oldest = 0 } = counts.get(`${kind} ${handler}`) ?? {};
      counts.set(`${kind} ${handler}`, {
        kind,
        handler,
        calls: calls + 1,
        oldest: Math.max(oldest, now - since),
      });
    }
    return [...counts.values()];
  }

  /** Returns the record of an object, by its uid, or else by its name (and kind, and namespace, where they are given). */
  of(object: Referable): LedgerRecord | undefined {
    const wanted = objectReference(object);
    const page = [...this.#pages.values()].reverse().find(({ reference }) => isSame(reference, wanted));
    const current = [...this.#drafts].find(([{ resource, body }]) =>
      isSame({ kind: resource.kind, ...objectReference(body) }, wanted)
    );
    const calls = [...this.#calls].filter(([, { subject: { resource, body } }]) =>
      isSame({ kind: resource.kind, ...objectReference(body) }, wanted)
    );
    const reference = page?.reference ??
      (current && objectReference(current[0].body)) ??
      (calls[0] && objectReference(calls[0][1].subject.body));
    if (reference === undefined) return undefined;
    return {
      reference,
      entries: page?.entries ?? [],
      current: current?.[1],
      calls: calls.map(([{ handler: id, noun, retry }, { since }]) => {
        const seconds = this.#clock.monotonic() - since;
        return { id, noun, retry, seconds, time: this.#clock.now() - seconds * 1000 };
      }),
    };
  }

  /** Notes the latest event that no handler looks at: such changes come again and again, and must not push out all other entries. */
  passed(subject: Subject, { before, after }: Parameters<NonNullable<Observer["passed"]>>[1]): void {
    const entries = this.#pages.get(subject.key)?.entries;
    // It is no reconcile, so that it keeps no object from being forgotten.
    if (entries === undefined) return;
    if (entries.at(-1)?.isPassed === true) entries.pop();
    const entry = this.#begin("event");
    entry.events = typesOf([{ type: "MODIFIED" }]);
    entry.changed = changedPaths({ status: before.status }, { status: after.status });
    entry.isPassed = true;
    entries.push(entry);
    if (entries.length > this.#perObject) entries.shift();
  }

  reconcileBegins(subject: Subject, { wake, events }: ReconcileStart): void {
    const draft = this.#begin(wake);
    draft.events = typesOf(events);
    this.#drafts.set(subject, draft);
  }

  /** The result of our own write is not compared: comparing costs most in all of this. */
  adopted(subject: Subject, { before, after }: Parameters<NonNullable<Observer["adopted"]>>[1]): void {
    const draft = this.#drafts.get(subject);
    if (draft !== undefined && draft.writes === 0) {
      draft.changed = added(draft.changed, changedPaths(before, after));
    }
  }

  decided(subject: Subject, { reason, diff }: { readonly reason: string; readonly diff: Diff }): void {
    const draft = this.#drafts.get(subject);
    if (draft === undefined) return;
    draft.reason = reason;
    // A new object differs everywhere.
    if (reason === "create" || diff.length === 0) return;
    draft.diff = added(draft.diff, diff.slice(0, MOST_PATHS).map(({ path }) => formatField(path)));
  }

  judged(
    subject: Subject,
    verdict: { readonly handler: string; readonly mismatch: string | undefined },
  ): void {
    const draft = this.#drafts.get(subject);
    if (draft === undefined) return;
    append(draft, this.#plain(verdict.handler, { mismatch: verdict.mismatch }));
  }

  attemptBegins(subject: Subject | undefined, attempt: AttemptStart): void {
    if (subject !== undefined) this.#calls.set(attempt, { subject, since: this.#clock.monotonic() });
  }

  attemptEnds(subject: Subject | undefined, { handler, outcome, start }: AttemptEnd): void {
    this.#calls.delete(start);
    const draft = subject && this.#drafts.get(subject);
    if (draft === undefined) return;
    const { handlers } = draft;
    const place = handlers.findIndex(({ id, mismatch }) => id === handler && mismatch === undefined);
    const alone: readonly [LedgerHandler] = outcome.kind === "success"
      ? this.#plain(handler, { outcome: "success" })
      : outcome.kind === "children"
      ? [{ id: handler, outcome: outcome.kind, waitsFor: outcome.reason }]
      : [{ id: handler, outcome: outcome.kind, error: `${outcome.error.name}: ${outcome.error.message}` }];
    if (place < 0) append(draft, alone);
    else draft.handlers = handlers.length === 1 ? alone : handlers.with(place, alone[0]);
  }

  written(subject: Subject, { paths, writes, by }: Written): void {
    if (by !== undefined) return this.#writtenBeside(subject, { paths, writes, by });
    const draft = this.#drafts.get(subject);
    if (draft === undefined) return;
    draft.written = added(draft.written, paths);
    draft.writes += writes;
  }

  refused(
    subject: Subject,
    refusal: { readonly handlers: readonly string[]; readonly error: Error },
  ): void {
    const draft = this.#drafts.get(subject);
    if (draft === undefined) return;
    const error = `${refusal.error.name}: ${errorMessage(refusal.error)}`;
    draft.handlers = draft.handlers.map((each) =>
      each.outcome === "success" && refusal.handlers.includes(each.id)
        ? { id: each.id, outcome: "refused", error }
        : each
    );
  }

  reconcileEnds(
    subject: Subject,
    { seconds, error, after, wake = "retry", unchanged, gone = false }: ReconcileEnd,
  ): void {
    const draft = this.#drafts.get(subject);
    this.#drafts.delete(subject);
    if (draft === undefined || (unchanged === true && error === undefined && draft.handlers.length === 0)) {
      return;
    }
    draft.seconds = seconds;
    draft.gone = gone;
    if (error !== undefined) {
      draft.error = error instanceof Error ? `${error.name}: ${errorMessage(error)}` : String(error);
    }
    if (after !== undefined && after > 0) {
      draft.waits = { until: this.#clock.now() + after * 1000, due: this.#clock.monotonic() + after, wake };
    }
    const before = this.#pages.get(subject.key)?.entries;
    const last = before?.at(-1);
    if (before === undefined || last === undefined || last.writes === 0 || !isEcho(draft)) {
      return this.#keep(subject, draft);
    }
    // The reconcile that has written is not over before its own write was looked at.
    before.splice(-1, 1, { ...last, waits: draft.waits, gone });
  }

  /** Notes writes beside reconciles. The many writes of one daemon or timer must not push out all other entries. */
  #writtenBeside(
    subject: Subject,
    { paths, writes, by }: Pick<Written, "paths" | "writes"> & { readonly by: BackgroundWriter },
  ): void {
    const entries = this.#pages.get(subject.key)?.entries;
    const before =
      entries?.findLastIndex(({ wake, handlers }) => wake === by.type && handlers[0]?.id === by.handler) ??
        -1;
    if (before >= 0) entries?.splice(before, 1);
    const entry = this.#begin(by.type);
    entry.handlers = [{ id: by.handler }];
    entry.written = paths.slice(0, MOST_PATHS);
    entry.writes = writes;
    this.#keep(subject, entry);
  }

  #plain(
    id: string,
    { mismatch, outcome }: Pick<LedgerHandler, "mismatch" | "outcome">,
  ): readonly [LedgerHandler] {
    const state = mismatch ?? outcome ?? "";
    let shared = this.#shared.get(state);
    if (shared === undefined) this.#shared.set(state, shared = new Map());
    const known = shared.get(id);
    if (known !== undefined) return known;
    const alone = [outcome === undefined ? { id, mismatch } : { id, outcome }] as const;
    if (shared.size < MOST_SHARED) shared.set(id, alone);
    return alone;
  }

  #begin(wake: string): Draft {
    return {
      time: this.#clock.now(),
      wake,
      events: NONE,
      changed: NONE,
      diff: NONE,
      handlers: NONE,
      written: NONE,
      writes: 0,
      seconds: 0,
      gone: false,
    };
  }

  #keep(subject: Subject, entry: LedgerEntry): void {
    const { key } = subject;
    const page = this.#pages.get(key) ?? { reference: {}, entries: [] };
    const { name, uid } = subject.body.metadata;
    // A watch may have told no more than the name of an object that vanished.
    if (name !== undefined && (name !== page.reference.name || uid !== page.reference.uid)) {
      page.reference = objectReference(subject.body);
      page.reference.kind ??= subject.resource.kind;
    }
    this.#pages.delete(key);
    this.#pages.set(key, page);
    page.entries.push(entry);
    if (page.entries.length > this.#perObject) page.entries.shift();
    if (this.#pages.size > this.#objects * (1 + SLACK)) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const key of this.#pages.keys()) {
      if (this.#pages.size <= this.#objects) return;
      this.#pages.delete(key);
    }
  }
}

/** Whether a reconcile has only looked at the result of our own write, and found nothing to do. */
function isEcho({ wake, changed, reason, handlers, writes, error }: LedgerEntry): boolean {
  if (error !== undefined || writes > 0 || reason === "delete") return false;
  if (wake !== "write" && (wake !== "event" || changed.length > 0)) return false;
  return handlers.every(({ outcome }) => outcome === undefined);
}

/** The list of a handler alone may be shared, so that it is never changed. */
function append(draft: Draft, alone: readonly [LedgerHandler]): void {
  const { handlers } = draft;
  if (handlers.length >= MOST_HANDLERS) return;
  if (handlers.length === 0) draft.handlers = alone;
  else if (handlers.length === 1) draft.handlers = [...handlers, alone[0]];
  // From two on it is the draft's own.
  else (handlers as LedgerHandler[]).push(alone[0]);
}

/** Returns the list with the paths that it lacks. */
function added(list: readonly string[], paths: readonly string[]): readonly string[] {
  const fresh = paths.filter((path) => !list.includes(path));
  return fresh.length === 0 ? list : [...list, ...fresh].slice(0, MOST_PATHS);
}

function typesOf(events: readonly { readonly type: string | null }[]): readonly (string | null)[] {
  const [first] = events;
  const single = events.length === 1 && first !== undefined ? SINGLE_EVENTS.get(first.type) : undefined;
  return single ?? (events.length === 0 ? NONE : events.map(({ type }) => type));
}

function isSame(known: ObjectReference, wanted: ObjectReference): boolean {
  if (wanted.uid !== undefined && known.uid !== undefined) return known.uid === wanted.uid;
  const keys = ["apiVersion", "kind", "namespace"] as const;
  return known.name === wanted.name &&
    keys.every((key) => wanted[key] === undefined || known[key] === wanted[key]);
}
