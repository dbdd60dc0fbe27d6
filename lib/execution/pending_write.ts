/**
 * What could not be written yet: kept by whoever wanted it (an object's reconciles, one daemon), and sent with the next write.
 *
 * It holds what handlers want and what they have achieved, never the framework's own notes: those are made anew each time.
 */

import { Patch, type PatchFunction } from "../model/patch.ts";
import type { Logger } from "../runtime/logging.ts";
import type { ProgressRecord } from "../settings/persistence/storage.ts";

/** One for all: most objects have none, and there may be very many objects. */
export const NO_RECORDS: ReadonlyMap<string, ProgressRecord> = new Map();

/** What one author of writes has pending. */
export class PendingWrite {
  /** NB: made when it is needed: most objects never have one. */
  #patch: Patch | undefined;
  /** Records of finished attempts that are not on the object. They win over stored ones. */
  records: ReadonlyMap<string, ProgressRecord> = NO_RECORDS;
  /** How many writes in a row were kept. 0: what is pending are functions that lost a race. */
  failures = 0;

  get isEmpty(): boolean {
    return (this.#patch?.isEmpty ?? true) && this.records.size === 0;
  }

  /** The patch that is kept; undefined if there is none. */
  get patch(): Patch | undefined {
    return this.#patch;
  }

  /** Whether patch functions lost a race, and no record is to be written: they come before handlers. */
  get hasOnlyFunctions(): boolean {
    return (this.#patch?.fns.length ?? 0) > 0 && this.records.size === 0;
  }

  /** Returns what is kept, then what handlers want, then the framework's notes. What JSON cannot express is dropped from `patch`. */
  compose(patch: Patch, notes: Patch | undefined, logger: Logger): Patch {
    const outgoing = new Patch(this.#patch?.toMergePatch());
    try {
      outgoing.merge(patch.toMergePatch());
    } catch (error) {
      logger.error("Cannot write what handlers have put into the patch: it is dropped", { error });
      const { fns } = patch;
      patch.clear();
      patch.fns = fns;
    }
    if (notes !== undefined) outgoing.merge(notes.toMergePatch());
    outgoing.fns.push(...this.#patch?.fns ?? [], ...patch.fns);
    return outgoing;
  }

  /** Keeps a patch that could not be sent, without the notes: they are made anew. */
  keep(patch: Patch): void {
    const kept = new Patch(this.#patch?.toMergePatch());
    kept.merge(patch.toMergePatch());
    kept.fns.push(...this.#patch?.fns ?? [], ...patch.fns);
    this.#patch = kept;
    this.failures++;
  }

  /** Everything is written, but for functions that lost a race. */
  settle(lost: readonly PatchFunction[] = []): void {
    this.#patch = undefined;
    this.records = NO_RECORDS;
    this.failures = 0;
    if (lost.length > 0) (this.#patch = new Patch()).fns.push(...lost);
  }

  /** Drops the patch, which would be refused for ever. Records of finished attempts stay. */
  drop(): void {
    this.#patch = undefined;
    this.failures = 0;
  }

  /** Takes out the functions that lost a race, for somebody who puts them into a patch of their own. */
  takeLost(): readonly PatchFunction[] {
    if (this.failures > 0 || this.#patch === undefined) return [];
    const { fns } = this.#patch;
    this.#patch = undefined;
    return fns;
  }
}
