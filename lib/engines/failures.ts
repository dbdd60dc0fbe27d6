/**
 * Remembers which handlers fail on which objects now, and says so where people look: in metrics, in `lotse why`, and in Kubernetes
 * events of the objects.
 *
 * A handler fails on an object from its first failed attempt until an attempt succeeds, the object calls for it no more, or the
 * object goes. A handler that has given up fails on, as its object is not as it should be. A turn that the framework itself could
 * not finish (the object cannot be read or written) counts as a handler without a name. Kept in memory, so that a
 * new process counts anew.
 */

import type { AttemptEnd, AttemptStart, Observer, ReconcileEnd, Subject } from "../execution/observer.ts";
import type { Outcome } from "../execution/handler.ts";
import { hideValues } from "../model/confidential.ts";
import type { FieldPath } from "../model/fields.ts";
import { groupResource, type Resource } from "../model/resource.ts";
import { errorMessage } from "../runtime/error_text.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** One handler that fails on one object. */
export interface Failure {
  /** The handler's id; "" where the framework could not finish a turn. */
  readonly handler: string;
  /** "Handler", "Daemon", "Timer" or "Indexer"; "Reconcile" where the framework could not finish a turn. */
  readonly noun: string;
  /** For counting. */
  readonly family: string;
  /** The name of the latest error, such as "TemporaryError". */
  readonly reason: string;
  /** Its message, without the values of confidential fields. */
  readonly message: string;
  /** When the first of the failed attempts ended, on the monotonic clock. */
  readonly since: Seconds;
  /** How many attempts have failed in a row. */
  readonly attempts: number;
  /** When the next attempt comes at the earliest, on the monotonic clock; undefined: as the object's turn is planned. */
  readonly due: Seconds | undefined;
  /** Whether the handler has given up: there is no next attempt. */
  readonly isFinal: boolean;
}

/** The words of an event about a failure. */
export interface FailureWords {
  readonly reason: string;
  readonly message: string;
}

export interface FailuresOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns the fields of a kind whose values must not be read off messages. */
  readonly confidentialOf: (resource: Resource) => readonly FieldPath[];
}

/** The failures of a handler, over all objects of a kind. */
export interface FailureCount {
  /** "plural.group". */
  readonly kind: string;
  readonly handler: string;
  readonly objects: number;
  /** For how long the object fails that has failed for longest. */
  readonly oldest: Seconds;
}

interface Page {
  readonly failures: Map<string, Failure & Said>;
  /** The cause of the object's latest turn. */
  cause: string;
}

/** The event that was posted of a failure last, and when. */
interface Said {
  said: Shape | undefined;
  saidAt: Seconds;
}

/** An event as far as it decides whether another one says the same. */
interface Shape {
  /** The reason, and whether the handler has given up. */
  readonly sort: string;
  /** The message, without numbers and ids: those of requests and attempts are others each time. */
  readonly message: string;
}

/** How long until the same failure of the same object is told again; shorter than a series of events lives. */
const REPEATED_AFTER: Seconds = 300;

/** The same for a failure of the same sort with another message, as texts of others may differ each time. */
const CHANGED_AFTER: Seconds = 30;

/** How many events of failures are posted at once, and how many in a second after that: thousands of objects may fail together. */
const BURST = 200;
const PER_SECOND = 10;

/** The observer that remembers. */
export class Failures implements Observer {
  readonly #options: FailuresOptions;
  readonly #objects = new Map<Subject, Page>();
  readonly #allowance: Allowance;
  #post: ((subject: Subject, words: FailureWords) => void) | undefined;

  constructor(options: FailuresOptions) {
    this.#options = options;
    this.#allowance = new Allowance(options.clock);
  }

  /** Sets the way in which events are posted. */
  attach(post: (subject: Subject, words: FailureWords) => void): void {
    this.#post = post;
  }

  /** How many objects have failing handlers. */
  get size(): number {
    return this.#objects.size;
  }

