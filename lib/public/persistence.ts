/**
 * `@lotse/lotse/persistence`: where an operator keeps its notes on objects, and the parts of a place of one's own.
 *
 * @module
 */

export {
  annotationNotes,
  type AnnotationNotesOptions,
  annotations,
  type AnnotationsOptions,
  auto,
  type AutoOptions,
  kopf,
  type KopfOptions,
  migrate,
  type MigrateOptions,
  type NotesOptions,
  type RestoredOptions,
  status,
  statusNotes,
  type StatusNotesOptions,
  type StatusOptions,
} from "../settings/persistence/presets.ts";
export type {
  DiffBaseStorage,
  EssenceNote,
  FetchEssenceOptions,
  FetchOptions,
  ForeignNote,
  Notes,
  Persistence,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
  Restored,
  UnreadableRecord,
} from "../settings/persistence/storage.ts";
export type { NotesRoom } from "../settings/persistence/notes_room.ts";
export { combineNotes, type CombineOptions } from "../settings/persistence/combined.ts";
export type { KeyForm } from "../settings/persistence/annotation_names.ts";
export type { RecordForm } from "../settings/persistence/record.ts";
export type { FieldPath, FieldSpec } from "../model/fields.ts";
