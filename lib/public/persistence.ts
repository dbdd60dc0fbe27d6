/**
 * `@lotse/lotse/persistence`: where an operator keeps its notes on objects, and what to make a place of one's own from.
 *
 * @module
 */

export {
  annotations,
  type AnnotationsOptions,
  auto,
  type AutoOptions,
  kopf,
  type KopfOptions,
  migrate,
  type MigrateOptions,
  type NotesOptions,
  status,
  type StatusOptions,
} from "../settings/persistence/presets.ts";
export type {
  DiffBaseStorage,
  EssenceNote,
  FetchEssenceOptions,
  FetchOptions,
  Persistence,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
  UnreadableRecord,
} from "../settings/persistence/storage.ts";
export type { NotesRoom } from "../settings/persistence/notes_room.ts";
export { MultiDiffBase, type MultiOptions, MultiProgress } from "../settings/persistence/multi.ts";
export {
  annotationsDiffBase,
  type AnnotationsDiffBaseOptions,
  type DiffBaseOptions,
  statusDiffBase,
  type StatusDiffBaseOptions,
} from "../settings/persistence/diff_base.ts";
export type { KeyForm } from "../settings/persistence/annotations.ts";
export {
  AnnotationsProgress,
  type AnnotationsProgressOptions,
  StatusProgress,
  type StatusProgressOptions,
} from "../settings/persistence/progress.ts";
export type { RecordForm } from "../settings/persistence/record.ts";
export type { FieldPath, FieldSpec } from "../model/fields.ts";
