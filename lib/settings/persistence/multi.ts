/**
 * Storages made of several others: to move notes from one place to another without losing any.
 */

import type { FieldPath } from "../../model/fields.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import type { NotesRoom } from "./notes_room.ts";
import type {
  DiffBaseStorage,
  EssenceNote,
  FetchEssenceOptions,
  FetchOptions,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
} from "./storage.ts";

/** Options of {@linkcode MultiDiffBase} and {@linkcode MultiProgress}. */
export interface MultiOptions {
  /** How many of the storages, from the first, are written to; the others are only read, and purged. Default: all. */
  readonly writable?: number;
}

/**
 * Reads from the first storage that has something, writes to all or some.
 *
 * A note in a storage that is only read stays there: it says what was handled when notes moved.
 *
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 * import { MultiDiffBase } from "@lotse/lotse/persistence";
 *
 * const [now, before] = [persistence.annotations({ prefix: "new.example.com" }), persistence.annotations({ prefix: "old.example.com" })];
 * const diffBase = new MultiDiffBase([now.diffBase, before.diffBase]);
 * const op = operator({ persistence: { ...now, diffBase, finalizer: before.finalizer } });
 * ```
 */
export class MultiDiffBase implements DiffBaseStorage {
  readonly #storages: readonly DiffBaseStorage[];
  readonly #writable: readonly DiffBaseStorage[];

  /**
   * Combines them in this order.
   *
   * @throws {RangeError} If there are no storages.
   */
  constructor(storages: readonly DiffBaseStorage[], { writable = storages.length }: MultiOptions = {}) {
    rejectNone(storages);
    this.#storages = storages;
    this.#writable = storages.slice(0, writable);
  }

  /** That of the first storage that has one. */
  get room(): NotesRoom | undefined {
    return this.#storages.find(({ room }) => room !== undefined)?.room;
  }

  build(body: KubeObject, extraFields: readonly FieldPath[] = []): JsonObject {
    const [first] = this.#storages;
    // The constructor has seen to it that there is one.
    return this.clear(first?.build(body, extraFields) ?? {});
  }

  fetch(body: KubeObject, options: FetchEssenceOptions = {}): JsonObject | undefined {
    return firstOf(this.#storages, (storage) => storage.fetch(body, options));
  }

  isOutdated(body: KubeObject, extraFields: readonly FieldPath[] = []): boolean {
    return this.#writable.some((storage) => storage.isOutdated(body, extraFields));
  }

  store(note: EssenceNote): void {
    for (const storage of this.#writable) storage.store(note);
  }

  reserved(): readonly string[] {
    return this.#storages.flatMap((storage) => storage.reserved?.() ?? []);
  }

  statusFields(): readonly FieldPath[] {
    return this.#storages.flatMap((storage) => storage.statusFields?.() ?? ANYTHING);
  }

  clear(essence: JsonObject): JsonObject {
    return this.#storages.reduce((rest, storage) => storage.clear(rest), essence);
  }
}

/**
 * Reads from the first storage that has something, writes to all or some, purges everywhere.
 *
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 * import { MultiProgress } from "@lotse/lotse/persistence";
 *
 * const progress = new MultiProgress([persistence.annotations().progress, persistence.status().progress], { writable: 1 });
 * const op = operator({ persistence: { progress } });
 * ```
 */
export class MultiProgress implements ProgressStorage {
  readonly #storages: readonly ProgressStorage[];
  readonly #writable: readonly ProgressStorage[];

  /**
   * Combines them in this order.
   *
   * @throws {RangeError} If there are no storages.
   */
  constructor(
    storages: readonly ProgressStorage[],
    { writable = storages.length }: MultiOptions = {},
  ) {
    rejectNone(storages);
    this.#storages = storages;
    this.#writable = storages.slice(0, writable);
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    return firstOf(this.#storages, (storage) => storage.fetch(body, id, options));
  }

  store(target: ProgressTarget & { readonly record: ProgressRecord }): void {
    for (const storage of this.#writable) storage.store(target);
  }

  purge(target: ProgressTarget): void {
    for (const storage of this.#storages) storage.purge(target);
  }

  ids(body: KubeObject): string[] {
    return [...new Set(this.#storages.flatMap((storage) => storage.ids(body)))];
  }

  keys(id: string): readonly string[] {
    return this.#writable.flatMap((storage) => storage.keys(id));
  }

  reserved(): readonly string[] {
    return this.#storages.flatMap((storage) => storage.reserved?.() ?? []);
  }

  statusFields(): readonly FieldPath[] {
    return this.#storages.flatMap((storage) => storage.statusFields?.() ?? ANYTHING);
  }

  clear(essence: JsonObject): JsonObject {
    return this.#storages.reduce((rest, storage) => storage.clear(rest), essence);
  }

  sweep(patch: Patch, body: KubeObject): void {
    for (const storage of this.#storages) storage.sweep(patch, body);
  }
}

/** The whole status: what a storage does not say may be anywhere. */
const ANYTHING: readonly FieldPath[] = [["status"]];

function firstOf<S, T>(storages: readonly S[], fetch: (storage: S) => T | undefined): T | undefined {
  for (const storage of storages) {
    const found = fetch(storage);
    if (found !== undefined) return found;
  }
  return undefined;
}

function rejectNone(storages: readonly unknown[]): void {
  if (storages.length === 0) throw new RangeError("Cannot combine storages: there are none");
}
