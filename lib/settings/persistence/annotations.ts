/**
 * Reading and writing notes on objects, whatever is in them: texts in annotations, values in the status.
 *
 * Anybody who may edit an object may edit its notes. So nothing that is found there can make reading fail: what is not
 * understood counts as absent, and is reported.
 */

import { byteLengthOf, suffixOf } from "../../model/encoding.ts";
import { isOperatorPrefix, MARKER } from "../../model/essence.ts";
import { type FieldPath, getField } from "../../model/fields.ts";
import { getKey, isEmptyObject, isObject, setKey } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import { parseJson } from "../../runtime/json.ts";
import type { FetchOptions } from "./storage.ts";

/** A note's place in a reconcile: the object, and what is to be changed on it. */
export interface NoteTarget {
  /** Where changes are collected. */
  readonly patch: Patch;
  /** The object as it is. */
  readonly body: KubeObject;
}

/** The size that all annotations of an object may have, in bytes. Source: Kubernetes, "Annotations". */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** Notes that are nested deeper are not ours: API servers take no such objects. */
const DEPTH_LIMIT = 10_000;

/** Returns an object's annotations; none if they are not an object. */
export function annotationsOf(body: KubeObject): JsonObject {
  const annotations = getField(body, ["metadata", "annotations"]);
  return isObject(annotations) ? annotations : {};
}

/**
 * Puts an annotation into the patch; nothing if the object has it with the same text. Tells whether there is room for it:
 * what is too much for Kubernetes would have the whole patch refused, again and again.
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

/** Returns the size of all annotations: of those that are there, and of those that take the place of their namesakes. */
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

/** Returns the object that a JSON text holds; undefined if there is none, or it is garbage. */
export function parseNote(
  text: unknown,
  where: string,
  { onUnreadable }: FetchOptions = {},
): JsonObject | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string") {
    onUnreadable?.({ where, reason: "it is not a text" });
    return undefined;
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    onUnreadable?.({ where, reason: "it is not JSON" });
    return undefined;
  }
  if (value === null) return undefined;
  if (isObject(value) && !isTooDeep(text, value)) return value;
  onUnreadable?.({ where, reason: isObject(value) ? "it is nested too deeply" : "it is not a JSON object" });
  return undefined;
}

/** Puts a value into the patch, under a field of the status. What an earlier `dropStatus()` removed stays removed. */
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

/** Whether all that is there is to be removed, and nothing comes in its place. */
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

/** Only texts with very many brackets can be too deep; only those are walked. */
function isTooDeep(text: string, value: unknown): boolean {
  let brackets = 0;
  for (let index = 0; index < text.length && brackets <= DEPTH_LIMIT; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x7b || code === 0x5b) brackets++;
  }
  return brackets > DEPTH_LIMIT && depthExceeds(value, DEPTH_LIMIT);
}

function depthExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each === "object" && each !== null) {
        for (const child of Object.values(each)) next.push(child);
      }
    }
    level = next;
  }
  return false;
}

// Names of annotations that hold notes: made of a prefix and a handler's id, within what Kubernetes allows.
// The part after the slash may have 63 letters, digits, "-", "_" and ".", and begins and ends with a letter or digit.
// Kopf's two ways of shortening (V1: the whole key has 63; V2: the name has 63) are kept byte for byte; see its
// `conventions.py` and scenarios A139–A164. Our own way is V2, which also copes with characters that Kopf lets through.

/** How names are made: our own way, Kopf's V2, or Kopf's V2 and V1. */
export type KeyForm = "lotse" | "kopf-v2" | "kopf-v1";

/** Options of {@linkcode annotationKeys}. */
export interface KeyOptions {
  /** The part before the slash. */
  readonly prefix: string;
  /** How names are made. */
  readonly form: KeyForm;
  /** The object that the note is for, which can matter; see `isCopied()`. */
  readonly body?: KubeObject;
}

const LIMIT = 63;
const VALID_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALID_PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** The ending of ids on objects whose annotations are copied down from their owners. */
const COPIED = "-ofDRS";

/** Returns the names of the annotations for an id: the one to be read first comes first. */
export function annotationKeys(id: string, options: KeyOptions): readonly string[] {
  const { prefix, form, body } = options;
  const name = body !== undefined && isCopied(body) ? id + COPIED : id;
  if (form === "lotse") return [`${prefix}/${lotseName(name)}`];
  const v2 = `${prefix}/${shorten(safeName(name), LIMIT, name)}`;
  if (form === "kopf-v2") return [v2];
  const v1 = `${prefix}/${shorten(safeName(name), LIMIT - prefix.length - 1)}`;
  return v1 === v2 ? [v2] : [v2, v1];
}

/** Whether Kubernetes takes the part of an annotation's name that stands after its prefix. */
export function isAnnotationName(key: string): boolean {
  const name = key.slice(key.indexOf("/") + 1);
  return name.length <= LIMIT && VALID_NAME.test(name);
}

/** Returns what is left of an annotation's name without its prefix: an id, mangled as its key was. */
export function idOfKey(key: string, { prefix, body }: Omit<KeyOptions, "form">): string {
  const name = key.slice(prefix.length + 1);
  return body !== undefined && isCopied(body) && name.endsWith(COPIED) ? name.slice(0, -COPIED.length) : name;
}

/**
 * Tells whether an object's annotations may be another object's: the deployment controller copies those of a Deployment
 * to its ReplicaSets, our notes included.
 */
export function isCopied(body: KubeObject): boolean {
  if (body.kind !== "ReplicaSet") return false;
  const owners = getField(body, ["metadata", "ownerReferences"]);
  return Array.isArray(owners) && owners.some((owner) => isObject(owner) && owner.kind === "Deployment");
}

/**
 * Returns what should be said about a prefix, if anything.
 *
 * @throws {RangeError} If Kubernetes would not take it: it is empty, longer than 253, or not a DNS name.
 */
export function checkPrefix(prefix: string): readonly string[] {
  if (prefix.length > 253 || !VALID_PREFIX.test(prefix)) {
    throw new RangeError(
      `Cannot keep notes under the prefix "${prefix}": expected a DNS name such as "example.com"`,
    );
  }
  if (prefix.length <= 189) return [];
  return [`The prefix of the notes is very long (${prefix.length} characters; 189 are safe): "${prefix}"`];
}

function lotseName(id: string): string {
  const name = id.replaceAll("/", ".");
  if (name.length <= LIMIT && VALID_NAME.test(name)) return name;
  const cleaned = name.replace(/[^-A-Za-z0-9_.]/g, "_").replace(/^[^A-Za-z0-9]+/, "");
  const suffix = suffixOf(id);
  return (cleaned || "handler").slice(0, LIMIT - suffix.length) + suffix;
}

function safeName(id: string): string {
  return id.replaceAll("/", ".").replace(/[<>]/g, "_");
}

/** Cuts a name that is too long, and adds a digest of what it stands for. */
function shorten(name: string, room: number, source: string = name): string {
  if (name.length <= room) return name;
  const suffix = suffixOf(source);
  return name.slice(0, Math.max(0, room - suffix.length)) + suffix;
}
