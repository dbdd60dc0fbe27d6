/**
 * Storages of the state that was handled last: in an annotation or in the status.
 *
 * Ours is canonical JSON with a member of its own, "$lotse", only where there is something to say: which extra fields
 * were counted, or that the state was too large and is kept compressed, in outline, or as a digest. Kopf's are Kopf's, byte
 * for byte.
 */

import { byteLengthOf, digestOf } from "../../model/encoding.ts";
import { buildEssence, clearEssence, type EssenceOptions } from "../../model/essence.ts";
import { isExtraField, withoutExtraFields } from "../../model/essence.ts";
import { type FieldPath, formatField, getField, withField, withoutField } from "../../model/fields.ts";
import { canonicalJson, isEqualJson, isObject, shallowCopy } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { compressText, decompressText } from "../../runtime/compression.ts";
import {
  annotationKeys,
  annotationsFit,
  annotationsOf,
  type KeyForm,
  parseNote,
  writeAnnotation,
  writeMarker,
  writeStatus,
} from "./annotations.ts";
import { fillOutline, type OutlineLimits, outlineOf } from "./truncation.ts";
import { toPythonJson } from "./record.ts";
import type { DiffBaseStorage, EssenceNote, FetchEssenceOptions, FetchOptions } from "./storage.ts";

/** Options of both storages. */
export interface DiffBaseOptions {
  /** Whose form is written. Both are read. */
  readonly form: "lotse" | "kopf";
  /** Fields that do not count as changes. Default: none. */
  readonly ignoredFields?: readonly FieldPath[];
}

/** Options of {@linkcode annotationsDiffBase}. */
export interface AnnotationsDiffBaseOptions extends DiffBaseOptions {
  /** The annotation's prefix. */
  readonly prefix: string;
  /** Default: "last-handled-configuration". */
  readonly key?: string;
  /** How the annotation's name is made. */
  readonly keyForm: KeyForm;
}

/** Options of {@linkcode statusDiffBase}. */
export interface StatusDiffBaseOptions extends DiffBaseOptions {
  /** Where in the status, such as `["status", "kopf", "last-handled-configuration"]`. */
  readonly field: FieldPath;
}

/** All annotations of an object together may have 256 KiB; this much is left to progress and to others. */
const TOTAL_LIMIT = 256 * 1024 - 32 * 1024;

/** The member in which we say something about the note itself. */
const ABOUT = "$lotse";

/** Unpacked states are no larger than this: Kubernetes' objects cannot be, either. In bytes. */
const UNPACKED_LIMIT = 4 * 1024 * 1024;

const FORMAT = 1;

/** Outlines from the finest on: the first that fits is taken. What is twice as large would hardly be compressed enough. */
const OUTLINES: readonly OutlineLimits[] = [
  [4096, Infinity],
  [512, Infinity],
  [64, Infinity],
  [64, 100_000],
  [64, 10_000],
  [64, 1000],
].map(([value = 0, object = 0]) => ({ value, object, whole: 2 * TOTAL_LIMIT }));

/** etcd takes 1.5 MiB in one request; this much is left to what others write. In bytes. */
const OBJECT_LIMIT = 1.5 * 1024 * 1024 - 256 * 1024;

/** The facts that a note says about itself. */
interface About {
  readonly format: number;
  /** Extra fields that were counted. */
  readonly fields?: readonly FieldPath[];
  /** Holds a state that was too large as it is. */
  readonly deflated?: string;
  /** Holds the outline of a state that was too large even so. */
  readonly outline?: string;
  /** Stands for a state where others' annotations leave no room at all. */
  readonly digest?: string;
}

/** Returns a storage that keeps the state in an annotation. */
export function annotationsDiffBase(options: AnnotationsDiffBaseOptions): DiffBaseStorage {
  return new DiffBase(options, new AnnotationPlace(options));
}

/** Returns a storage that keeps the state as a JSON text in the status. */
export function statusDiffBase(options: StatusDiffBaseOptions): DiffBaseStorage {
  return new DiffBase(options, new StatusPlace(options.field));
}

