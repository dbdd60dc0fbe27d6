/**
 * Notes in several places: to move them from one to another without losing any, and to choose the place by the kind.
 */

import type { FieldPath } from "../../model/fields.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
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
  /** Whether objects at rest are written, too, where none of the written places has their note. Default: false. */
  readonly atOnce?: boolean;
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
  { writable = places.length, atOnce }: CombineOptions = {},
): Notes {
  if (places.length === 0) throw new RangeError("Cannot combine notes: there is no place of them");
  return combined(places, { written: places.slice(0, writable), atOnce });
}

/**
 * Returns storages that keep notes in the status of the kinds that have room there, and in annotations of the others.
 *
 * A kind may change sides from one run to the next. So both places are read, and a note that is written to one is removed from the
 * other: no handler is repeated, and none is left out. Where both have a note, a release that knows annotations alone has been at
 * work after one that writes to the status: annotations count.
 */
export function chooseNotes(alternatives: Alternatives): Notes {
  const { annotations, status } = alternatives;
  return combined([annotations, status], { written: [annotations, status], alternatives });
}

/** Two places, in one of which the notes on an object belong. */
interface Alternatives {
  readonly annotations: Notes;
  readonly status: Notes;
  readonly room: NotesRoom;
}

/** Which places of all are written to. */
interface Writing {
  readonly written: readonly Notes[];
  /** Whether only one of them is written to, by the kind. Default: all are. */
  readonly alternatives?: Alternatives;
  readonly atOnce?: boolean;
}

function combined(all: readonly Notes[], writing: Writing): Notes {
  const places = new Places(all, writing);
  return { diffBase: new CombinedDiffBase(places), progress: new CombinedProgress(places) };
}

/** Where the notes on one object are written, and from where they are removed then. */
interface Sides {
  readonly right: readonly Notes[];
  readonly emptied: readonly Notes[];
}

/** The places, and which of them are written to. */
class Places {
  readonly all: readonly Notes[];
  readonly written: readonly Notes[];
  readonly room: NotesRoom | undefined;
  readonly alternatives: Alternatives | undefined;
  /** Whether objects at rest are written, too. */
  readonly atOnce: boolean;

  constructor(all: readonly Notes[], { written, alternatives, atOnce = false }: Writing) {
    this.all = all;
    this.written = written;
    this.alternatives = alternatives;
    this.room = alternatives?.room ?? all.find(({ diffBase }) => diffBase.room !== undefined)?.diffBase.room;
    this.atOnce = atOnce;
  }

  /**
   * Returns where the notes on an object are written. NB: the status is written before annotations, so that the notes in it stay
   * until annotations have them: a crash between the two requests would lose them.
   */
  sides(body: KubeObject): Sides {
    if (this.alternatives === undefined) return { right: this.written, emptied: [] };
    const { annotations, status, room } = this.alternatives;
    if (room.isFor(body)) return { right: [status], emptied: [annotations] };
    const isMoved = annotations.diffBase.fetch(body) !== undefined;
    return { right: [annotations], emptied: isMoved ? [status] : [] };
  }

  /** Returns the place from which an object's state moves only when it changes; undefined: there is none. */
  tolerated(body: KubeObject): Notes | undefined {
    if (this.alternatives === undefined) return undefined;
    const { annotations, status, room } = this.alternatives;
    if (room.isFor(body)) return annotations;
    return room.isUnsafe(body) ? undefined : status;
  }

  /** Whether the status has a state that may get lost there. */
  isUnsafe(body: KubeObject): boolean {
    if (this.alternatives?.room.isUnsafe(body) !== true) return false;
    return this.alternatives.status.diffBase.fetch(body) !== undefined;
  }

  /** Returns the first note that is found. */
  first<T>(fetch: (place: Notes) => T | undefined): T | undefined {
    for (const place of this.all) {
      const note = fetch(place);
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
    let rest = essence;
    for (const storage of this.storages) rest = storage.clear(rest);
    return rest;
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

  /**
   * Where notes move, a note of another object says that the older notes, in the places that follow, are of that object, too. Of two
   * places that are alternatives, one may have the object's own note, and the other a note that was pasted.
   */
  fetch(body: KubeObject, options: FetchEssenceOptions = {}): JsonObject | undefined {
    const foreign: ForeignNote[] = [];
    const reading = { ...options, onForeign: (note: ForeignNote) => void foreign.push(note) };
    const isEnded = (): boolean =>
      this.places.alternatives === undefined && foreign.some(({ counts }) => !counts);
    const found = this.places.first(({ diffBase }) => isEnded() ? undefined : diffBase.fetch(body, reading));
    for (const note of foreign) if (found === undefined || note.counts) options.onForeign?.(note);
    return found;
  }

  /** A note in the other place moves when it changes, unless it may get lost there. */
  isOutdated(body: KubeObject, extraFields: readonly FieldPath[] = []): boolean {
    const { places } = this;
    const { right } = places.sides(body);
    const read = places.alternatives === undefined ? right : places.all;
    if (read.some(({ diffBase }) => diffBase.isOutdated(body, extraFields)) || places.isUnsafe(body)) {
      return true;
    }
    const has = ({ diffBase }: Notes): boolean => diffBase.fetch(body) !== undefined;
    return places.atOnce && !right.some(has) && places.all.some(has);
  }

  store(note: EssenceNote): void {
    const { right, emptied } = this.places.sides(note.body);
    const tolerated = this.places.tolerated(note.body);
    if (tolerated !== undefined && hasNoted(tolerated, note)) return;
    // First, as nothing is taken back from a patch that is empty.
    for (const { diffBase } of emptied) diffBase.purge?.(note);
    for (const { diffBase } of right) diffBase.store(note);
  }

  purge(target: Pick<EssenceNote, "patch" | "body">): void {
    for (const storage of this.storages) storage.purge?.(target);
  }
}

/** Whether a place has the same note already. */
function hasNoted({ diffBase }: Notes, note: EssenceNote): boolean {
  if (diffBase.fetch(note.body) === undefined) return false;
  const patch = new Patch();
  diffBase.store({ ...note, patch, onLoss: undefined });
  return patch.isEmpty;
}

class CombinedProgress extends Combined<ProgressStorage> implements ProgressStorage {
  constructor(places: Places) {
    super(places, ({ progress }) => progress);
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    return this.places.first(({ progress }) => progress.fetch(body, id, options));
  }

  store(target: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { right, emptied } = this.places.sides(target.body);
    for (const { progress } of right) progress.store(target);
    for (const { progress } of emptied) progress.purge(target);
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
