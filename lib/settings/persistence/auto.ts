/**
 * Notes in the status where the kind keeps them, in annotations elsewhere: one write instead of two wherever that can be.
 *
 * Which kinds have room is found out from their definitions when they are met (`operator/notes_room.ts`), so a kind may change
 * sides from one run to the next. Hence both places are read, the right one first, and what is written to one is removed from
 * the other: no handler is repeated, and none is left out.
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
  Persistence,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
} from "./storage.ts";

/** The two places. */
export interface AutoPlaces {
  readonly status: Pick<Persistence, "diffBase" | "progress">;
  readonly annotations: Pick<Persistence, "diffBase" | "progress">;
  readonly room: NotesRoom;
}

/** Takes a note of the handled state away from an object. */
type Drop = (target: { readonly patch: Patch; readonly body: KubeObject }) => void;

/** Keeps the handled state in the status or in an annotation. */
export class AutoDiffBase implements DiffBaseStorage {
  readonly room: NotesRoom;
  readonly #places: AutoPlaces;
  readonly #drops: { readonly status: Drop; readonly annotations: Drop };

  /** Decides between these places; `drops` takes the note away from where it does not belong. */
  constructor(places: AutoPlaces, drops: { readonly status: Drop; readonly annotations: Drop }) {
    this.room = places.room;
    this.#places = places;
    this.#drops = drops;
  }

  build(body: KubeObject, extraFields: readonly FieldPath[] = []): JsonObject {
    return this.clear(this.#places.annotations.diffBase.build(body, extraFields));
  }

  fetch(body: KubeObject, options: FetchEssenceOptions = {}): JsonObject | undefined {
    const { right, wrong } = this.#sides(body);
    return right.fetch(body, options) ?? wrong.fetch(body, options);
  }

  isOutdated(body: KubeObject, extraFields: readonly FieldPath[] = []): boolean {
    const { right, wrong } = this.#sides(body);
    return right.isOutdated(body, extraFields) || wrong.fetch(body) !== undefined;
  }

  store(note: EssenceNote): void {
    const { right, dropWrong } = this.#sides(note.body);
    right.store(note);
    dropWrong(note);
  }

  reserved(): readonly string[] {
    const { status, annotations } = this.#places;
    return [...annotations.diffBase.reserved?.() ?? [], ...status.diffBase.reserved?.() ?? []];
  }

  statusFields(): readonly FieldPath[] {
    return [this.room.field];
  }

  clear(essence: JsonObject): JsonObject {
    const { status, annotations } = this.#places;
    return status.diffBase.clear(annotations.diffBase.clear(essence));
  }

  #sides(
    body: KubeObject,
  ): { readonly right: DiffBaseStorage; readonly wrong: DiffBaseStorage; readonly dropWrong: Drop } {
    const { status: { diffBase: status }, annotations: { diffBase: annotations }, room } = this.#places;
    return room.isFor(body)
      ? { right: status, wrong: annotations, dropWrong: this.#drops.annotations }
      : { right: annotations, wrong: status, dropWrong: this.#drops.status };
  }
}

/** Keeps handlers' progress in the status or in annotations. */
export class AutoProgress implements ProgressStorage {
  readonly #places: AutoPlaces;

  /** Decides between these places. */
  constructor(places: AutoPlaces) {
    this.#places = places;
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    const { right, wrong } = this.#sides(body);
    return right.fetch(body, id, options) ?? wrong.fetch(body, id, options);
  }

  store(target: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { right, wrong } = this.#sides(target.body);
    right.store(target);
    wrong.purge(target);
  }

  purge(target: ProgressTarget): void {
    const { right, wrong } = this.#sides(target.body);
    right.purge(target);
    wrong.purge(target);
  }

  ids(body: KubeObject): string[] {
    const { right, wrong } = this.#sides(body);
    return [...new Set([...right.ids(body), ...wrong.ids(body)])];
  }

  keys(id: string): readonly string[] {
    const { status, annotations } = this.#places;
    return [...annotations.progress.keys(id), ...status.progress.keys(id)];
  }

  reserved(): readonly string[] {
    const { status, annotations } = this.#places;
    return [...annotations.progress.reserved?.() ?? [], ...status.progress.reserved?.() ?? []];
  }

  statusFields(): readonly FieldPath[] {
    return [this.#places.room.field];
  }

  clear(essence: JsonObject): JsonObject {
    const { status, annotations } = this.#places;
    return status.progress.clear(annotations.progress.clear(essence));
  }

  sweep(patch: Patch, body: KubeObject): void {
    const { status, annotations } = this.#places;
    annotations.progress.sweep(patch, body);
    status.progress.sweep(patch, body);
  }

  #sides(body: KubeObject): { readonly right: ProgressStorage; readonly wrong: ProgressStorage } {
    const { status: { progress: status }, annotations: { progress: annotations }, room } = this.#places;
    return room.isFor(body) ? { right: status, wrong: annotations } : { right: annotations, wrong: status };
  }
}
