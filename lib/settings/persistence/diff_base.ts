/**
 * The state that was handled last as a note, in either place and in either form.
 *
 * Ours is canonical JSON with a member of its own, "$lotse": which object it is the state of, which extra fields were counted,
 * and whether the state was too large and is kept compressed, in outline, or as a digest. Kopf's are Kopf's, byte for byte.
 */

import { digestOf } from "../../model/encoding.ts";
import { buildEssence, clearEssence, type EssenceOptions } from "../../model/essence.ts";
import { isExtraField, withoutExtraFields } from "../../model/essence.ts";
import { type FieldPath, getField, withField } from "../../model/fields.ts";
import { canonicalJson, isEqualJson, isObject, shallowCopy } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { compressText, decompressText } from "../../runtime/compression.ts";
import { identityOf, isOwnNote } from "./identity.ts";
import { parseNote, toPythonJson } from "./note_texts.ts";
import type { NoteTarget, Place } from "./place.ts";
import type { RecordForm } from "./record.ts";
import type { DiffBaseStorage, EssenceNote, FetchEssenceOptions, FetchOptions } from "./storage.ts";
import { fillOutline, outlineOf } from "./truncation.ts";

/** Options of {@linkcode DiffBase}. */
export interface DiffBaseOptions {
  readonly place: Place;
  /** The id of the note in its place. */
  readonly id: string;
  /** Whose form is written. Both are read. */
  readonly form: RecordForm;
  /** Fields that do not count as changes. Default: none. */
  readonly ignoredFields?: readonly FieldPath[];
}

/** The member with facts about the note itself. */
const ABOUT = "$lotse";

/** Unpacked states are no larger than this: Kubernetes' objects cannot be, either. In bytes. */
const UNPACKED_LIMIT = 4 * 1024 * 1024;

const FORMAT = 1;

/** The facts that a note says about itself. */
interface About {
  readonly format: number;
  /** The object that it is the state of. Earlier releases did not say it. */
  readonly of?: string;
  /** Extra fields that were counted. */
  readonly fields?: readonly FieldPath[];
  /** Holds a state that was too large as it is. */
  readonly deflated?: string;
  /** Holds the outline of a state that was too large even so. */
  readonly outline?: string;
  /** Stands for a state where others' annotations leave no room at all. */
  readonly digest?: string;
}

/** The facts that a note says of itself, and where it stands. */
interface Noted {
  readonly about: About;
  readonly body: KubeObject;
  readonly options: FetchOptions;
}

/** How many parsed notes are kept. */
const KEPT = 64;

/** A note as it stands on an object. NB: its parts are shared, and not frozen; handlers get them frozen, if they ask for them. */
interface WrittenNote {
  readonly text: string;
  /** All members but the note's own. */
  readonly essence: JsonObject;
  /** Undefined: the format is unknown. */
  readonly about: About | undefined;
  /** Whether the note says anything about itself. */
  readonly isMarked: boolean;
}

/** Keeps the state that was handled last. */
export class DiffBase implements DiffBaseStorage {
  readonly #options: DiffBaseOptions;
  /** The parts of an object that do not count. */
  readonly #hidden: EssenceOptions;
  /** The notes that were parsed last, by their texts: a reconcile asks for them several times, and several reconciles go on at once. */
  readonly #parsed = new Map<string, WrittenNote>();
  /** The note that was unpacked last. */
  #unpacked: { readonly text: string; readonly content: JsonObject } | undefined;

  /** Keeps the state as the options say. */
  constructor(options: DiffBaseOptions) {
    this.#options = options;
    const { place, id, ignoredFields = [] } = options;
    const { prefix, ignoredFields: own = [] } = place.own(id);
    this.#hidden = { prefix, ignoredFields: [...own, ...ignoredFields] };
  }

