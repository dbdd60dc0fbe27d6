/**
 * The two places of notes on an object: annotations, and fields of the status.
 *
 * A place reads, writes and removes one note by its id, and does not know the note's content: `diff_base.ts` and
 * `progress.ts` say it.
 */

import { byteLengthOf } from "../../model/encoding.ts";
import { type EssenceOptions, isOperatorPrefix, MARKER } from "../../model/essence.ts";
import { type FieldPath, getField, withoutField } from "../../model/fields.ts";
import { canonicalJson, getKey, isEmptyObject, isObject, setKey } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import { annotationKeys, idOfKey, isAnnotationName, type KeyForm } from "./annotation_names.ts";

/** The size that all annotations of an object may have, in bytes. Source: Kubernetes, "Annotations". */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** The size up to which a state may fill them: the rest is left to progress and to others. In bytes. */
const STATE_LIMIT = ANNOTATIONS_LIMIT - 32 * 1024;

/** etcd takes 1.5 MiB in one request; this much is left to the writes of others. In bytes. */
const OBJECT_LIMIT = 1.5 * 1024 * 1024 - 256 * 1024;

/** A note's place in a reconcile: the object, and the patch for it. */
export interface NoteTarget {
  /** Where changes are collected. */
  readonly patch: Patch;
  /** The object as it is. */
  readonly body: KubeObject;
}

/** A note to be written. */
export interface PlacedNote extends NoteTarget {
  readonly id: string;
  /** A JSON text, or an object in places that hold values. */
  readonly value: unknown;
  /** Whether a value that is there says the same. Default: only an equal text does. */
  readonly isSame?: (value: unknown) => boolean;
}

/** Returns the meaning of a value that stands somewhere; undefined if it is not understood. */
type ReadNote<T> = (value: unknown, where: string) => T | undefined;

/** Where notes stand on an object. An id belongs to a handler, or to a note of our own. */
export interface Place {
  /** Whether each note is a JSON text, or may be any JSON value. */
  readonly holds: "texts" | "values";
  /** Calls `read` with the value of each of the note's names, in order, until it returns a result. */
  find<T>(body: KubeObject, id: string, read: ReadNote<T>): T | undefined;
  /** Puts the note into the patch, unless the object has it. Tells whether there is room for it. */
  write(note: PlacedNote): boolean;
  /** Puts the removal of the note into the patch; if the object does not have it, a pending note is taken back. */
  drop(target: NoteTarget, id: string): void;
  /** Returns the ids of the notes on an object; where long or odd ids are shortened, the shortened ones. */
  ids(body: KubeObject): string[];
  /** Whether a state of this text leaves enough room to others. */
  fits(body: KubeObject, id: string, text: string): boolean;
  /**
   * Returns the names under which a note is kept: of annotations, or dotted paths.
   *
   * @throws {TypeError} If the place can keep no note of that id.
   */
  names(id: string): readonly string[];
  /** Returns the parts of an object that are notes, which an essence leaves out: of one id, or all. */
  own(id?: string): Pick<EssenceOptions, "prefix" | "ignoredFields">;
}

/** Annotations under one prefix. */
export class AnnotationPlace implements Place {
  readonly holds = "texts";
  readonly #prefix: string;
  readonly #form: KeyForm;

  /** Makes the annotations' names by the form. */
  constructor(prefix: string, form: KeyForm) {
    this.#prefix = prefix;
    this.#form = form;
  }

