/**
 * Notes in several places: to move them from one to another without losing any, and to choose the place by the kind.
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
  ForeignNote,
  Notes,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
} from "./storage.ts";

/** Options of {@linkcode combineNotes}. */
export interface CombineOptions {
  /** How many of the places, from the first, are written to; the others are only read, and purged. Default: all. */
  readonly writable?: number;
}

/**
 * Returns storages that read from the first place that has a note, and write to all or some.
 *
 * A state in a place that is only read stays there: it is the state that was handled when notes moved. Progress is purged everywhere.
 *
 * @throws {RangeError} If there are no places.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 * import { combineNotes } from "@lotse/lotse/persistence";
 *
 * const [now, before] = [persistence.annotations({ prefix: "new.example.com" }), persistence.annotations({ prefix: "old.example.com" })];
 * const op = operator({ persistence: { ...now, ...combineNotes([now, before]), finalizer: before.finalizer } });
 * ```
 */
export function combineNotes(
  places: readonly Notes[],
  { writable = places.length }: CombineOptions = {},
): Notes {
  if (places.length === 0) throw new RangeError("Cannot combine notes: there is no place of them");
  return combined(places, { written: places.slice(0, writable) });
}

/**
 * Returns storages that keep notes in the status of the kinds that have room there, and in annotations of the others.
 *
 * A kind may change sides from one run to the next. So both places are read, the right one first, and a note that is written to
 * one is removed from the other: no handler is repeated, and none is left out.
 */
export function chooseNotes(
  { annotations, status, room }: {
    readonly annotations: Notes;
    readonly status: Notes;
    readonly room: NotesRoom;
  },
): Notes {
  const written = [annotations, status];
  return combined(written, { written, room, choose: (body) => room.isFor(body) ? status : annotations });
}

/** Which places of all are written to. */
interface Writing {
  readonly written: readonly Notes[];
  /** Returns the one of them in which an object's notes belong: the others lose them. Default: each. */
  readonly choose?: (body: KubeObject) => Notes;
  readonly room?: NotesRoom;
}

function combined(all: readonly Notes[], writing: Writing): Notes {
  const places = new Places(all, writing);
  return { diffBase: new CombinedDiffBase(places), progress: new CombinedProgress(places) };
}

/** The places, and which of them are written to. */
class Places {
  readonly all: readonly Notes[];
  readonly written: readonly Notes[];
  readonly room: NotesRoom | undefined;
  readonly #choose: Writing["choose"];

  constructor(all: readonly Notes[], { written, choose, room }: Writing) {
    this.all = all;
    this.written = written;
    this.room = room ?? all.find(({ diffBase }) => diffBase.room !== undefined)?.diffBase.room;
    this.#choose = choose;
  }

  /** Returns where an object's notes are written, and from where they are removed. */
  sides(body: KubeObject): { readonly right: readonly Notes[]; readonly wrong: readonly Notes[] } {
    const chosen = this.#choose?.(body);
    if (chosen === undefined) return { right: this.written, wrong: [] };
    return { right: [chosen], wrong: this.written.filter((place) => place !== chosen) };
  }

  /** Returns the first note that is found; the place where it belongs is asked first. */
  first<T>(body: KubeObject, fetch: (place: Notes) => T | undefined): T | undefined {
    const chosen = this.#choose?.(body);
    const found = chosen && fetch(chosen);
    if (found !== undefined) return found;
    for (const place of this.all) {
      const note = place === chosen ? undefined : fetch(place);
      if (note !== undefined) return note;
    }
    return undefined;
  }
}

/** The whole status: the notes of a storage that does not say may be anywhere. */
const ANYTHING: readonly FieldPath[] = [["status"]];

/** The answers that storages of either note have to the same questions. */
class Combined<Storage extends DiffBaseStorage | ProgressStorage> {
  protected readonly places: Places;
  protected readonly storages: readonly Storage[];

  constructor(places: Places, storageOf: (place: Notes) => Storage) {
    this.places = places;
    this.storages = places.all.map(storageOf);
  }

  reserved(): readonly string[] {
    return this.storages.flatMap((storage) => storage.reserved?.() ?? []);
  }

  statusFields(): readonly FieldPath[] {
    return this.storages.flatMap((storage) => storage.statusFields?.() ?? ANYTHING);
  }

  clear(essence: JsonObject): JsonObject {
    return this.storages.reduce((rest, storage) => storage.clear(rest), essence);
  }
}

class CombinedDiffBase extends Combined<DiffBaseStorage> implements DiffBaseStorage {
  constructor(places: Places) {
    super(places, ({ diffBase }) => diffBase);
  }

  get room(): NotesRoom | undefined {
    return this.places.room;
  }

  build(body: KubeObject, extraFields: readonly FieldPath[] = []): JsonObject {
    return this.clear(this.storages[0]?.build(body, extraFields) ?? {});
  }

  /** A note of another object says that the older notes, in the places that follow, are of that object, too. */
  fetch(body: KubeObject, options: FetchEssenceOptions = {}): JsonObject | undefined {
    let isForeign = false;
    const onForeign = (note: ForeignNote): void => {
      isForeign ||= !note.counts;
      options.onForeign?.(note);
    };
    return this.places.first(
      body,
      ({ diffBase }) => isForeign ? undefined : diffBase.fetch(body, { ...options, onForeign }),
    );
  }

  isOutdated(body: KubeObject, extraFields: readonly FieldPath[] = []): boolean {
    const { right, wrong } = this.places.sides(body);
    return right.some(({ diffBase }) => diffBase.isOutdated(body, extraFields)) ||
      wrong.some(({ diffBase }) => diffBase.fetch(body) !== undefined);
  }

  store(note: EssenceNote): void {
    const { right, wrong } = this.places.sides(note.body);
    for (const { diffBase } of right) diffBase.store(note);
    for (const { diffBase } of wrong) diffBase.purge?.(note);
  }

  purge(target: Pick<EssenceNote, "patch" | "body">): void {
    for (const storage of this.storages) storage.purge?.(target);
  }
}

class CombinedProgress extends Combined<ProgressStorage> implements ProgressStorage {
  constructor(places: Places) {
    super(places, ({ progress }) => progress);
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    return this.places.first(body, ({ progress }) => progress.fetch(body, id, options));
  }

  store(target: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { right, wrong } = this.places.sides(target.body);
    for (const { progress } of right) progress.store(target);
    for (const { progress } of wrong) progress.purge(target);
  }

  purge(target: ProgressTarget): void {
    for (const storage of this.storages) storage.purge(target);
  }

  ids(body: KubeObject): string[] {
    return [...new Set(this.storages.flatMap((storage) => storage.ids(body)))];
  }

  keys(id: string): readonly string[] {
    return this.places.written.flatMap(({ progress }) => progress.keys(id));
  }

  sweep(patch: Patch, body: KubeObject, options?: FetchOptions): void {
    for (const storage of this.storages) storage.sweep(patch, body, options);
  }
}
