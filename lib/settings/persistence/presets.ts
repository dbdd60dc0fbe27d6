/**
 * The ways to keep notes on objects that users pick from: `operator({ persistence: persistence.kopf() })`.
 *
 * Each sets the finalizer and both storages; any of the three can be replaced. See docs/decisions/0004-notes.md.
 */

import { MARKER } from "../../model/essence.ts";
import { type FieldSpec, parseField } from "../../model/fields.ts";
import { checkPrefix, type KeyForm } from "./annotation_names.ts";
import { chooseNotes, combineNotes } from "./combined.ts";
import { DiffBase } from "./diff_base.ts";
import { NotesRoom } from "./notes_room.ts";
import { AnnotationPlace, StatusPlace } from "./place.ts";
import { ProgressNotes } from "./progress.ts";
import type { RecordForm } from "./record.ts";
import type { Notes, Persistence, Restored } from "./storage.ts";

/** The id of the note that holds the state that was handled last. */
const STATE = "last-handled-configuration";

/** Options of all presets. */
export interface NotesOptions {
  /** Fields whose changes do not count, such as "spec.replicas" where an autoscaler writes it. Default: none. */
  readonly ignoredFields?: readonly FieldSpec[];
}

/** Options of presets whose notes name their object. Kopf's do not. */
export interface RestoredOptions {
  /**
   * The meaning of an object that was restored from a backup with its notes: same namespace and name, and another uid. "create": a
   * new object, whose creation handlers are called. "resume": its notes count, and its resumption handlers are called. An object
   * that was copied under another name, or into another namespace, is new in any case. Default: "create".
   */
  readonly restored?: Restored;
}

/** Options of {@linkcode annotations}. */
export interface AnnotationsOptions extends NotesOptions, RestoredOptions {
  /** A DNS name that no other operator uses. Default: "lotse.dev". */
  readonly prefix?: string;
}

/** Options of {@linkcode status}. */
export interface StatusOptions extends NotesOptions, RestoredOptions {
  /** The field of the status that holds the notes; operators on the same objects need different ones. Default: "lotse". */
  readonly name?: string;
}

/** Options of {@linkcode kopf}. */
export interface KopfOptions extends Omit<AnnotationsOptions, keyof RestoredOptions> {
  /** The field of the status in which old versions of Kopf kept progress; read and purged only. Default: "kopf". */
  readonly name?: string;
  /** Whether Kopf's older, shorter annotation names are written too. Default: true, as in Kopf. */
  readonly v1?: boolean;
}

/**
 * Keeps notes in annotations under one prefix.
 *
 * @throws {RangeError} If the prefix is not a DNS name.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 *
 * const op = operator({ persistence: persistence.annotations({ prefix: "databases.example.com" }) });
 * ```
 */
export function annotations(options: AnnotationsOptions = {}): Persistence {
  const { prefix = "lotse.dev", ignoredFields, restored } = options;
  const notes = annotationNotes({ prefix, ignoredFields, form: "lotse" });
  return { ...notes, warnings: checkPrefix(prefix), finalizer: `${prefix}/finalizer`, restored };
}

/**
 * Keeps notes inside the status: where it is a subresource, notes and handlers' own status then go out in one write.
 *
 * The kind's schema must let them through: `status.<name>` with `x-kubernetes-preserve-unknown-fields`.
 *
 * @throws {RangeError} If the name is empty.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 *
 * const op = operator({ persistence: persistence.status({ name: "databases" }) });
 * ```
 */
export function status(options: StatusOptions = {}): Persistence {
  const { name = "lotse" } = options;
  if (name === "") throw new RangeError("Cannot keep notes in the status: the name of their field is empty");
  const { ignoredFields, restored } = options;
  return {
    ...statusNotes({ name, ignoredFields, form: "lotse" }),
    finalizer: "lotse.dev/finalizer",
    restored,
  };
}

/** Options of {@linkcode auto}. */
export interface AutoOptions extends AnnotationsOptions, StatusOptions {}

/**
 * Keeps notes in the status of kinds that let them through, and in annotations of the others: the default. One write instead of two
 * where a handler writes to the status anyway.
 *
 * The operator reads the definition of each custom kind when it meets it (with the right to `get customresourcedefinitions`;
 * without it annotations are the place). Notes go to the status if that is a subresource whose schema keeps unknown
 * fields under `status.<name>`, and neither requires fields nor has rules, so that notes alone are always valid; the
 * definitions that `lotse generate crd` makes are so. Notes that lie in the other place are understood, and moved with the
 * next write: no handler is repeated. If another writer takes notes out of the status, the kind goes back to annotations.
 *
 * @throws {RangeError} If the prefix is not a DNS name, or the name is empty.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 *
 * const op = operator({ persistence: persistence.auto() });
 * ```
 */
export function auto(options: AutoOptions = {}): Persistence {
  const inAnnotations = annotations(options);
  const room = new NotesRoom(["status", options.name ?? "lotse"]);
  return { ...inAnnotations, ...chooseNotes({ annotations: inAnnotations, status: status(options), room }) };
}

/**
 * Keeps notes as Kopf does, byte for byte, so that a Python operator can be replaced in place.
 *
 * @throws {RangeError} If the prefix is not a DNS name.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 *
 * const op = operator({ persistence: persistence.kopf() });
 * ```
 */