  find<T>(body: KubeObject, id: string, read: ReadNote<T>): T | undefined {
    const annotations = annotationsOf(body);
    if (annotations === NONE) return undefined;
    for (const key of this.#keys(id, body)) {
      const found = Object.hasOwn(annotations, key) ? read(annotations[key], key) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  write({ id, value, isSame, ...target }: PlacedNote): boolean {
    const annotations = annotationsOf(target.body);
    let hasRoom = false;
    for (const key of this.#keys(id, target.body)) {
      const there = getKey(annotations, key);
      const text = there !== undefined && isSame?.(there) ? String(there) : String(value);
      hasRoom = writeAnnotation(target, key, text) || hasRoom;
    }
    if (hasRoom) writeMarker(target, this.#prefix);
    return hasRoom;
  }

  drop(target: NoteTarget, id: string): void {
    if (annotationsOf(target.body) === NONE && target.patch.isEmpty) return;
    for (const key of this.#keys(id, target.body)) dropAnnotation(target, key);
  }

  ids(body: KubeObject): string[] {
    const prefix = this.#prefix;
    return Object.keys(annotationsOf(body))
      .filter((key) => key.startsWith(`${prefix}/`))
      .map((key) => idOfKey(key, { prefix, body }));
  }

  fits(body: KubeObject, id: string, text: string): boolean {
    const own = Object.fromEntries(this.#keys(id, body).map((key) => [key, text]));
    return annotationsFit(body, own, STATE_LIMIT);
  }

  names(id: string): readonly string[] {
    const keys = this.#keys(id);
    const refused = keys.find((key) => !isAnnotationName(key));
    if (refused === undefined) return keys;
    throw new TypeError(
      `Cannot keep the progress of "${id}" in the way of Kopf: Kubernetes takes no annotation "${refused}" (give the ` +
        'handler an id of ASCII letters, digits, "-", "_" and ".", or keep notes in another way)',
    );
  }

  own(): { readonly prefix: string } {
    return { prefix: this.#prefix };
  }

  #keys(id: string, body?: KubeObject): readonly string[] {
    return annotationKeys(id, { prefix: this.#prefix, form: this.#form, body });
  }
}

/** Members of one field of the status. */
export class StatusPlace implements Place {
  readonly holds = "values";
  readonly #field: FieldPath;

  /** Keeps notes below the field, such as `["status", "lotse"]`. */
  constructor(field: FieldPath) {
    this.#field = field;
  }

  find<T>(body: KubeObject, id: string, read: ReadNote<T>): T | undefined {
    // An object that has just come has no status.
    const [stanza = ""] = this.#field;
    if (!Object.hasOwn(body, stanza)) return undefined;
    const path = this.#path(id);
    const value = getField(body, path);
    return value === undefined ? undefined : read(value, path.join("."));
  }

  write({ id, value, isSame, ...target }: PlacedNote): boolean {
    const path = this.#path(id);
    const there = getField(target.body, path);
    // Kopf's newline is for annotations alone.
    const note = typeof value === "string" ? value.trimEnd() : value;
    if (there === note || (there !== undefined && isSame?.(there))) return true;
    writeStatus(target, path, note);
    return true;
  }

  drop(target: NoteTarget, id: string): void {
    dropStatus(target, this.#path(id));
  }

  ids(body: KubeObject): string[] {
    const notes = getField(body, this.#field);
    return isObject(notes) ? Object.keys(notes).filter((id) => notes[id] != null) : [];
  }

  fits(body: KubeObject, id: string, text: string): boolean {
    if (text.length * 3 <= STATE_LIMIT) return true;
    const others = byteLengthOf(canonicalJson(withoutField(body, this.#path(id))));
    // The text is a member of JSON: quotes in it are escaped.
    return others + byteLengthOf(JSON.stringify(text)) <= OBJECT_LIMIT;
  }

  names(id: string): readonly string[] {
    return [this.#path(id).join(".")];
  }

  own(id?: string): { readonly ignoredFields: readonly FieldPath[] } {
    return { ignoredFields: [id === undefined ? this.#field : this.#path(id)] };
  }

  #path(id: string): FieldPath {
    return [...this.#field, id];
  }
}

/** Returns an object's annotations; none if they are not an object. */
export function annotationsOf(body: KubeObject): JsonObject {
  // Untyped: objects come from strangers.
  const { metadata } = body as { readonly metadata?: unknown };
  const annotations = isObject(metadata) ? getKey(metadata, "annotations") : undefined;
  return isObject(annotations) ? annotations : NONE;
}

const NONE: JsonObject = Object.freeze({});

/**
 * Puts an annotation into the patch, unless the object has it with the same text. Tells whether there is room for it:
 * an annotation that is too much for Kubernetes would have the whole patch refused, again and again.
 */
export function writeAnnotation({ patch, body }: NoteTarget, key: string, text: string): boolean {
  const isThere = getKey(annotationsOf(body), key) === text;
  const hasRoom = isThere || annotationsFit(body, { [key]: text }, ANNOTATIONS_LIMIT - markerSize(key));
  if (isThere || !hasRoom) delete patch.metadata.annotations[key];
  else patch.metadata.annotations[key] = text;
  return hasRoom;
}

/** The bytes of the marker that may have to go with a note. */
function markerSize(key: string): number {
  return key.indexOf("/") + `/${MARKER}`.length + "yes".length;
}

/** Whether an object's annotations, with these in the place of their namesakes, have so many bytes at most. */
export function annotationsFit(
  body: KubeObject,
  own: Readonly<Record<string, string>>,
  limit: number,
): boolean {
  // No character takes more than 3 bytes, so that most need not be encoded to be counted.
  const annotations = annotationsOf(body);
  if (sizeOf(annotations, own, ({ length }) => length * 3) <= limit) return true;
  return sizeOf(annotations, own, byteLengthOf) <= limit;
}

/** Returns the size of all annotations: of the ones that are there, and of ours in the place of their namesakes. */
function sizeOf(
  annotations: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, string>>,
  measure: (text: string) => number,
): number {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    if (!Object.hasOwn(own, key)) size += measure(key) + measure(String(annotations[key]));
  }
  for (const key of Object.keys(own)) size += measure(key) + measure(String(own[key]));
  return size;
}

/** Puts the removal of an annotation into the patch; if the object does not have it, only a pending one is taken back. */
export function dropAnnotation({ patch, body }: NoteTarget, key: string): void {
  if (getKey(annotationsOf(body), key) === undefined) delete patch.metadata.annotations[key];
  else patch.metadata.annotations[key] = null;
}

/**
 * Marks the prefix as an operator's, so that other operators do not take our notes for changes of the object.
 *
 * Everybody knows Kopf's own prefix, and every Lotse knows ours; so ours is marked only where Kopf's operators (or others
 * that follow its custom) are at work on the same object.
 */
export function writeMarker(target: NoteTarget, prefix: string): void {
  const annotations = annotationsOf(target.body);
  const marker = `${prefix}/${MARKER}`;
  if (Object.hasOwn(annotations, marker)) return;
  const needed = isWithin(prefix, "lotse.dev")
    ? Object.keys(annotations).some((key) => isForeignNote(key, annotations))
    : !isWithin(prefix, "kopf.zalando.org");
  if (needed) target.patch.metadata.annotations[marker] = "yes";
}

/** Puts a value into the patch, under a field of the status. A field that an earlier `dropStatus()` removed stays removed. */
export function writeStatus({ patch, body }: NoteTarget, field: FieldPath, value: unknown): void {
  // Sections of a patch take any key; see Patch.
  let parent = patch.status as JsonObject;
  const keys = field.slice(1);
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const pending = Object.hasOwn(parent, key) ? parent[key] : undefined;
    if (!isObject(pending)) {
      const child: JsonObject = pending === null ? removalOf(getField(body, field.slice(0, index + 2))) : {};
      setKey(parent, key, child);
      parent = child;
    } else {
      parent = pending;
    }
  }
  const last = keys.at(-1);
  if (last !== undefined) setKey(parent, last, value);
}

/**
 * Puts the removal of a field of the status into the patch, and of parents that it leaves empty, down to "status.<name>":
 * that is ours, the status itself is not.
 *
 * If the object does not have it, only a pending one is taken back.
 */
export function dropStatus(target: NoteTarget, field: FieldPath): void {
  const { patch, body } = target;
  const isLive = getField(body, field) !== undefined;
  if (!isLive && patch.isEmpty) return;
  if (isLive) writeStatus(target, field, null);
  else takeBack(patch.status as JsonObject, field.slice(1)); // as above
  for (let length = field.length - 1; length >= 2; length--) {
    const path = field.slice(0, length);
    const pending = getField(patch.status, path.slice(1));
    const live = getField(body, path);
    if (!isObject(live) || !isObject(pending) || !isRemoved(live, pending)) return;
    writeStatus(target, path, null);
  }
}

/** Removes a pending value from a patch, with the parents that it leaves empty. */
function takeBack(section: JsonObject, path: FieldPath): void {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(section, key)) return;
  const child = section[key];
  if (rest.length === 0) {
    if (child !== null) delete section[key];
  } else if (isObject(child)) {
    takeBack(child, rest);
    if (isEmptyObject(child)) delete section[key];
  }
}

/** Whether all that is there is to be removed, and no value comes in its place. */
function isRemoved(live: JsonObject, pending: JsonObject): boolean {
  return Object.keys(live).every((key) =>
    live[key] === null || (Object.hasOwn(pending, key) && pending[key] === null)
  ) &&
    Object.values(pending).every((value) => value === null);
}

/** Returns the patch that removes each key of an object. */
function removalOf(live: unknown): JsonObject {
  const removal: JsonObject = {};
  if (isObject(live)) { for (const key of Object.keys(live)) setKey(removal, key, null); }
  return removal;
}

function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}

function isForeignNote(key: string, annotations: JsonObject): boolean {
  const slash = key.indexOf("/");
  const prefix = key.slice(0, Math.max(0, slash));
  return slash > 0 && !isWithin(prefix, "lotse.dev") && isOperatorPrefix(prefix, annotations);
}
