/**
 * Reading and writing notes on objects, whatever is in them: texts in annotations, values in the status.
 *
 * Anybody who may edit an object may edit its notes. So nothing that is found there can make reading fail: what is not
 * understood counts as absent, and is reported.
 */

import { byteLengthOf } from "../model/digest.ts";
import { isOperatorPrefix, MARKER } from "../model/essence.ts";
import { type FieldPath, getField } from "../model/fields.ts";
import { getKey, isEmptyObject, isObject, setKey } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { FetchOptions } from "./persistence.ts";

/** A note's place in a cycle: the object, and what is to be changed on it. */
export interface NoteTarget {
  /** Where changes are collected. */
  readonly patch: Patch;
  /** The object as it is. */
  readonly body: KubeObject;
}

/** What all annotations of an object may have, in bytes. Source: Kubernetes, "Annotations". */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** Notes that are nested deeper are not ours. */
const DEPTH_LIMIT = 1000;

/** Gives an object's annotations; none if they are not an object. */
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
  const others = Object.entries(annotationsOf(body)).filter(([key]) => !Object.hasOwn(own, key));
  const all = [...others, ...Object.entries(own)].flat().map(String);
  // No character takes more than 3 bytes, so that most need not be encoded to be counted.
  if (all.reduce((sum, text) => sum + text.length, 0) * 3 <= limit) return true;
  return all.reduce((sum, text) => sum + byteLengthOf(text), 0) <= limit;
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

/** Gives the object that a JSON text holds; undefined if there is none, or it is garbage. */
export function parseNote(
  text: unknown,
  where: string,
  { onGarbage }: FetchOptions = {},
): JsonObject | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string") {
    onGarbage?.({ where, reason: "it is not a text" });
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    onGarbage?.({ where, reason: "it is not JSON" });
    return undefined;
  }
  if (value === null) return undefined;
  if (isObject(value) && !isTooDeep(text, value)) return value;
  onGarbage?.({ where, reason: isObject(value) ? "it is nested too deeply" : "it is not a JSON object" });
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

/** Gives the patch that removes each key of an object. */
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
