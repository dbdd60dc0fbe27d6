/**
 * Times changes: from the event that brings a change of an object to the end of the turn that has handled it. It is the indicator by
 * which the service of an operator is measured.
 *
 * A change that comes while an earlier one is being handled belongs to the earlier one, as one turn handles both. A
 * change counts once: when it is handled, when its handlers have given up (as not handled), or when it has waited for longer than the
 * longest bucket, handled or not; so an operator that hangs does not look as if it had nothing to do.
 */

import type { ReconcileEnd, Subject } from "../../execution/observer.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";

/** In seconds: from "at once" to "people have asked by now". */
export const CHANGE_BUCKETS: number[] = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600];

const LONGEST: Seconds = 600;

/** Counted for a change that was given up: beyond all buckets, and finite, so that the sum stays a number. */
const NEVER: Seconds = 2 * LONGEST;

export interface ChangesOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Counts a change. */
  readonly count: (subject: Subject, seconds: Seconds) => void;
}

/** One change that is not handled yet. */
interface Change {
  readonly since: Seconds;
  /** Whether the object calls for handlers; undefined: no turn has found that out. */
  isWanted: boolean | undefined;
  reason: string | undefined;
  /** The handlers that wait, or are tried again. */
  open: Set<string> | undefined;
  hasGivenUp: boolean;
}

/** The changes that are not handled yet, the oldest first. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #changes = new Map<Subject, Change>();

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** An event has come. */
  came(subject: Subject): void {
    if (this.#changes.has(subject)) return;
    const since = this.#options.clock.monotonic();
    this.#changes.set(subject, {
      since,
      isWanted: undefined,
      reason: undefined,
      open: undefined,
      hasGivenUp: false,
    });
  }

  /** The cause of the object's turn is known. A resumption is no change. */
  decided(subject: Subject, reason: string): void {
    const change = this.#changes.get(subject);
    if (change === undefined) return;
    if (reason === "noop" || reason === "resume") change.isWanted ??= false;
    // Handlers of an earlier cause are not called again.
    if (reason !== change.reason) change.open = undefined;
    change.reason = reason;
  }

  /** A handler is called. */
  begins(subject: Subject): void {
    const change = this.#changes.get(subject);
    if (change !== undefined && change.reason !== "resume") change.isWanted = true;
  }

  /** An attempt of a handler counts as this. */
  counts(
    subject: Subject,
    { handler, outcome }: {
      readonly handler: string;
      readonly outcome: "success" | "retry" | "failure" | "children";
    },
  ): void {
    const change = this.#changes.get(subject);
    if (change === undefined) return;
    if (outcome === "retry" || outcome === "children") (change.open ??= new Set()).add(handler);
    else change.open?.delete(handler);
    if (outcome === "failure") change.hasGivenUp = true;
  }

  /** A turn of the object has ended. `error`: the framework could not finish it; `after` 0: the next turn goes on at once. */
  turnEnds(
    subject: Subject,
    { error, after, gone = false }: Pick<ReconcileEnd, "error" | "after" | "gone">,
  ): void {
    const change = this.#changes.get(subject);
    if (change === undefined) return;
    const { isWanted, open, hasGivenUp, since } = change;
    const goesOn = error !== undefined || after === 0 || (open !== undefined && open.size > 0);
    if (goesOn && !gone) return;
    this.#changes.delete(subject);
    if (isWanted !== true) return;
    this.#options.count(subject, hasGivenUp ? NEVER : this.#options.clock.monotonic() - since);
  }

  /** Counts changes that have waited for too long; their end is not counted any more. */
  look(): void {
    const limit = this.#options.clock.monotonic() - LONGEST;
    for (const [subject, { since, isWanted }] of this.#changes) {
      if (since > limit) return;
      this.#changes.delete(subject);
      if (isWanted !== false) this.#options.count(subject, NEVER);
    }
  }
}
