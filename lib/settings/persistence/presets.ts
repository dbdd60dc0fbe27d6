/**
 * The ways to keep notes on objects that users pick from: `operator({ persistence: persistence.kopf() })`.
 *
 * Each sets the finalizer and both storages; any of the three can be replaced. See docs/decisions/0004-notes.md.
 */

import { type FieldSpec, parseField } from "../../model/fields.ts";
import { MultiDiffBase, MultiProgress } from "./multi.ts";
import { annotationsDiffBase, statusDiffBase } from "./diff_base.ts";
import { annotationKeys, checkPrefix, dropAnnotation, dropStatus } from "./annotations.ts";
import { AutoDiffBase, AutoProgress } from "./auto.ts";
import { NotesRoom } from "./notes_room.ts";
import type { Persistence } from "./storage.ts";
import { AnnotationsProgress, StatusProgress } from "./progress.ts";

/** The name of the note that holds the state that was handled last. */
const STATE = "last-handled-configuration";

/** Options of all presets. */
export interface NotesOptions {
  /** Fields whose changes do not count, such as "spec.replicas" where an autoscaler writes it. Default: none. */
  readonly ignoredFields?: readonly FieldSpec[];
}

/** Options of {@linkcode annotations}. */
export interface AnnotationsOptions extends NotesOptions {
  /** A DNS name that no other operator uses. Default: "lotse.dev". */
  readonly prefix?: string;
}

/** Options of {@linkcode status}. */
export interface StatusOptions extends NotesOptions {
  /** The field of the status that holds the notes; operators on the same objects need different ones. Default: "lotse". */
  readonly name?: string;
}

/** Options of {@linkcode kopf}. */
export interface KopfOptions extends AnnotationsOptions {
  /** The field of the status in which old versions of Kopf kept progress; read and purged only. Default: "kopf". */
  readonly name?: string;
  /** Whether Kopf's older, shorter annotation names are written too. Default: true, as in Kopf. */
  readonly v1?: boolean;
}

/**
 * Keeps notes in annotations under one prefix: the default.
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
  const { prefix = "lotse.dev" } = options;
  const place = { prefix, keyForm: "lotse", form: "lotse" } as const;
  return {
    warnings: checkPrefix(prefix),
    finalizer: `${prefix}/finalizer`,
    diffBase: annotationsDiffBase({ ...place, ignoredFields: pathsOf(options) }),
    progress: new AnnotationsProgress(place),
  };
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
  return {
    finalizer: "lotse.dev/finalizer",
    diffBase: statusDiffBase({
      form: "lotse",
      field: ["status", name, STATE],
      ignoredFields: pathsOf(options),
    }),
    progress: new StatusProgress({ form: "lotse", ...statusFields(name) }),
  };
}

/** Options of {@linkcode auto}. */
export interface AutoOptions extends AnnotationsOptions, StatusOptions {}

/**
 * Keeps notes in the status of kinds that let them through, and in annotations of the others: one write instead of two
 * where a handler writes to the status anyway.
 *
 * The operator reads the definition of each custom kind when it meets it (the right to `get customresourcedefinitions`
 * is needed; without it annotations are used). Notes go to the status if that is a subresource whose schema keeps unknown
 * fields under `status.<name>`, and neither requires fields nor has rules, so that notes alone are always valid; the
 * definitions that `lotse generate crd` makes are so. Notes that lie in the other place are understood, and moved with the
 * next write: no handler is repeated. Not for kinds whose status somebody else replaces as a whole.
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
  const { prefix = "lotse.dev", name = "lotse" } = options;
  const [inAnnotations, inStatus] = [annotations(options), status(options)];
  const room = new NotesRoom(["status", name]);
  const places = { annotations: inAnnotations, status: inStatus, room };
  return {
    ...inAnnotations,
    diffBase: new AutoDiffBase(places, {
      status: (target) => dropStatus(target, ["status", name, STATE]),
      annotations: (target) => {
        const keys = annotationKeys(STATE, { prefix, form: "lotse", body: target.body });
        for (const key of keys) dropAnnotation(target, key);
      },
    }),
    progress: new AutoProgress(places),
  };
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
  const { prefix = "kopf.zalando.org", name = "kopf", v1 = true } = options;
  const place = { prefix, keyForm: v1 ? "kopf-v1" : "kopf-v2", form: "kopf" } as const;
  const inStatus = new StatusProgress({ form: "kopf", ...statusFields(name) });
  return {
    warnings: checkPrefix(prefix),
    finalizer: "kopf.zalando.org/KopfFinalizerMarker",
    diffBase: annotationsDiffBase({ ...place, ignoredFields: pathsOf(options) }),
    progress: new MultiProgress([new AnnotationsProgress(place), inStatus], { writable: 1 }),
  };
}

/** Options of {@linkcode migrate}. */
export interface MigrateOptions {
  /** Where notes are kept from now on. */
  readonly to: Persistence;
  /** Where they were kept before; the first one that has something counts. */
  readonly from: readonly Persistence[];
  /** Whether the old places are written, too, so that there is a way back. Default: false. */
  readonly both?: boolean;
}

/**
 * Moves notes from one place to another while objects are handled: no handler is repeated, and none is left out.
 *
 * Everything is read from all places, and progress is removed from all of them. The finalizer stays that of the first old
 * place, since objects hold it: with another one, they could never go.
 *
 * @throws {RangeError} If there is no place that they come from.
 * @example
 * ```ts
 * import { operator, persistence } from "@lotse/lotse";
 *
 * const op = operator({ persistence: persistence.migrate({ to: persistence.annotations(), from: [persistence.kopf()] }) });
 * ```
 */
export function migrate({ to, from, both = false }: MigrateOptions): Persistence {
  const [before] = from;
  if (before === undefined) throw new RangeError("Cannot move notes: say where they come from");
  const all = [to, ...from];
  const writable = both ? all.length : 1;
  return {
    warnings: all.flatMap(({ warnings = [] }) => warnings),
    finalizer: before.finalizer,
    diffBase: new MultiDiffBase(all.map(({ diffBase }) => diffBase), { writable }),
    progress: new MultiProgress(all.map(({ progress }) => progress), { writable }),
  };
}

function statusFields(name: string) {
  return { field: ["status", name, "progress"], touchField: ["status", name, "dummy"] };
}

function pathsOf({ ignoredFields = [] }: NotesOptions) {
  return ignoredFields.map(parseField);
}
