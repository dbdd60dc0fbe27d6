/**
 * Differences between two states of an object as people read them: field by field, also in lists, without fields that servers
 * and frameworks keep for themselves, and with placeholders for names, so that the same change of many objects is one.
 */

import { isOperatorPrefix } from "../../../model/essence.ts";
import { canonicalJson, isEqualJson, isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";

/** One field that differs. */
export interface FieldChange {
  /** Such as `spec.template.spec.containers[db].image`. */
  readonly path: string;
  /** As JSON; undefined if it was not there. */
  readonly before?: string;
  /** As JSON; undefined if it is not there any more. */
  readonly after?: string;
}

/** Metadata that the server sets by itself. */
const OF_SERVER = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
  "deletionGracePeriodSeconds",
];

/** Members of the status in which frameworks keep notes. */
const NOTES_IN_STATUS = ["lotse", "kopf"];

/** The path of changes of notes, whose texts are not shown. */
export const NOTES = "notes of the operator";

/** Fields that controllers and the server draw or compute: hashes of templates, addresses, ports of nodes. */
const DRAWN =
  /-hash(?:"\])?$|\.(?:currentRevision|updateRevision|observedGeneration|clusterIPs?|nodePort|podIPs?|hostIPs?)$/;

/** Longer values are cut. */
const LONGEST = 120;

/** Deeper objects are compared as a whole: they can be nested deeper than calls can. */
const DEEPEST = 60;

/** More differences of one object are counted, and not listed. */
const MOST = 40;

/** Returns the fields in which two states differ; undefined stands for no object. */
export function fieldChanges(before: KubeObject | undefined, after: KubeObject | undefined): FieldChange[] {
  const names = namesIn(after ?? before);
  const changes: FieldChange[] = [];
  const [old, now] = [shownPart(before), shownPart(after)];
  if (!isEqualJson(notesOf(before), notesOf(after))) changes.push({ path: NOTES, after: "changed" });
  compare(old, now, { path: "", depth: 0, changes, names });
  if (changes.length <= MOST) return changes;
  return [...changes.slice(0, MOST), { path: `${changes.length - MOST} more fields`, after: "changed" }];
}

/** Returns the text by which equal changes are known. */
export function signatureOf(changes: readonly FieldChange[]): string {
  return canonicalJson(changes);
}

/** So many groups of the same fields are told one by one; of more, one is the example of all. */
const MOST_VARIANTS = 3;

/** Merges groups whose changes are of the same fields, with other values, where there are many. */
export function mergeVariants<Group extends { readonly changes: readonly FieldChange[] }>(
  groups: readonly Group[],
  { keyOf, merge }: {
    /** Groups of different keys are not merged. */
    readonly keyOf: (group: Group) => string;
    readonly merge: (first: Group, all: readonly Group[]) => Group;
  },
): Group[] {
  const families = new Map<string, Group[]>();
  for (const group of groups) {
    const key = `${keyOf(group)} ${group.changes.map(({ path }) => path).join(" ")}`;
    families.set(key, [...families.get(key) ?? [], group]);
  }
  return [...families.values()].flatMap((all) => {
    const [first] = all;
    return first === undefined || all.length <= MOST_VARIANTS ? all : [merge(first, all)];
  });
}

/** Returns changes with the values of one object among many. */
export function exampleOf(changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change) =>
    change.after === undefined ? change : { ...change, after: `${change.after}, for example` }
  );
}

interface Comparing {
  readonly path: string;
  readonly depth: number;
  readonly changes: FieldChange[];
  readonly names: Names;
}

function compare(before: unknown, after: unknown, comparing: Comparing): void {
  const { path, depth, changes, names } = comparing;
  if (isSame(before, after, names) || (before !== undefined && after !== undefined && DRAWN.test(path))) {
    return;
  }
  // A new object is shown field by field, but not down to each leaf.
  if (depth < 2 && (before === undefined ? isObject(after) : after === undefined && isObject(before))) {
    return compare(before ?? {}, after ?? {}, comparing);
  }
  const below = (key: string): Comparing => ({ ...comparing, path: key, depth: depth + 1 });
  if (depth < DEEPEST && isObject(before) && isObject(after)) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byInterest)) {
      compare(own(before, key), own(after, key), below(joined(path, key)));
    }
    return;
  }
  if (depth < DEEPEST && Array.isArray(before) && Array.isArray(after)) {
    const [old, now] = [keyed(before), keyed(after)];
    if (old !== undefined && now !== undefined) {
      for (const key of new Set([...old.keys(), ...now.keys()])) {
        compare(old.get(key), now.get(key), below(`${path}[${key}]`));
      }
      return;
    }
  }
  changes.push({
    path: names.hide(path),
    ...before === undefined ? {} : { before: shown(before, names) },
    ...after === undefined ? {} : { after: shown(after, names) },
  });
}

