/**
 * The changes that a handler wants on its object: sections to write into, and functions that change a whole body.
 *
 * The sections mean a merge patch (RFC 7386): a value is merged, null deletes. One patch is shared by the framework
 * and all handlers of a reconcile. It is only a collector: `execution/object_writer.ts` minimises and sends it.
 */

import { cloneJson, isObject, setKey, toJson } from "./json.ts";
import { applyMergePatch } from "./merge_patch.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "./object.ts";

export { applyMergePatch, joinPatches, minimisePatch, type SplitPatch, splitStatus } from "./merge_patch.ts";

/** A change to a value of type T: objects in part, null for a deletion, lists as a whole. */
export type PatchOf<T> = T extends readonly unknown[] ? T
  : T extends object ? { [Key in keyof T]?: PatchOf<T[Key]> | null }
  : T;

/** The metadata of a patch: labels and annotations are always there to be written into. */
export type PatchOfMeta = PatchOf<Omit<ObjectMeta, "labels" | "annotations">> & {
  labels: Record<string, string | null>;
  annotations: Record<string, string | null>;
};

/** Changes a raw body in place. May run several times, on newer states: it must be idempotent. */
export type PatchFunction = (body: KubeObject) => void;

/** A collector of changes to one object. */
export class Patch<Spec = JsonObject, Status = JsonObject> {
  // Both are made when they are needed: each object in memory has such a patch, which is nearly always empty.
  /** Stanzas that were opened for writing, or set to an object. Once handed out, an object stays the same one. */
  #sections: Map<string, JsonObject> | undefined;
  /** Stanzas that were set as a whole to a value that is not an object: null, mostly. */
  #wholes: Map<string, unknown> | undefined;
  #fns: PatchFunction[] = [];

  /** Begins with a raw merge patch, if one is given. */
  constructor(raw?: JsonObject) {
    if (raw !== undefined) this.merge(raw);
  }

  /** Changes to the spec: write into it, or set it; null deletes it as a whole. Reading leaves it as it is. */
  get spec(): PatchOf<Spec> {
    return this.#open("spec") as PatchOf<Spec>; // users' types are claims about their own objects
  }
  set spec(value: PatchOf<Spec> | null) {
    this.#replace("spec", value);
  }

  /** Changes to the status; as `spec`. */
  get status(): PatchOf<Status> {
    return this.#open("status") as PatchOf<Status>; // as above
  }
  set status(value: PatchOf<Status> | null) {
    this.#replace("status", value);
  }

  /** Changes to the metadata; `labels` and `annotations` are there to be written into. */
  get metadata(): PatchOfMeta {
    const metadata = this.#open("metadata");
    // Users may have set them to null or to objects of their own; null is kept until a field is written.
    for (const key of MAPS) if (!isObject(metadata[key]) && metadata[key] !== null) metadata[key] = blank();
    return metadata as PatchOfMeta; // made so by the line above
  }
  set metadata(value: PatchOf<ObjectMeta> | null) {
    this.#replace("metadata", value);
  }

  /** The same as `metadata`. */
  get meta(): PatchOfMeta {
    return this.metadata;
  }
  set meta(value: PatchOf<ObjectMeta> | null) {
    this.metadata = value;
  }

  /** Functions to be applied, in order, after everything else in this patch. */
  get fns(): PatchFunction[] {
    return this.#fns;
  }
  set fns(value: PatchFunction[]) {
    this.#fns = value;
  }

