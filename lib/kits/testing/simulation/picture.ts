/**
 * A picture of a world at rest: the planned objects, all objects that the operator has written, and its daemons, without the
 * fields that differ from run to run.
 */

import { isEmptyObject, isEqualJson, isObject, setKey } from "../../../model/json.ts";
import { isOperatorPrefix } from "../../../model/essence.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { namespacedName } from "../../../model/references.ts";
import { pathOf } from "../../../model/resource.ts";
import { formatJson } from "../../../runtime/json.ts";
import { isAuthorsWrite } from "./wire.ts";
import type { World } from "./world.ts";

/** Each thing of a world by a title such as "ConfigMap default/one"; of several with one title, all. */
export type Picture = ReadonlyMap<string, readonly JsonObject[]>;

/** Metadata that the server sets by itself, or that differs from run to run. */
const VOLATILE = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "managedFields",
  "generation",
  "name",
];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Takes a picture. */
export async function takePicture(world: World): Promise<Picture> {
  const paths = new Set([...world.kinds.values()].map((resource) => pathOf(resource)));
  for (const request of world.journal.requests) if (isAuthorsWrite(request)) paths.add(request.collection);
  const found: [string, JsonObject][] = [];
  const objects = (await Promise.all([...paths].sort().map((path) => world.listAt(path)))).flat();
  const leaving = new Set(objects.filter(isLeaving).map(({ metadata: { uid } }) => uid));
  for (const object of objects) {
    const [place = ""] = [object.metadata.namespace];
    // How far the work on an object had come when it was deleted is a matter of moments, and its children go with it.
    if (object.metadata.ownerReferences?.some(({ uid }) => leaving.has(uid)) === true) continue;
    if (object.metadata.name === "kube-root-ca.crt") continue;
    const own = nameOf(object);
    const shown = isLeaving(object) ? { metadata: { isLeaving: true } } : steady(object);
    found.push([`${object.kind} ${place === "" ? own : `${place}/${own}`}`, shown]);
  }
  for (const { call: { type, handler, object } } of world.journal.running) {
    if (type !== "Daemon" || object === undefined) continue;
    found.push([`daemon ${handler} of ${namespacedName(object)}`, {}]);
  }
  const picture = new Map<string, JsonObject[]>();
  for (const [title, object] of found) picture.set(title, [...picture.get(title) ?? [], object]);
  return picture;
}

/** Returns the parts that differ between two pictures of one world at rest: the work of timers, which goes on. */
export function movingIn(first: Picture, second: Picture): ReadonlySet<string> {
  const moving = new Set<string>();
  for (const title of new Set([...first.keys(), ...second.keys()])) {
    const [here, there] = [first.get(title) ?? [], second.get(title) ?? []];
    if (here.length !== there.length) moving.add(title);
    for (const [index, object] of here.entries()) {
      for (const { where } of differences(object, there[index], [])) moving.add(`${title} ${where}`);
    }
  }
  return moving;
}

/** Returns how a picture differs from the picture of a calm run, in a sentence; undefined: they are alike. */
export function differenceOf(
  picture: Picture,
  calm: Picture,
  moving: ReadonlySet<string>,
): string | undefined {
  for (const title of new Set([...calm.keys(), ...picture.keys()])) {
    if (moving.has(title)) continue;
    const [here, there] = [picture.get(title) ?? [], calm.get(title) ?? []];
    if (here.length !== there.length) {
      return `there ${counted(here.length, title)} here, and ${there.length} there`;
    }
    for (const [index, object] of here.entries()) {
      for (const each of differences(object, there[index], [])) {
        if (moving.has(`${title} ${each.where}`)) continue;
        return `${each.where} of ${title} is ${shown(each.here)} here, and ${shown(each.there)} there`;
      }
    }
  }
}

function counted(count: number, title: string): string {
  return count === 1 ? `is one ${title}` : `are ${count} of ${title}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : formatJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A name that the server has made counts as its beginning. */
function nameOf({ metadata: { name = "", generateName } }: KubeObject): string {
  return generateName !== undefined && name.startsWith(generateName) ? `${generateName}*` : name;
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function steady(object: KubeObject): JsonObject {
  const { metadata, ...rest } = object;
  const own = Object.entries(metadata).filter(([key]) => !VOLATILE.includes(key)).map(([key, value]) =>
    [
      key,
      key === "annotations" && isObject(value) ? withoutNotes(value) : value,
    ] as const
  ).filter(([, value]) => !isObject(value) || !isEmptyObject(value));
  const status = isObject(rest.status) ? withoutNotesOf(rest.status) : rest.status;
  const shownStatus = isObject(status) && isEmptyObject(status) ? undefined : status;
  const shown = { ...rest, status: shownStatus, metadata: Object.fromEntries(own) };
  // Made of an object's own parts.
  return blurred(shown) as JsonObject;
}

function withoutNotes(annotations: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !isOperatorPrefix(key.split("/")[0] ?? "", annotations)),
  );
}

/** Where notes are kept in the status, they stand under the name of the framework. */
function withoutNotesOf(status: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(status).filter(([key]) => key !== "lotse" && key !== "kopf"));
}

/** Returns a value with words in the place of times and uids. */
function blurred(value: unknown): unknown {
  if (typeof value === "string") return TIME.test(value) ? "(a time)" : value.replaceAll(UID, "(a uid)");
  if (Array.isArray(value)) return value.map(blurred);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    // Which generation an operator has seen depends on its speed.
    setKey(copy, key, key === "observedGeneration" ? "(a generation)" : blurred(value[key]));
  }
  return copy;
}

interface Difference {
  readonly where: string;
  readonly here: unknown;
  readonly there: unknown;
}

function* differences(here: unknown, there: unknown, path: readonly string[]): Generator<Difference> {
  if (isEqualJson(here, there)) return;
  if (Array.isArray(here) && Array.isArray(there) && here.length === there.length) {
    for (const [index, item] of here.entries()) {
      yield* differences(item, there[index], [...path, String(index)]);
    }
    return;
  }
  if (!isObject(here) || !isObject(there)) return yield { where: `\`${path.join(".")}\``, here, there };
  for (const key of new Set([...Object.keys(here), ...Object.keys(there)])) {
    yield* differences(here[key], there[key], [...path, key]);
  }
}
