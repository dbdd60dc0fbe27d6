/**
 * Signs the records of finished handlers: each record gets a digest of the object as its handler last saw it, so that the handler
 * is called again only after the object has changed.
 *
 * The digest is of the object as it will be when the patches of the turn are written: the changes of one handler call neither
 * that handler nor another one again. Source: docs/decisions/0012-own-patches.md.
 */

import { digestOf } from "../../model/encoding.ts";
import { getField } from "../../model/fields.ts";
import type { JsonObject } from "../../model/object.ts";
import { foresee, type Patch } from "../../model/patch.ts";
import { currentEssence } from "../../settings/persistence/storage.ts";
import type { ChangeCause } from "./change_cause.ts";
import type { ChangeHandler } from "./change_handler.ts";
import type { Turn } from "../turn.ts";
import type { ChangeSlot } from "./change_slot.ts";
import { loadProgress } from "./notes.ts";
import type { Progress, Purpose } from "./progress.ts";

/** The cause that is handled, and where. */
export interface SignaturesOptions {
  readonly turn: Turn;
  readonly slot: ChangeSlot;
  readonly cause: ChangeCause;
  readonly purpose: Purpose;
}

/** The signatures of one cause, in one reconcile. */
export class Signatures {
  readonly #turn: Turn;
  readonly #slot: ChangeSlot;
  readonly #cause: ChangeCause;
  readonly #purpose: Purpose;
  /** The essence without later changes by daemons and timers; undefined: they have made none. */
  readonly #withoutDaemons: JsonObject | undefined;

  constructor({ turn, slot, cause, purpose }: SignaturesOptions) {
    this.#turn = turn;
    this.#slot = slot;
    this.#cause = cause;
    this.#purpose = purpose;
    const { state: { snapshot }, run: { persistence }, kind: { handlers: { fields: extraFields } } } = turn;
    const body = slot.background?.takenBackFrom(snapshot) ?? snapshot;
    if (body !== snapshot) this.#withoutDaemons = currentEssence(persistence, body, { extraFields });
  }

  /** Whether the handler would see the same as when its record was signed, apart from later changes by daemons and timers. */
  isAsSigned(handler: ChangeHandler, digest: string): boolean {
    const now = this.#digest(handler, this.#essenceWith([]));
    if (now === undefined || now === digest) return true;
    return this.#withoutDaemons !== undefined && this.#digest(handler, this.#withoutDaemons) === digest;
  }

  /** Signs finished records, and returns all progress that is to be stored. `hasRun`: whether a handler ran, by its id. */
  sign(
    all: readonly Progress<ChangeHandler>[],
    hasRun: (id: string) => boolean,
  ): readonly Progress<ChangeHandler>[] {
    if (this.#purpose === "delete") return this.#signedFailures(all, hasRun);
    const before = this.#essenceWith([]);
    const after = this.#essenceWith([this.#turn.patch]);
    for (const progress of all) progress.sign((handler) => this.#digest(handler, after), hasRun);
    this.#slot.background?.signed(this.#turn.state.snapshot);
    const others = [before, this.#withoutDaemons].filter((each) => each !== undefined && each !== after);
    return others.length === 0 ? all : [...all, this.#resigned(all, others.map(digestOf), digestOf(after))];
  }

  /** An edit of a dying object calls none of its deletion handlers again, but for failed ones that keep the object. */
  #signedFailures(
    all: readonly Progress<ChangeHandler>[],
    hasRun: (id: string) => boolean,
  ): readonly Progress<ChangeHandler>[] {
    if (!all.some(({ failed }) => failed.some(keepsObject))) return all;
    const essence = this.#essenceWith([this.#turn.patch]);
    for (const progress of all) {
      progress.sign((handler, { failure }) => failure ? this.#digest(handler, essence) : undefined, hasRun);
    }
    return all;
  }

  /** Signs anew the records of sub-handlers whose parents were not called. Records with the digest of a field stay as they are. */
  #resigned(
    all: readonly Progress<ChangeHandler>[],
    others: readonly string[],
    after: string,
  ): Progress<ChangeHandler> {
    const ids = new Set(all.flatMap(({ descendants }) => descendants));
    for (const progress of all) for (const id of progress.records().keys()) ids.delete(id);
    const uncalled = loadProgress(this.#turn, this.#slot, [...ids].map((id) => ({ id })));
    uncalled.replaceDigests(others, after);
    return uncalled;
  }

  /** Returns the essence of the object after the kept patch of earlier turns, and then these patches, are written. */
  #essenceWith(patches: readonly Patch[]): JsonObject {
    const { state: { pending, snapshot }, run: { persistence }, kind } = this.#turn;
    const { fields: extraFields } = kind.handlers;
    const kept = pending.patch === undefined ? [] : [pending.patch];
    const outgoing = [...kept, ...patches].filter(({ isEmpty }) => !isEmpty);
    if (outgoing.length === 0) return this.#cause.new;
    const body = outgoing.reduce((before, patch) => foresee(before, contentOf(patch), patch.fns), snapshot);
    return currentEssence(persistence, body, { extraFields });
  }

  #digest(handler: ChangeHandler, essence: JsonObject): string | undefined {
    if (this.#purpose === "delete" && !keepsObject(handler)) return undefined;
    const { field } = handler;
    return digestOf(field === undefined ? essence : getField(essence, field) ?? null);
  }
}

function keepsObject({ onFailure }: ChangeHandler): boolean {
  return onFailure === "keep";
}

/** Returns the patch as JSON; an empty one if it cannot be JSON, as no write can send it then. */
function contentOf(patch: Patch): JsonObject {
  try {
    return patch.toMergePatch();
  } catch {
    return {};
  }
}
