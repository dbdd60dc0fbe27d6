/**
 * Where an operator keeps its notes on objects: the interfaces of the storages, and the presets that users pick from.
 *
 * There are two notes: the state that was handled last (for diffs), and the progress of each unfinished handler. Their
 * forms, and the reasons for them, are in docs/decisions/0004-notes.md.
 */

import { hideFields, holdsPlain, revealFields } from "../../model/confidential.ts";
import type { FieldPath } from "../../model/fields.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import type { NotesRoom } from "./notes_room.ts";

/** How far one handler has come with one object, for one cause. All timestamps are RFC 3339 in UTC, with "Z". */
export interface ProgressRecord {
  /** When the handler was first considered for this cause; absent: just now. */
  started?: string;
  /** When it succeeded or failed for good. */
  stopped?: string;
  /** It is not to run before; absent: it may run now, or it has finished. */
  delayed?: string;
  /** How long that was away when it was noted, in seconds: clocks may be set back meanwhile. Not kept in Kopf's notes. */
  delay?: number;
  /** The cause that the record was made for; absent: any. */
  purpose?: "create" | "update" | "delete" | "resume";
  /** Attempts so far, a successful one included. */
  retries: number;
  /** Attempts that only waited for sub-handlers, since the record was read. Only Kopf's notes have them, among `retries`. */
  waits?: number;
  /** Whether it has succeeded. */
  success: boolean;
  /** Whether it has failed for good. */
  failure: boolean;
  /** The text of the last error. */
  message?: string;
  /** Ids of all sub-handlers ever seen, sorted. */
  subrefs?: readonly string[];
  /** The digest of the essence or field that the handler saw when it last ran. Not kept in Kopf's notes. */
  digest?: string;
}

/** A note that could not be understood; it counts as absent. */
export interface UnreadableRecord {
  /** The annotation's name, or the field's dotted path. */
  readonly where: string;
  /** The fault of it. */
  readonly reason: string;
}

/** The meaning of a restored object: a new one, or the former object of its name, whose handlers resume. */
export type Restored = "create" | "resume";

/** A note that names another object than the one that it stands on. */
export interface ForeignNote {
  /** The object that it names: "namespace/name/uid", or "name/uid". */
  readonly of: string;
  /** "restored": only the uid differs. */
  readonly origin: "copied" | "restored";
  /** Whether the note counts all the same. */
  readonly counts: boolean;
}

/** Options of reading notes. */
export interface FetchOptions {
  /** Called for each note that is not understood. Default: it is passed over silently. */
  readonly onUnreadable?: (record: UnreadableRecord) => void;
  /** Called for each note that names another object. Default: it is passed over silently. */
  readonly onForeign?: (note: ForeignNote) => void;
  /** Whether notes of the former object of the same name count. Default: "create", they do not. */
  readonly restored?: Restored;
}

/** Options of {@linkcode DiffBaseStorage.fetch}. */
export interface FetchEssenceOptions extends FetchOptions {
  /** As given to `build()`: the result is to be comparable with its result. */
  readonly extraFields?: readonly FieldPath[];
}

/** The essence to be noted as handled. */
export interface EssenceNote {
  /** Where the note is put. */
  readonly patch: Patch;
  /** The object as it is. */
  readonly body: KubeObject;
  /** As `build()` gave it. */
  readonly essence: JsonObject;
  /** As given to `build()`. */
  readonly extraFields?: readonly FieldPath[];
  /** Called where the essence is too large to be noted: in part, so that some former values will not be known, or at all. */
  readonly onLoss?: (what: "part" | "all") => void;
}

/** Keeps the state that was handled last. */
export interface DiffBaseStorage {
  /** The kinds whose status has room for notes, where that decides about their place. Default: their place does not depend on it. */
  readonly room?: NotesRoom;
  /** Returns the essence of a body, without this storage's own notes. It shares its parts with the body. */
  build(body: KubeObject, extraFields?: readonly FieldPath[]): JsonObject;
  /**
   * Returns the essence that was handled last, comparable with the result of `build()`; undefined if there is none.
   *
   * Extra fields that were not noted then are taken as they are now, so that a new handler does not make each object look
   * changed (scenarios G16); `isOutdated()` tells that this happened. Never throws.
   */
  fetch(body: KubeObject, options?: FetchEssenceOptions): JsonObject | undefined;
  /**
   * Whether the note should be written anew although the object is the same: it was made for other extra fields, or for the
   * former object of the name.
   */
  isOutdated(body: KubeObject, extraFields?: readonly FieldPath[]): boolean;
  /** Puts the essence into the patch, unless the body holds the same already. */
  store(note: EssenceNote): void;
  /** Puts the removal of the note into the patch, where notes move to another place. Default: it stays. */
  purge?(target: Pick<EssenceNote, "patch" | "body">): void;
  /** Returns an essence without what this storage keeps in it. */
  clear(essence: JsonObject): JsonObject;
  /** Returns the names that notes of this storage take, in the form of {@linkcode ProgressStorage.keys}. Default: none. */
  reserved?(): readonly string[];
  /** Returns the fields of the status that it reads, so that events of others need no reconcile. Default: any may be. */
  statusFields?(): readonly FieldPath[];
}