  build(body: KubeObject, extraFields: readonly FieldPath[] = []): JsonObject {
    return buildEssence(body, { ...this.#hidden, extraFields });
  }

  fetch(body: KubeObject, options: FetchEssenceOptions = {}): JsonObject | undefined {
    const note = this.#read(body, options);
    if (note === undefined) return undefined;
    const { about, essence, isMarked } = note;
    if (about === undefined) {
      options.onUnreadable?.({ where: ABOUT, reason: "its format is unknown" });
      return undefined;
    }
    if (!isOwnNote(about.of, body, options)) return undefined;
    const wanted = (options.extraFields ?? []).filter(isExtraField);
    if (about.digest !== undefined) return this.#fromDigest(body, about, wanted);
    // Kopf does not say which fields it counted: all that were declared, as far as we know.
    const recorded = !isMarked && this.#options.form === "kopf" ? "all" : about.fields ?? [];
    const whole = this.#whole(essence, { about, body, options });
    return whole && align(whole, { body, wanted, recorded });
  }

  isOutdated(body: KubeObject, extraFields: readonly FieldPath[] = []): boolean {
    if (this.#options.form === "kopf") return false;
    const about = this.#read(body)?.about;
    if (about === undefined) return false;
    if (!isOwnNote(about.of, body)) return true;
    return canonicalFields(about.fields ?? []) !== canonicalFields(extraFields.filter(isExtraField));
  }

  store(note: EssenceNote): void {
    const { body, essence, extraFields = [] } = note;
    if (this.#options.form === "kopf") {
      // Kopf's own writing of the same state can differ by bytes (1.0 for 1): it is left alone.
      const written = this.#read(body);
      if (written?.isMarked !== false || !isEqualJson(written.essence, essence)) {
        this.#write(note, toPythonJson(essence) + "\n");
      }
      return;
    }
    const fields = extraFields.filter(isExtraField);
    const { text, isWhole } = this.#unchanged(note, fields) ??
      this.#fitting(body, essence, { format: FORMAT, of: identityOf(body), fields });
    this.#write(note, text, isWhole);
  }

  purge(target: NoteTarget): void {
    this.#options.place.drop(target, this.#options.id);
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
    const note = this.#read(body);
    if (note === undefined) return undefined;
    const { about } = note;
    if (about === undefined || (about.digest ?? about.deflated ?? about.outline) !== undefined) {
      return undefined;
    }
    if (!isOwnNote(about.of, body)) return undefined;
    const isSame = isEqualJson(note.essence, essence) &&
      canonicalFields(about.fields ?? []) === canonicalFields(fields);
    return isSame ? { text: note.text, isWhole: true } : undefined;
  }

  #write(note: EssenceNote, text: string, isWhole = true): void {
    const { place, id } = this.#options;
    const isWritten = place.write({ patch: note.patch, body: note.body, id, value: text });
    if (!isWritten || !isWhole) note.onLoss?.(isWritten ? "part" : "all");
  }

  reserved(): readonly string[] {
    return this.#options.place.names(this.#options.id);
  }

  statusFields(): readonly FieldPath[] {
    return this.#options.place.own(this.#options.id).ignoredFields ?? [];
  }

  /** Returns the first form that fits: as it is, compressed, in outline, or a digest alone. */
  #fitting(body: KubeObject, essence: JsonObject, about: About): { text: string; isWhole: boolean } {
    const fits = (text: string): boolean => this.#options.place.fits(body, this.#options.id, text);
    const content = withAbout(essence, about);
    const plain = canonicalJson(content);
    if (fits(plain)) {
      // The object comes back with this note.
      this.#keep(Object.hasOwn(essence, ABOUT) ? readNote(plain, content) : noteOf(plain, essence, about));
      return { text: plain, isWhole: true };
    }
    const packed = (more: object): string => canonicalJson({ [ABOUT]: { ...tersely(about), ...more } });
    const deflated = packed({ deflated: compressText(canonicalJson(essence)) });
    if (fits(deflated)) return { text: deflated, isWhole: true };
    for (const levels of fits("") ? [2, 1] : []) {
      const outline = packed({ outline: compressText(canonicalJson(outlineOf(essence, levels))) });
      if (fits(outline)) return { text: outline, isWhole: false };
    }
    return { text: packed({ digest: digestOf(essence) }), isWhole: false };
  }

  #read(body: KubeObject, options: FetchOptions = {}): WrittenNote | undefined {
    return this.#options.place.find(body, this.#options.id, (text, where) => {
      const known = typeof text === "string" ? this.#parsed.get(text) : undefined;
      if (known !== undefined) return known;
      const content = parseNote(text, where, options);
      return content && this.#keep(readNote(String(text), content));
    });
  }

  #keep(note: WrittenNote): WrittenNote {
    const [oldest] = this.#parsed.keys();
    if (this.#parsed.size >= KEPT && oldest !== undefined) this.#parsed.delete(oldest);
    this.#parsed.set(note.text, note);
    return note;
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

  /** A state of which only the digest is known is either the present one, or unknown. */
  #fromDigest(body: KubeObject, about: About, wanted: readonly FieldPath[]): JsonObject {
    const unchanged = digestOf(this.build(body, about.fields ?? [])) === about.digest;
    return unchanged ? this.build(body, wanted) : {};
  }
}

/** Leaves out what there is nothing to say about. */
function tersely({ format, of, fields = [] }: About): About {
  const about: { -readonly [Key in keyof About]: About[Key] } = { format };
  if (of !== undefined) about.of = of;
  if (fields.length > 0) about.fields = fields;
  return about;
}

function withAbout(essence: JsonObject, about: About): JsonObject {
  const note = shallowCopy(essence);
  if (isSaid(about)) note[ABOUT] = tersely(about);
  return note;
}

function readNote(text: string, { [ABOUT]: raw, ...essence }: JsonObject): WrittenNote {
  return { text, essence, about: readAbout(raw), isMarked: raw !== undefined };
}

/** Returns the note that was just made: the same as {@linkcode readNote}, without taking it apart again. */
function noteOf(text: string, essence: JsonObject, about: About): WrittenNote {
  return { text, essence, about, isMarked: isSaid(about) };
}

/** Whether a note says anything about itself. */
function isSaid({ of, fields = [] }: About): boolean {
  return of !== undefined || fields.length > 0;
}

/** Returns the facts of a note about itself; without any it has the present format; undefined if they are not understood. */
function readAbout(raw: unknown): About | undefined {
  if (raw === undefined || raw === null) return { format: FORMAT };
  if (!isObject(raw) || raw.format !== FORMAT) return undefined;
  const fields = Array.isArray(raw.fields) ? raw.fields.filter(isPath) : [];
  const { of, digest, deflated, outline } = raw;
  return {
    format: FORMAT,
    of: typeof of === "string" ? of : undefined,
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