/** The facts that a note says of itself, and where it stands. */
interface Noted {
  readonly about: About;
  readonly body: KubeObject;
  readonly options: FetchOptions;
}

/** A note as it stands on an object. NB: its content is shared, and not frozen; handlers get it frozen, if they ask for it. */
interface WrittenNote {
  readonly text: string;
  readonly content: JsonObject;
}

/** Where a note is. */
interface Place {
  /** The parts of an object that belong to the notes: an annotation prefix that is all ours, a field. */
  readonly own: Pick<EssenceOptions, "prefix" | "ignoredFields">;
  read(body: KubeObject, options: FetchOptions): WrittenNote | undefined;
  /** Tells whether there is room for it. */
  write(note: EssenceNote, text: string): boolean;
  /** Whether Kubernetes would take such a note. */
  fits(body: KubeObject, text: string): boolean;
  /** The names under which it is kept. */
  names(): readonly string[];
}

class DiffBase implements DiffBaseStorage {
  readonly #options: DiffBaseOptions;
  readonly #place: Place;
  /** The parts that do not count. */
  readonly #hidden: EssenceOptions;
  /** The note that was unpacked last: within a reconcile it is asked for several times. */
  #unpacked: WrittenNote | undefined;

  constructor(options: DiffBaseOptions, place: Place) {
    this.#options = options;
    this.#place = place;
    const { prefix, ignoredFields = [] } = place.own;
    this.#hidden = { prefix, ignoredFields: [...ignoredFields, ...options.ignoredFields ?? []] };
  }

