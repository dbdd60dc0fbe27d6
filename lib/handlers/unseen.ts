/**
 * Whether a newer state of an object differs only in fields that no handler looks at: such a state begins no turn, whether
 * another client's write has led to it or our own.
 *
 * Most events that an operator gets are of this sort: others count up a status, again and again. If the state before called for
 * no handler, and all fields that handlers and notes look at are the same, then the new state calls for none either. Where
 * these fields cannot be known (functions that filter, storages of an author's own), the answer is no. Compare
 * controller-runtime's GenerationChangedPredicate, which an author has to choose, and which does not see labels and
 * annotations.
 */

import type { FieldPath } from "../model/fields.ts";
import { isObject, isSameJson } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { applyMergePatch, type Patch } from "../model/patch.ts";
import type { ObjectHandler } from "./handlers.ts";
import type { Sees } from "./part.ts";

/** Keys of the metadata that differ with each write. */
const COUNTERS: ReadonlySet<string> = new Set(["resourceVersion", "managedFields"]);

/**
 * Returns the fields that handlers look at, as far as their filters name them. `noted`: the fields where notes are kept;
 * undefined: unknown.
 */
export function seenBy(
  handlers: readonly ObjectHandler[],
  noted: readonly (readonly FieldPath[] | undefined)[],
): Sees {
  if (handlers.some(asksFunctions)) return undefined;
  const fields = handlers.flatMap(({ field }) => field === undefined ? [] : [field]);
  const paths = [...fields];
  for (const each of noted) {
    if (each === undefined) return undefined;
    paths.push(...each);
  }
  if (paths.some(isWide)) return undefined;
  const status = new Set(
    paths.flatMap(([stanza, key]) => stanza === "status" && key !== undefined ? [key] : []),
  );
  const annotations = handlers.some(({ annotations }) => annotations !== undefined) ||
    fields.some(([stanza, key]) => stanza === "metadata" && key === "annotations");
  return { status, annotations };
}

/** Returns the union of the fields that manners look at; undefined if one manner cannot name them, or if there is no manner. */
export function unionOf(all: readonly Sees[]): Sees {
  if (all.length === 0) return undefined;
  const status = new Set<string>();
  let annotations = false;
  for (const sees of all) {
    if (sees === undefined) return undefined;
    for (const member of sees.status) status.add(member);
    annotations ||= sees.annotations;
  }
  return { status, annotations };
}

/** Whether two states of an object differ at most in the server's counters, and in members of the status that no handler looks at. */
export function differsUnseen(before: KubeObject, after: KubeObject, seen: ReadonlySet<string>): boolean {
  if (!isSame(before, after, (key) => key === "metadata" || key === "status")) return false;
  // Metadata is JSON as all the rest.
  const [was, is] = [before.metadata, after.metadata] as unknown as readonly [JsonObject, JsonObject];
  if (!isSame(was, is, (key) => COUNTERS.has(key))) return false;
  if (seen.size === 0) return true;
  const [old, now] = [statusOf(before), statusOf(after)];
  return isSame(old, now, (key) => !seen.has(key));
}

/** The state that a turn has begun with, its notes on the object, and the server's answer. */
export interface OwnWrite {
  readonly before: KubeObject;
  readonly notes: Patch | undefined;
  readonly answer: KubeObject;
}

/** Whether the answer to our own write is the state before with our notes on it, but for fields that no handler looks at. */
export function isAsNoted({ before, notes, answer }: OwnWrite, seen: ReadonlySet<string>): boolean {
  const expected = notes === undefined || notes.isEmpty
    ? before
    : applyMergePatch(before, notes.toMergePatch());
  return differsUnseen(expected, answer, seen);
}

/** A function is given the whole object. */
function asksFunctions(
  { labels = {}, annotations = {}, value, old, new: now, when }: ObjectHandler,
): boolean {
  const criteria = [...Object.values(labels), ...Object.values(annotations), value, old, now, when];
  return criteria.some((each) => typeof each === "function");
}

/** Whether a field holds one that differs with each write. */
function isWide([stanza, key]: FieldPath): boolean {
  if (stanza === undefined || (stanza === "status" && key === undefined)) return true;
  return stanza === "metadata" && (key === undefined || COUNTERS.has(key));
}

function statusOf({ status }: KubeObject): JsonObject {
  return isObject(status) ? status : {};
}

/** Compares members, but for keys that are left out. */
function isSame(
  before: Readonly<JsonObject>,
  after: Readonly<JsonObject>,
  isLeftOut: (key: string) => boolean,
): boolean {
  for (const key in after) {
    if (isLeftOut(key) || !Object.hasOwn(after, key)) continue;
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old !== after[key] && !isSameJson(old, after[key])) return false;
  }
  for (const key in before) {
    if (!isLeftOut(key) && Object.hasOwn(before, key) && !Object.hasOwn(after, key)) return false;
  }
  return true;
}