  /** The failures of one object, the oldest first. */
  of(subject: Subject): readonly Failure[] {
    return [...this.#objects.get(subject)?.failures.values() ?? []];
  }

  /** The failures of all objects, by kind and handler. */
  counts(): readonly FailureCount[] {
    const now = this.#options.clock.monotonic();
    const counts = new Map<string, FailureCount>();
    for (const [subject, { failures }] of this.#objects) {
      const kind = groupResource(subject.resource);
      const oldest = new Map<string, Seconds>();
      // Sub-handlers are counted together: an object counts once for all of a family.
      for (const { family, since } of failures.values()) {
        oldest.set(family, Math.max(oldest.get(family) ?? 0, now - since));
      }
      for (const [handler, age] of oldest) {
        const key = `${kind} ${handler}`;
        const known = counts.get(key) ?? { kind, handler, objects: 0, oldest: 0 };
        counts.set(key, { ...known, objects: known.objects + 1, oldest: Math.max(known.oldest, age) });
      }
    }
    return [...counts.values()];
  }

  decided(subject: Subject, { reason }: { readonly reason: string }): void {
    const page = this.#objects.get(subject);
    if (page !== undefined) page.cause = reason;
  }

  /** A handler that the object's new cause does not call fails no more; an object without a cause still shows what failed last. */
  judged(
    subject: Subject,
    { handler, mismatch }: { readonly handler: string; readonly mismatch: string | undefined },
  ): void {
    const page = this.#objects.get(subject);
    if (page === undefined || mismatch === undefined || !CAUSES.has(page.cause)) return;
    for (const key of page.failures.keys()) {
      if (key === handler || key.startsWith(`${handler}/`)) this.#end(subject, page, key);
    }
  }

  attemptCounts(subject: Subject | undefined, { noun, handler, family, retry, outcome }: AttemptEnd): void {
    // Reviews and activities are about no object that is watched, and say themselves how they ended.
    if (subject === undefined || !COUNTED.has(noun)) return;
    if (outcome.kind === "success") {
      const page = this.#objects.get(subject);
      if (page !== undefined) this.#end(subject, page, keyOf(noun, handler));
    } else if (outcome.kind !== "children") {
      this.#begin(subject, { noun, handler, family, retry }, outcome);
    }
  }

  backgroundStops(subject: Subject, { handler }: { readonly handler: string }): void {
    const page = this.#objects.get(subject);
    const key = keyOf("Daemon", handler);
    if (page?.failures.get(key)?.isFinal === false) this.#end(subject, page, key);
  }

  reconcileEnds(subject: Subject, { error, gone }: Pick<ReconcileEnd, "error" | "gone">): void {
    if (gone) {
      this.#objects.delete(subject);
    } else if (error !== undefined) {
      const attempts = this.#objects.get(subject)?.failures.get("")?.attempts ?? 0;
      const thrown = error instanceof Error ? error : new Error(String(error));
      const start = { noun: "Reconcile", handler: "", family: "", retry: attempts };
      this.#begin(subject, start, { kind: "retry", delay: 0, error: thrown });
    } else {
      const page = this.#objects.get(subject);
      if (page !== undefined) this.#end(subject, page, "");
    }
  }

  #begin(
    subject: Subject,
    { noun, handler, family, retry }: AttemptStart,
    outcome: Extract<Outcome, { readonly error: Error }>,
  ): void {
    const { kind, error } = outcome;
    const { clock, confidentialOf } = this.#options;
    let page = this.#objects.get(subject);
    if (page === undefined) this.#objects.set(subject, page = { failures: new Map(), cause: "" });
    const key = keyOf(noun, handler);
    const before = page.failures.get(key);
    const failure: Failure & Said = {
      noun,
      handler,
      family,
      due: kind === "retry" && noun !== "Reconcile" ? clock.monotonic() + outcome.delay : undefined,
      reason: error.name,
      message: hideValues(errorMessage(error), confidentialOf(subject.resource), subject.body),
      since: before?.since ?? clock.monotonic(),
      attempts: retry + 1,
      isFinal: kind === "failure",
      said: before?.said,
      saidAt: before?.saidAt ?? -Infinity,
    };
    page.failures.set(key, failure);
    this.#say(subject, failure, noun);
  }

  #end(subject: Subject, { failures }: Page, key: string): void {
    failures.delete(key);
    if (failures.size === 0) this.#objects.delete(subject);
  }

  /** Posts an event, unless the same one was posted a moment ago. */
  #say(subject: Subject, failure: Failure & Said, noun: string): void {
    // An event about an event would be one more event that its handlers fail with.
    if (this.#post === undefined || subject.resource.plural === "events") return;
    const words = wordsOf(failure, noun);
    const now = this.#options.clock.monotonic();
    const shape = shapeOf(words, failure);
    const age = now - failure.saidAt;
    if (failure.said?.sort === shape.sort) {
      if (age < (failure.said.message === shape.message ? REPEATED_AFTER : CHANGED_AFTER)) return;
    }
    // What is not told now is told by the next attempt.
    if (!this.#allowance.take()) return;
    failure.said = shape;
    failure.saidAt = now;
    this.#post(subject, words);
  }
}

const CAUSES: ReadonlySet<string> = new Set(["create", "update", "delete", "resume"]);

const COUNTED: ReadonlySet<string> = new Set(["Handler", "Daemon", "Timer", "Indexer"]);

/** Handlers of turns have ids of their own, as have daemons and timers, and as have indexes. */
function keyOf(noun: string, handler: string): string {
  if (noun === "Indexer") return `index:${handler}`;
  return noun === "Daemon" || noun === "Timer" ? `background:${handler}` : handler;
}

/** Returns the words of an event: without delays and numbers of attempts, so that repetitions are the same event. */
function wordsOf({ handler, reason, message, isFinal }: Failure, noun: string): FailureWords {
  if (handler === "") {
    return { reason: "ReconcileError", message: `Cannot finish with the object: ${reason}: ${message}` };
  }
  const state = isFinal ? "has given up" : "has failed, and is tried again";
  return { reason: wordOf(reason), message: `${noun} "${handler}" ${state}: ${message}` };
}

function shapeOf({ reason, message }: FailureWords, { isFinal }: Failure): Shape {
  const shape = message.replace(/[0-9a-f]+/gi, (run) => /[0-9]/.test(run) ? "#" : run);
  return { sort: `${reason} ${isFinal}`, message: shape };
}

/** A reason is one word; names of errors may be anything. */
function wordOf(name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? name : "Error";
}

/** So many now, and so many in a second. */
class Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  #left = BURST;
  #at: Seconds;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  take(): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(BURST, this.#left + (now - this.#at) * PER_SECOND);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
