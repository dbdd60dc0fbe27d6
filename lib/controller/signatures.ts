/**
 * Signs the records of finished handlers: each gets a digest of the object as its handler last saw it, so that it is called
 * again only when the object is another one by then.
 *
 * The digest is of the object as it will be when everything is written: what handlers themselves write calls none of them
 * again, whoever of them it was. Source: docs/decisions/0012-own-patches.md.
 */

import type { Progress, Purpose } from "../execution/progress.ts";
import { digestOf } from "../model/encoding.ts";
import { getField } from "../model/fields.ts";
import { cloneJson } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { applyMergePatch, type Patch } from "../model/patch.ts";
import type { ChangeCause } from "../registry/causes.ts";
import type { ChangeHandler } from "../registry/handlers.ts";
import { currentEssence } from "../settings/persistence/storage.ts";
import { loadProgress, type Reconciliation } from "./reconciliation.ts";

/** The signatures of one cause, in one reconcile. */
export class Signatures {
  readonly #r: Reconciliation;
  readonly #cause: ChangeCause;
  readonly #purpose: Purpose;

  constructor(r: Reconciliation, cause: ChangeCause, purpose: Purpose) {
    this.#r = r;
    this.#cause = cause;
    this.#purpose = purpose;
  }

  /** Returns the digest of what a handler would see now; undefined where it does not matter. */
  digest(handler: ChangeHandler): string | undefined {
    return this.#digest(handler, this.#essenceWith([]));
  }

  /** Signs finished records, and returns all progress that is to be stored. `hasRun`: whether a handler ran, by its id. */
  sign(
    all: readonly Progress<ChangeHandler>[],
    hasRun: (id: string) => boolean,
  ): readonly Progress<ChangeHandler>[] {
    if (this.#purpose === "delete") return this.#signedFailures(all, hasRun);
    const before = this.#essenceWith([]);
    const after = this.#essenceWith([this.#r.patch]);
    for (const progress of all) progress.sign((handler) => this.#digest(handler, after), hasRun);
    return before === after ? all : [...all, this.#resigned(all, digestOf(before), digestOf(after))];
  }

  /** Deletions are not started over because somebody edits a dying object, but for handlers that have given up and keep it. */
  #signedFailures(
    all: readonly Progress<ChangeHandler>[],
    hasRun: (id: string) => boolean,
  ): readonly Progress<ChangeHandler>[] {
    if (!all.some(({ failed }) => failed.some(keepsObject))) return all;
    const essence = this.#essenceWith([this.#r.patch]);
    for (const progress of all) {
      progress.sign((handler, { failure }) => failure ? this.#digest(handler, essence) : undefined, hasRun);
    }
    return all;
  }

  /** Signs anew the records of sub-handlers whose parents were not called. Those of fields are left as they are. */
  #resigned(
    all: readonly Progress<ChangeHandler>[],
    before: string,
    after: string,
  ): Progress<ChangeHandler> {
    const ids = new Set(all.flatMap(({ descendants }) => descendants));
    for (const progress of all) for (const id of progress.records().keys()) ids.delete(id);
    const uncalled = loadProgress(this.#r, [...ids].map((id) => ({ id })));
    uncalled.replaceDigest(before, after);
    return uncalled;
  }

  /** Returns what handlers would see if these patches, after all that could not be written before, were on the object. */
  #essenceWith(patches: readonly Patch[]): JsonObject {
    const { state: { pending, snapshot }, persistence, handlers: { fields: extraFields } } = this.#r;
    const kept = pending.patch === undefined ? [] : [pending.patch];
    const outgoing = [...kept, ...patches].filter(({ isEmpty }) => !isEmpty);
    if (outgoing.length === 0) return this.#cause.new;
    const body = outgoing.reduce<KubeObject>(applied, snapshot);
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

/** A body with a patch applied; without its functions, should one of them fail: they are dropped then. */
function applied(body: KubeObject, patch: Patch): KubeObject {
  const merged = applyMergePatch(body, contentOf(patch));
  if (patch.fns.length === 0) return merged;
  try {
    const own = cloneJson(merged);
    for (const fn of patch.fns) fn(own);
    return own;
  } catch {
    return merged;
  }
}

/** Returns the patch as JSON; what cannot be put into JSON is dropped by the write as well. */
function contentOf(patch: Patch): JsonObject {
  try {
    return patch.toMergePatch();
  } catch {
    return {};
  }
}