  /** Whether there is no change to be sent: no function, and no value in the sections. Never throws. */
  get isEmpty(): boolean {
    if (this.#fns.length > 0 || (this.#wholes?.size ?? 0) > 0) return false;
    for (const [name, section] of this.#sections ?? []) if (!isBlank(name, section)) return false;
    // Asked several times in each turn: a list would be made each time.
    for (const name in this) if (Object.hasOwn(this, name) && this[name] !== undefined) return false;
    return true;
  }

  /**
   * Returns the changes as a merge patch: an own copy, without sections (and labels and annotations) that are empty.
   *
   * @throws {TypeError} If a value in it cannot be JSON; the message says where.
   */
  toMergePatch(): JsonObject {
    const result: JsonObject = {};
    for (const [name, whole] of this.#wholes ?? []) setKey(result, name, toJson(whole, name));
    for (const [name, section] of this.#sections ?? []) {
      if (!isBlank(name, section)) setKey(result, name, convertSection(name, section));
    }
    // Untyped code may have set other stanzas directly, as in `patch["data"] = { … }`; that must not get lost.
    for (const [name, value] of Object.entries(this)) {
      if (value !== undefined) setKey(result, name, toJson(value, name));
    }
    return result;
  }

  /** Merges a raw merge patch into this one; for stanzas other than spec, status and metadata this is the way. */
  merge(raw: JsonObject): void {
    for (const name of Object.keys(raw)) {
      const value = raw[name];
      if (isObject(value)) fill(this.#open(name), value);
      else if (value !== undefined) this.#replace(name, value);
    }
  }

  /** Forgets everything, functions too. */
  clear(): void {
    for (const section of this.#sections?.values() ?? []) empty(section);
    this.#wholes?.clear();
    this.#fns = [];
    for (const name of Object.keys(this)) delete (this as unknown as JsonObject)[name]; // own, untyped: see above
  }

  #open(name: string): JsonObject {
    const sections = this.#sections ??= new Map();
    const section = sections.get(name) ?? blank();
    sections.set(name, section);
    return section;
  }

  #replace(name: string, value: unknown): void {
    const section = this.#sections?.get(name);
    // `patch.status = patch.status` must not empty it.
    if (section !== undefined && section === value) return;
    if (section !== undefined) empty(section);
    this.#wholes?.delete(name);
    if (isObject(value)) fill(this.#open(name), value);
    else if (value !== undefined) (this.#wholes ??= new Map()).set(name, value);
  }
}

/** Returns a body as these changes would leave it; without the functions, should one of them throw: they are dropped then. */
export function foresee(body: KubeObject, content: JsonObject, fns: readonly PatchFunction[]): KubeObject {
  const merged = applyMergePatch(body, content);
  if (fns.length === 0) return merged;
  try {
    const own = cloneJson(merged);
    for (const fn of fns) fn(own);
    return own;
  } catch {
    return merged;
  }
}

/** Levels of nesting: API servers take no more. */
const DEEPEST = 10_000;

const MAPS = ["labels", "annotations"] as const;

/** Makes an object on which `object["__proto__"] = …` sets a key, as on any other name. */
function blank(): JsonObject {
  return Object.create(null);
}

function empty(section: JsonObject): void {
  for (const key of Object.keys(section)) delete section[key];
}

/** Merges into a section in place, so that references to it and to its labels and annotations stay good. */
function fill(section: JsonObject, patch: JsonObject): void {
  // Not by calls, as objects may be nested deeper than calls; and depth first, so that a circle is found.
  const open = [{ section, patch, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { section, patch, depth } = next;
    if (depth > DEEPEST) {
      throw new TypeError("Cannot merge into a patch: it is a circle, or nested too deeply");
    }
    for (const key of Object.keys(patch)) {
      const value = patch[key];
      const before = section[key];
      const below = !isPlain(value) ? undefined : isPlain(before) ? before : blank();
      if (below === undefined && value === undefined) continue;
      if (below === undefined || below !== before) setKey(section, key, below ?? value);
      if (below !== undefined) open.push({ section: below, patch: value as JsonObject, depth: depth + 1 }); // plain, as seen
    }
  }
}

/** Tells objects to be merged from objects with a form of their own, such as dates. */
function isPlain(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function isBlank(name: string, section: JsonObject): boolean {
  for (const key in section) {
    const value = section[key];
    if (value === undefined || !Object.hasOwn(section, key)) continue;
    // In metadata alone: most sections are told by their first value.
    if (name !== "metadata" || !isMap(name, key) || !isObject(value) || !isBlank("", value)) return false;
  }
  return true;
}

function isMap(name: string, key: string): boolean {
  return name === "metadata" && (key === "labels" || key === "annotations");
}

function convertSection(name: string, section: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(section)) {
    const value = section[key];
    if (isMap(name, key) && isObject(value) && isBlank("", value)) continue;
    const converted = toJson(value, `${name}.${key}`);
    if (converted !== undefined) setKey(copy, key, converted);
  }
  return copy;
}
