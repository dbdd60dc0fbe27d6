/**
 * Changes that could not be written yet: kept by their author (an object's reconciles, one daemon), and sent with its next write.
 *
 * It holds the changes of handlers. The framework's own notes are made anew each time, but for notes that wait for functions.
 */

import type { JsonObject } from "../model/object.ts";
import { joinPatches, Patch, type PatchFunction } from "../model/patch.ts";
import type { Logger } from "../runtime/logging.ts";
import type { AttemptEnd } from "./observer.ts";
import type { FinalizerChange } from "./write_requests.ts";

const NO_ATTEMPTS: readonly AttemptEnd[] = [];

/** A write that the server would refuse for ever, and the ids of the handlers whose attempts have failed by that. */
export interface Refusal {
  readonly error: Error;
  readonly handlers: readonly string[];
}

/** A write on its way: a merge patch, and functions that come after it. */
export interface Outgoing {
  readonly content: JsonObject;
  readonly fns: readonly PatchFunction[];
}

interface Kept {
  /** Undefined once `takeLost()` has taken its functions. */
  patch: Patch | undefined;
  /** Ids of the handlers whose changes are in it. */
  readonly handlers: readonly string[];
  /** How many writes in a row were kept. 0: these are functions that lost a race. */
  readonly failures: number;
  /** How many writes in a row have lost a race. */
  readonly races: number;
}

/** The framework's own changes, which wait for functions. */
export interface PendingNotes {
  readonly notes?: Patch;
  readonly finalizer?: FinalizerChange;
  /** Whether the notes end a cause. */
  readonly concludes?: boolean;
}

/** The pending changes of one author of writes. */
export class PendingWrite {
  #notes: PendingNotes | undefined;
  // Made when it is needed: most objects never have one.
  #kept: Kept | undefined;
  /** Attempts that have ended well, and whose changes are pending: the server may refuse them. */
  #undecided: readonly AttemptEnd[] = NO_ATTEMPTS;

  get isEmpty(): boolean {
    return this.patch?.isEmpty ?? true;
  }

  /** The notes that go out after functions that lost a race: they say that the functions' handlers have ended. */
  get notes(): PendingNotes | undefined {
    return this.#notes;
  }

  /** The patch that is kept; undefined if there is none. */
  get patch(): Patch | undefined {
    return this.#kept?.patch;
  }

  /** Whether patch functions are pending: they come before handlers, which are to see their changes. */
  get hasFunctions(): boolean {
    return (this.patch?.fns.length ?? 0) > 0;
  }

  /** Ids of the handlers whose changes are pending. */
  get handlers(): readonly string[] {
    return this.#kept?.handlers ?? [];
  }

  /** How many writes in a row were kept. */
  get failures(): number {
    return this.#kept?.failures ?? 0;
  }

  /** How many writes in a row have lost a race. */
  get races(): number {
    return this.#kept?.races ?? 0;
  }

  /** Returns the kept changes, followed by the handlers' new ones. Fields that JSON cannot express are dropped from `patch`. */
  compose(patch: Patch, logger: Logger): Outgoing {
    const { patch: kept } = this;
    const content = toContent(patch, logger);
    if (kept === undefined) return { content, fns: patch.fns };
    return { content: joinPatches(kept.toMergePatch(), content), fns: [...kept.fns, ...patch.fns] };
  }

  /** Keeps a patch that could not be sent, without the notes: they are made anew. */
  keep(patch: Patch, handlers: readonly string[] = []): void {
    const kept = new Patch(this.patch?.toMergePatch());
    kept.merge(patch.toMergePatch());
    kept.fns.push(...this.patch?.fns ?? [], ...patch.fns);
    const { failures, races } = this;
    this.#kept = { patch: kept, handlers: this.#with(handlers), failures: failures + 1, races };
  }

  /** Keeps notes until the functions are written that they wait for. */
  keepNotes(notes: PendingNotes): void {
    this.#notes = notes;
  }

  /** Everything is written. */
  settle(): void {
    this.#notes = undefined;
    this.#kept = undefined;
  }

  /** Everything is written, but for functions that lost a race, and the notes that wait for them. */
  keepLost(fns: readonly PatchFunction[], handlers: readonly string[] = []): void {
    const patch = new Patch();
    patch.fns.push(...fns);
    this.#kept = { patch, handlers: this.#with(handlers), failures: 0, races: this.races + 1 };
  }

  /** Drops the patch, which would be refused for ever. */
  drop(): void {
    this.#notes = undefined;
    this.#kept = undefined;
    // They have failed by that, and are judged anew.
    this.#undecided = NO_ATTEMPTS;
  }

  /**
   * Takes successful attempts, and keeps each one whose handler has pending changes. Returns the attempts that count now: the
   * other new ones, and kept ones whose changes are written or whose handler has been called again.
   */
  decide(ended: Iterable<AttemptEnd>): Iterable<AttemptEnd> {
    if (this.#undecided.length === 0 && this.handlers.length === 0) return ended;
    const fresh = [...ended];
    const isOpen = ({ handler }: AttemptEnd): boolean => this.handlers.includes(handler);
    const isLatest = ({ handler }: AttemptEnd): boolean => !fresh.some((each) => each.handler === handler);
    const earlier = this.#undecided;
    this.#undecided = [...earlier.filter((end) => isOpen(end) && isLatest(end)), ...fresh.filter(isOpen)];
    return [...earlier, ...fresh].filter((end) => !this.#undecided.includes(end));
  }

  /** Returns the attempts whose changes were never written, and keeps them no longer. */
  abandon(): readonly AttemptEnd[] {
    const left = this.#undecided;
    this.#undecided = NO_ATTEMPTS;
    return left;
  }

  /** Takes out the functions that lost a race, for a daemon that puts them into a patch of its own. */
  takeLost(): readonly PatchFunction[] {
    const kept = this.#kept;
    if (kept?.patch === undefined || kept.failures > 0) return [];
    const { fns } = kept.patch;
    kept.patch = undefined;
    return fns;
  }

  #with(handlers: readonly string[]): readonly string[] {
    return [...new Set([...this.handlers, ...handlers])];
  }
}

/** Returns the patch as JSON. If JSON cannot express it, its fields are dropped, and the functions stay. */
function toContent(patch: Patch, logger: Logger): JsonObject {
  try {
    return patch.toMergePatch();
  } catch (error) {
    logger.error("Cannot write what handlers have put into the patch: it is dropped", { error });
    const { fns } = patch;
    patch.clear();
    patch.fns = fns;
    return {};
  }
}