export function kopf(options: KopfOptions = {}): Persistence {
  const { prefix = "kopf.zalando.org", name = "kopf", v1 = true, ignoredFields } = options;
  const form = "kopf";
  const notes = annotationNotes({ prefix, form, keyForm: v1 ? "kopf-v1" : "kopf-v2", ignoredFields });
  return {
    warnings: checkPrefix(prefix),
    finalizer: "kopf.zalando.org/KopfFinalizerMarker",
    diffBase: notes.diffBase,
    progress: combineNotes([notes, statusNotes({ name, form })], { writable: 1 }).progress,
  };
}

/** Options of {@linkcode migrate}. */
export interface MigrateOptions {
  /** Where notes are kept from now on. */
  readonly to: Persistence;
  /** Where they were kept before; the first one that has a note counts. */
  readonly from: readonly Persistence[];
  /** Whether the old places are written, too, so that there is a way back. Default: false. */
  readonly both?: boolean;
  /**
   * Whether the notes of objects at rest move when the operator starts, with one write for each object; otherwise they move with the
   * object's next write. It is for the way back to an operator that knows nothing of the old places. Default: false.
   */
  readonly atOnce?: boolean;
}

/**
 * Moves notes from one place to another while objects are handled: no handler is repeated, and none is left out.
 *
 * Everything is read from all places, and progress is removed from all of them. The finalizer of the first old
 * place stays, since objects hold it: with another one, they could never go.
 *
 * @throws {RangeError} If there is no place that they come from.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 *
 * const op = operator({ persistence: persistence.migrate({ to: persistence.annotations(), from: [persistence.kopf()] }) });
 * ```
 */
export function migrate({ to, from, both = false, atOnce }: MigrateOptions): Persistence {
  const [before] = from;
  if (before === undefined) throw new RangeError("Cannot move notes: say where they come from");
  const all = [to, ...from];
  return {
    ...combineNotes(all, { writable: both ? all.length : 1, atOnce }),
    restored: to.restored,
    warnings: all.flatMap(({ warnings = [] }) => warnings),
    finalizer: before.finalizer,
  };
}

/** Options of {@linkcode annotationNotes}. */
export interface AnnotationNotesOptions extends NotesOptions {
  /** The annotations' prefix. */
  readonly prefix: string;
  /** Whose form is written. Both are read. */
  readonly form: RecordForm;
  /** How the annotations' names are made. Default: "lotse" for our form, "kopf-v1" for Kopf's. */
  readonly keyForm?: KeyForm;
  /** The name of the state's annotation after the prefix. Default: "last-handled-configuration". */
  readonly key?: string;
  /** The name of Kopf's wake-up note after the prefix: it is removed where it is found. Default: "touch-dummy". */
  readonly touchKey?: string;
  /** Whether records say null for members that they do not have. Default: false. */
  readonly verbose?: boolean;
}

/** Returns storages that keep both notes in annotations, for arrangements that no preset has, such as Kopf's own storages. */
export function annotationNotes(options: AnnotationNotesOptions): Notes {
  const { prefix, form, key = STATE, touchKey = "touch-dummy", verbose } = options;
  const place = new AnnotationPlace(prefix, options.keyForm ?? (form === "kopf" ? "kopf-v1" : "lotse"));
  const [touch, others] = [{ place, id: touchKey }, [MARKER, key, touchKey]];
  return {
    diffBase: new DiffBase({ place, id: key, form, ignoredFields: pathsOf(options) }),
    progress: new ProgressNotes({ place, form, verbose, touch, others }),
  };
}

/** Options of {@linkcode statusNotes}. */
export interface StatusNotesOptions extends NotesOptions {
  /** Whose form is written. Both are read. */
  readonly form: RecordForm;
  /** The field of the status that holds the notes. Default: "lotse" for our form, "kopf" for Kopf's. */
  readonly name?: string;
  /** Where the state is. Default: "status.<name>.last-handled-configuration". */
  readonly stateField?: FieldSpec;
  /** Where the records are. Default: "status.<name>.progress". */
  readonly progressField?: FieldSpec;
  /** Where Kopf's wake-up note is. Default: "status.<name>.dummy". */
  readonly touchField?: FieldSpec;
}

/** Returns storages that keep both notes in the status, for arrangements that no preset has, such as Kopf's own storages. */
export function statusNotes(options: StatusNotesOptions): Notes {
  const { form, name = form } = options;
  const { stateField = ["status", name, STATE], touchField = ["status", name, "dummy"] } = options;
  const { progressField = ["status", name, "progress"] } = options;
  const place = new StatusPlace(parseField(progressField));
  return {
    diffBase: new DiffBase({ ...noteAt(stateField), form, ignoredFields: pathsOf(options) }),
    progress: new ProgressNotes({ place, form, touch: noteAt(touchField) }),
  };
}

function noteAt(field: FieldSpec): { readonly place: StatusPlace; readonly id: string } {
  const path = parseField(field);
  return { place: new StatusPlace(path.slice(0, -1)), id: path.at(-1) ?? "" };
}

function pathsOf({ ignoredFields = [] }: NotesOptions) {
  return ignoredFields.map(parseField);
}