/** A handler's record on an object. */
export interface ProgressTarget {
  /** Where the note is put. */
  readonly patch: Patch;
  /** The object as it is. */
  readonly body: KubeObject;
  /** The handler's id. */
  readonly id: string;
}

/** Keeps the progress of handlers. */
export interface ProgressStorage {
  /** Returns a handler's record; undefined if there is none, or only garbage. Never throws. */
  fetch(body: KubeObject, id: string, options?: FetchOptions): ProgressRecord | undefined;
  /** Puts the record into the patch, unless the body holds the same already. */
  store(target: ProgressTarget & { readonly record: ProgressRecord }): void;
  /** Puts the removal of the record into the patch; if the body does not have it, a pending record is taken out of the patch. */
  purge(target: ProgressTarget): void;
  /** Returns the ids of the records on the body; where long or odd ids are shortened, the shortened ones. */
  ids(body: KubeObject): string[];
  /**
   * Returns the names under which a handler's record is kept. Handlers of one kind must not share one.
   *
   * @throws {TypeError} If no record can be kept under that id.
   */
  keys(id: string): readonly string[];
  /** Returns further names that notes of this storage take: no handler's record may go there. Default: none. */
  reserved?(): readonly string[];
  /** Returns the fields of the status that it reads, so that events of others need no reconcile. Default: any may be. */
  statusFields?(): readonly FieldPath[];
  /** Returns an essence without what this storage keeps in it. */
  clear(essence: JsonObject): JsonObject;
  /** Puts the removal of left-over wake-up notes of Kopf's into the patch, and of records that do not count as the object's own. */
  sweep(patch: Patch, body: KubeObject, options?: FetchOptions): void;
}

/** The storages of both notes. */
export interface Notes {
  /** Where the state is kept that was handled last. */
  readonly diffBase: DiffBaseStorage;
  /** Where the progress of unfinished handlers is kept. */
  readonly progress: ProgressStorage;
}

/** All that decides about an operator's notes. */
export interface Persistence extends Notes {
  /** The name of the finalizer that holds objects back until they are handled. Changing it strands objects. */
  readonly finalizer: string;
  /** Whether an object is a new one that was restored, with its notes, under another uid. Default: "create", it is. */
  readonly restored?: Restored;
  /** Warnings to be said once at the start about how this was configured. */
  readonly warnings?: readonly string[];
}

/** Returns the essence of a body as the storages see it: `new` in handlers. */
export function currentEssence(
  { diffBase, progress }: Notes,
  body: KubeObject,
  options: { readonly extraFields?: readonly FieldPath[] } = {},
): JsonObject {
  return progress.clear(diffBase.build(body, options.extraFields));
}

// Storages never see confidential values: they get digests of them, and the states that they return are completed here.

/** The fields whose values must not be in notes. */
export interface ConfidentialOptions {
  /** Default: none. */
  readonly confidential?: readonly FieldPath[];
}

/** Returns the essence that was handled last: `old` in handlers; undefined if the object was never handled. */
export function handledEssence(
  { diffBase, progress, restored }: Notes & Pick<Persistence, "restored">,
  body: KubeObject,
  { confidential = [], ...options }: FetchEssenceOptions & ConfidentialOptions = {},
): JsonObject | undefined {
  const essence = diffBase.fetch(hideFields(body, confidential, body), { ...options, restored });
  return essence && revealFields(progress.clear(diffBase.clear(essence)), confidential, body);
}

/** Notes the essence as handled. */
export function storeEssence(
  { diffBase }: Pick<Notes, "diffBase">,
  { confidential = [], ...note }: EssenceNote & ConfidentialOptions,
): void {
  const { body, essence } = note;
  diffBase.store({
    ...note,
    body: hideFields(body, confidential, body),
    essence: hideFields(essence, confidential, body),
  });
}

/**
 * Whether the note should be written anew although the object is the same: it was made for other extra fields or for the former
 * object of the name, or it has open values.
 */
export function isNoteOutdated(
  { diffBase }: Pick<Notes, "diffBase">,
  body: KubeObject,
  { extraFields, confidential = [] }: ConfidentialOptions & { readonly extraFields: readonly FieldPath[] },
): boolean {
  const hidden = hideFields(body, confidential, body);
  if (diffBase.isOutdated(hidden, extraFields)) return true;
  const noted = confidential.length === 0 ? undefined : diffBase.fetch(hidden, { extraFields });
  return noted !== undefined && holdsPlain(noted, confidential);
}

/** Returns the names of all notes that are not records of handlers. */
export function reservedNames(
  { diffBase, progress }: Notes,
): readonly string[] {
  return [...diffBase.reserved?.() ?? [], ...progress.reserved?.() ?? []];
}