  build(body: KubeObject, extraFields: readonly FieldPath[] = []): JsonObject {
    return buildEssence(body, { ...this.#hidden, extraFields });
  }

  fetch(body: KubeObject, options: FetchEssenceOptions = {}): JsonObject | undefined {
    const note = this.#place.read(body, options);
    if (note === undefined) return undefined;
    const { [ABOUT]: raw, ...essence } = note.content;
    const about = readAbout(raw);
    if (about === undefined) {
      options.onUnreadable?.({ where: ABOUT, reason: "its format is unknown" });
      return undefined;
    }
    const wanted = (options.extraFields ?? []).filter(isExtraField);
    if (about.digest !== undefined) return this.#fromDigest(body, about, wanted);
    const recorded = this.#recorded(raw, about);
    const whole = this.#whole(essence, { about, body, options });
    return whole && align(whole, { body, wanted, recorded });
  }

  isOutdated(body: KubeObject, extraFields: readonly FieldPath[] = []): boolean {
    if (this.#options.form === "kopf") return false;
    const note = this.#place.read(body, {});
    const about = note && readAbout(note.content[ABOUT]);
    if (about === undefined) return false;
    return canonicalFields(about.fields ?? []) !== canonicalFields(extraFields.filter(isExtraField));
  }

  store(note: EssenceNote): void {
    const { body, essence, extraFields = [] } = note;
    if (this.#options.form === "kopf") {
      // Kopf's own writing of the same state can differ by bytes (1.0 for 1): it is left alone.
      if (!isEqualJson(this.#place.read(body, {})?.content, essence)) {
        this.#write(note, toPythonJson(essence) + "\n");
      }
      return;
    }
    const fields = extraFields.filter(isExtraField);
    const { text, isWhole } = this.#unchanged(note, fields) ??
      this.#fitting(body, essence, { format: FORMAT, fields });
    this.#write(note, text, isWhole);
  }

  clear(essence: JsonObject): JsonObject {
    return clearEssence(essence, this.#hidden);
  }

  /**
   * Returns the body's note if it says the same already, as plain JSON. NB: that costs much less than to write it anew, and
   * after a restart it is so for each object.
   */
  #unchanged(
    { body, essence }: EssenceNote,
    fields: readonly FieldPath[],
  ): { readonly text: string; readonly isWhole: true } | undefined {
    const note = this.#place.read(body, {});
    if (note === undefined) return undefined;
    const { [ABOUT]: raw, ...noted } = note.content;
    const about = readAbout(raw);
    if (about === undefined || (about.digest ?? about.deflated ?? about.outline) !== undefined) {
      return undefined;
    }
    const isSame = isEqualJson(noted, essence) &&
      canonicalFields(about.fields ?? []) === canonicalFields(fields);
    return isSame ? { text: note.text, isWhole: true } : undefined;
  }

  #write(note: EssenceNote, text: string, isWhole = true): void {
    const isWritten = this.#place.write(note, text);
    if (!isWritten || !isWhole) note.onLoss?.(isWritten ? "part" : "all");
  }

  reserved(): readonly string[] {
    return this.#place.names();
  }

  statusFields(): readonly FieldPath[] {
    return this.#place.own.ignoredFields ?? [];
  }

  /** Returns the first form that fits: as it is, compressed, in outline, or nothing but a digest. */
  #fitting(body: KubeObject, essence: JsonObject, about: About): { text: string; isWhole: boolean } {
    const plain = canonicalJson(withAbout(essence, about));
    if (this.#place.fits(body, plain)) return { text: plain, isWhole: true };
    const packed = (more: object): string => canonicalJson({ [ABOUT]: { ...tersely(about), ...more } });
    const deflated = packed({ deflated: compressText(canonicalJson(essence)) });
    if (this.#place.fits(body, deflated)) return { text: deflated, isWhole: true };
    for (const limits of this.#place.fits(body, "") ? OUTLINES : []) {
      const outline = outlineOf(essence, limits);
      const text = outline && packed({ outline: compressText(canonicalJson(outline)) });
      if (text !== undefined && this.#place.fits(body, text)) return { text, isWhole: false };
    }
    return { text: packed({ digest: digestOf(essence) }), isWhole: false };
  }

  /** Returns the state that a note holds in any form but a digest. */
  #whole(essence: JsonObject, { about, body, options }: Noted): JsonObject | undefined {
    if (about.deflated !== undefined) return this.#unpack("deflated", about.deflated, options);
    if (about.outline === undefined) return essence;
    const outline = this.#unpack("outline", about.outline, options);
    if (outline === undefined) return undefined;
    const { rest, large } = outline;
    const parts = { rest: isObject(rest) ? rest : {}, large: isObject(large) ? large : {} };
    return fillOutline(parts, this.build(body, about.fields ?? []));
  }

  #unpack(form: string, text: string, options: FetchOptions): JsonObject | undefined {
    if (this.#unpacked?.text === text) return this.#unpacked.content;
    const where = `${ABOUT}.${form}`;
    const unpacked = decompressText(text, UNPACKED_LIMIT);
    if (unpacked === undefined) options.onUnreadable?.({ where, reason: "it cannot be unpacked" });
    const content = parseNote(unpacked, where, options);
    if (content !== undefined) this.#unpacked = { text, content };
    return content;
  }

  /** Kopf does not say which fields it counted: all that were declared, as far as we know. */
  #recorded(raw: unknown, about: About): readonly FieldPath[] | "all" {
    return raw === undefined && this.#options.form === "kopf" ? "all" : about.fields ?? [];
  }

  /** A state of which only the digest is known is either the present one, or nothing is known of it. */
  #fromDigest(body: KubeObject, about: About, wanted: readonly FieldPath[]): JsonObject {
    const unchanged = digestOf(this.build(body, about.fields ?? [])) === about.digest;
    return unchanged ? this.build(body, wanted) : {};
  }
}

class AnnotationPlace implements Place {
  readonly own: { readonly prefix: string };
  readonly #options: AnnotationsDiffBaseOptions;
  readonly #key: string;
  /** The note that was parsed last: within a reconcile it is asked for several times. */
  #last: WrittenNote | undefined;

  constructor(options: AnnotationsDiffBaseOptions) {
    this.own = { prefix: options.prefix };
    this.#options = options;
    this.#key = options.key ?? "last-handled-configuration";
  }

  read(body: KubeObject, options: FetchOptions): WrittenNote | undefined {
    const annotations = annotationsOf(body);
    for (const key of this.#keys(body)) {
      const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
      if (typeof text === "string" && text === this.#last?.text) return this.#last;
      const content = parseNote(text, key, options);
      if (content === undefined) continue;
      return this.#last = { text: String(text), content };
    }
    return undefined;
  }

  write(note: EssenceNote, text: string): boolean {
    const isWritten = this.#keys(note.body).map((key) => writeAnnotation(note, key, text));
    if (isWritten.includes(true)) writeMarker(note, this.own.prefix);
    return isWritten.includes(true);
  }

  fits(body: KubeObject, text: string): boolean {
    const own = Object.fromEntries(this.#keys(body).map((key) => [key, text]));
    return annotationsFit(body, own, TOTAL_LIMIT);
  }

  names(): readonly string[] {
    return this.#keys();
  }

  #keys(body?: KubeObject): readonly string[] {
    return annotationKeys(this.#key, { prefix: this.own.prefix, form: this.#options.keyForm, body });
  }
}

class StatusPlace implements Place {
  readonly own: { readonly ignoredFields: readonly FieldPath[] };
  readonly #field: FieldPath;

  constructor(field: FieldPath) {
    this.own = { ignoredFields: [field] };
    this.#field = field;
  }

  read(body: KubeObject, options: FetchOptions): WrittenNote | undefined {
    const text = getField(body, this.#field);
    const content = parseNote(text, formatField(this.#field), options);
    return content && { text: String(text), content };
  }

  write(note: EssenceNote, text: string): boolean {
    if (getField(note.body, this.#field) !== text.trimEnd()) writeStatus(note, this.#field, text.trimEnd());
    return true;
  }

  fits(body: KubeObject, text: string): boolean {
    if (text.length * 3 <= TOTAL_LIMIT) return true;
    const others = byteLengthOf(canonicalJson(withoutField(body, this.#field)));
    // The text is a member of JSON: what is quoted in it is escaped.
    return others + byteLengthOf(JSON.stringify(text)) <= OBJECT_LIMIT;
  }

  names(): readonly string[] {
    return [this.#field.join(".")];
  }
}

/** Says nothing about fields where there are none. */
function tersely({ format, fields = [] }: About): About {
  return fields.length > 0 ? { format, fields } : { format };
}

function withAbout(essence: JsonObject, about: About): JsonObject {
  const note = shallowCopy(essence);
  if ((about.fields ?? []).length > 0) note[ABOUT] = about;
  return note;
}

/** Returns what a note says about itself; nothing said is the present format; undefined if it is not understood. */
function readAbout(raw: unknown): About | undefined {
  if (raw === undefined || raw === null) return { format: FORMAT };
  if (!isObject(raw) || raw.format !== FORMAT) return undefined;
  const fields = Array.isArray(raw.fields) ? raw.fields.filter(isPath) : [];
  const { digest, deflated, outline } = raw;
  return {
    format: FORMAT,
    fields,
    digest: typeof digest === "string" ? digest : undefined,
    deflated: typeof deflated === "string" ? deflated : undefined,
    outline: typeof outline === "string" ? outline : undefined,
  };
}

function isPath(value: unknown): value is FieldPath {
  return Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === "string");
}

interface Alignment {
  readonly body: KubeObject;
  readonly wanted: readonly FieldPath[];
  readonly recorded: readonly FieldPath[] | "all";
}

/** Makes an old essence comparable with one that is made with the wanted extra fields. */
function align(essence: JsonObject, { body, wanted, recorded }: Alignment): JsonObject {
  if (wanted.length === 0 && recorded.length === 0) return essence;
  let result = withoutExtraFields(essence);
  for (const path of wanted) {
    const isRecorded = recorded === "all" ||
      recorded.some((each) => each.every((key, index) => path[index] === key));
    const value = getField(isRecorded ? essence : body, path);
    if (value !== undefined) result = withField(result, path, value);
  }
  return result;
}

function canonicalFields(fields: readonly FieldPath[]): string {
  return [...new Set(fields.map((path) => JSON.stringify(path)))].sort().join();
}
