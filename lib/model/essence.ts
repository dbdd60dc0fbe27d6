/**
 * The essence of an object: the parts that count when changes are looked for (Kopf, docs/handlers; scenarios A75–A96).
 *
 * Everything but the system's own: no apiVersion, kind, metadata (labels and annotations excepted), no status, no notes
 * of operators. It is made for each event of each object, so it is a view: it shares its parts with the body. Bodies are
 * never changed here, and handlers get them frozen; whoever wants to change one takes a copy.
 */

import { type FieldPath, getField, withField, withoutField } from "./fields.ts";
import { isEmptyObject, isObject, setKey } from "./json.ts";
import type { JsonObject, KubeObject } from "./object.ts";

/** The key, after the prefix, by which operators mark annotations as notes of theirs. Kopf's and ours. */
export const MARKER = "kopf-managed";

/** Annotation prefixes that are known as operators' notes without a marker; their sub-domains are too. */
const KNOWN_PREFIXES: readonly string[] = Object.freeze(["kopf.zalando.org", "lotse.dev"]);

const SYSTEM_STANZAS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Options of {@linkcode buildEssence}. */
export interface EssenceOptions {
  /** Fields that count although the rules leave them out, such as `["status", "phase"]`. */
  readonly extraFields?: readonly FieldPath[];
  /** Fields that do not count. */
  readonly ignoredFields?: readonly FieldPath[];
  /** An annotation prefix whose annotations are notes, marked or not. */
  readonly prefix?: string;
}

/** Returns the essence of a body. */
export function buildEssence(body: KubeObject, options: EssenceOptions = {}): JsonObject {
  return clearEssence(gatherEssence(body, options.extraFields), options);
}

/** Returns the parts of interest, notes of operators still among them. */
function gatherEssence(body: KubeObject, extraFields: readonly FieldPath[] = []): JsonObject {
  let essence: JsonObject = {};
  for (const key of Object.keys(body)) if (!SYSTEM_STANZAS.has(key)) setKey(essence, key, body[key]);
  // Last, as Kopf has it: its notes keep the order.
  addMetadata(essence, body.metadata);
  for (const path of extraFields) {
    const value = path.length > 0 ? getField(body, path) : undefined;
    if (value !== undefined) essence = withField(essence, path, value);
  }
  return essence;
}

/**
 * Returns an essence without the parts that do not count, also if they did when the essence was stored.
 *
 * Notes of operators, kubectl's copy of the applied manifest, ignored fields; and objects emptied by that.
 */
export function clearEssence(essence: JsonObject, options: EssenceOptions = {}): JsonObject {
  // Asked a dozen times for each object, and most have neither labels nor annotations.
  const hasMetadata = Object.hasOwn(essence, "metadata");
  let cleared = hasMetadata ? clearAnnotations(essence, options.prefix) : essence;
  for (const path of options.ignoredFields ?? []) cleared = withoutField(cleared, path);
  return hasMetadata || Object.hasOwn(essence, "status") ? dropEmpty(cleared) : cleared;
}

/** Tells whether a field counts only if it is declared as an extra field: a field that is not in every essence. */
export function isExtraField(path: FieldPath): boolean {
  const [stanza = "", key = ""] = path;
  if (stanza === "metadata") return key !== "labels" && key !== "annotations";
  return SYSTEM_STANZAS.has(stanza);
}

/** Returns an essence without any extra fields. */
export function withoutExtraFields(essence: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(essence)) if (!SYSTEM_STANZAS.has(key)) setKey(result, key, essence[key]);
  addMetadata(result, essence.metadata);
  return result;
}

/** Tells whether an annotation prefix belongs to operators' notes: known, or marked among these annotations. */
export function isOperatorPrefix(prefix: string, annotations: JsonObject): boolean {
  if (KNOWN_PREFIXES.some((known) => prefix === known || prefix.endsWith(`.${known}`))) return true;
  return Object.hasOwn(annotations, `${prefix}/${MARKER}`);
}

function addMetadata(essence: JsonObject, metadata: unknown): void {
  if (!isObject(metadata)) return;
  const kept: JsonObject = {};
  for (const key of ["labels", "annotations"]) {
    if (Object.hasOwn(metadata, key) && metadata[key] != null) kept[key] = metadata[key];
  }
  if (!isEmptyObject(kept)) essence.metadata = kept;
}

function clearAnnotations(essence: JsonObject, ownPrefix: string | undefined): JsonObject {
  const annotations = getField(essence, ["metadata", "annotations"]);
  if (!isObject(annotations)) return essence;
  const kept: JsonObject = {};
  let changed = false;
  for (const key of Object.keys(annotations)) {
    if (isNote(key, { annotations, ownPrefix })) changed = true;
    else setKey(kept, key, annotations[key]);
  }
  return changed ? withField(essence, ["metadata", "annotations"], kept) : essence;
}

interface NoteContext {
  readonly annotations: JsonObject;
  readonly ownPrefix: string | undefined;
}

function isNote(key: string, { annotations, ownPrefix }: NoteContext): boolean {
  if (key === "kubectl.kubernetes.io/last-applied-configuration") return true;
  const slash = key.indexOf("/");
  if (slash < 0) return false;
  const prefix = key.slice(0, slash);
  return prefix === ownPrefix || isOperatorPrefix(prefix, annotations);
}

function dropEmpty(essence: JsonObject): JsonObject {
  let result = essence;
  for (const path of [["metadata", "annotations"], ["metadata", "labels"], ["metadata"], ["status"]]) {
    const value = getField(result, path);
    if (isObject(value) && isEmptyObject(value)) result = withoutField(result, path);
  }
  return result;
}