/** Times differ from run to run, mostly without consequence. */
function isSame(before: unknown, after: unknown, names: Names): boolean {
  if (typeof before === "string" && typeof after === "string") {
    return names.hide(before) === names.hide(after);
  }
  return isEqualJson(before, after);
}

/** The status follows from the rest. */
function byInterest(a: string, b: string): number {
  return Number(a === "status") - Number(b === "status") || (a < b ? -1 : 1);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function joined(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}["${key}"]`;
  return path === "" ? key : `${path}.${key}`;
}

/** The items of a list by their names or types, as Kubernetes merges lists; undefined if some have none. */
function keyed(list: readonly unknown[]): Map<string, unknown> | undefined {
  const items = new Map<string, unknown>();
  for (const [index, item] of list.entries()) {
    const name = isObject(item) ? item.name ?? item.type ?? item.uid ?? index : undefined;
    if (name === undefined || items.has(String(name))) return undefined;
    items.set(String(name), item);
  }
  return items;
}

/** The object without its notes and the fields of the server. */
function shownPart(object: KubeObject | undefined): JsonObject | undefined {
  if (object === undefined) return undefined;
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (!OF_SERVER.includes(key) && key !== "annotations") kept[key] = value;
  }
  const annotations = Object.fromEntries(annotationsOf(object).filter(([key]) => !isNote(key, object)));
  if (Object.keys(annotations).length > 0) kept.annotations = annotations;
  if (isObject(rest.status)) {
    const status = Object.entries(rest.status).filter(([key]) => !NOTES_IN_STATUS.includes(key));
    rest.status = status.length === 0 ? undefined : Object.fromEntries(status);
  }
  return { ...rest, metadata: kept };
}

function notesOf(object: KubeObject | undefined): JsonObject {
  if (object === undefined) return {};
  const inStatus = isObject(object.status)
    ? Object.entries(object.status).filter(([key]) => NOTES_IN_STATUS.includes(key))
    : [];
  return Object.fromEntries([...annotationsOf(object).filter(([key]) => isNote(key, object)), ...inStatus]);
}

function annotationsOf({ metadata: { annotations } }: KubeObject): [string, unknown][] {
  return isObject(annotations) ? Object.entries(annotations) : [];
}

function isNote(key: string, { metadata: { annotations = {} } }: KubeObject): boolean {
  const slash = key.indexOf("/");
  if (slash < 0) return false;
  return isOperatorPrefix(key.slice(0, slash), annotations);
}

function shown(value: unknown, names: Names): string {
  const text = names.hide(JSON.stringify(value));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

/** The words of one object that others do not share. */
interface Names {
  /** Returns a text with placeholders in their place. */
  hide(text: string): string;
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const HASH = /(<(?:name|owner)>)-[a-z0-9]{8,10}(?![a-z0-9])/g;
const ADDRESS = /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])/g;
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/g;

function namesIn(object: KubeObject | undefined): Names {
  const { name, namespace, ownerReferences } = object?.metadata ?? {};
  const owner = ownerReferences?.find(({ controller }) => controller === true) ?? ownerReferences?.[0];
  // Longer names first: they may hold the shorter ones.
  const words = [[name, "<name>"], [owner?.name, "<owner>"], [namespace, "<namespace>"]]
    .flatMap(([word, mark]) => word ? [[word, mark ?? ""] as const] : [])
    .sort(([a], [b]) => b.length - a.length);
  return {
    hide(text) {
      let hidden = text.includes("-") ? text.replace(UID, "<uid>").replace(TIME, "<time>") : text;
      for (const [word, mark] of words) hidden = withoutWord(hidden, word, mark);
      return hidden.replace(HASH, "$1-<hash>").replace(ADDRESS, "<ip>");
    },
  };
}

/** Replaces a word where it stands by itself, or between signs. */
function withoutWord(text: string, word: string, mark: string): string {
  if (!text.includes(word)) return text;
  let result = "";
  let from = 0;
  for (;;) {
    const at = text.indexOf(word, from);
    if (at < 0) return result + text.slice(from);
    const end = at + word.length;
    const isWhole = !isWordSign(text[at - 1]) && !isWordSign(text[end]);
    result += text.slice(from, at) + (isWhole ? mark : word);
    from = end;
  }
}

function isWordSign(sign: string | undefined): boolean {
  return sign !== undefined && /[a-zA-Z0-9]/.test(sign);
}
