/**
 * The knowledge of Pods that all controllers share: whose they are, how they are, and how to make one.
 *
 * Source: k8s.io/kubernetes, pkg/controller/controller_utils.go and controller_ref_manager.go.
 */

import type { JsonObject, KubeObject, OwnerReference } from "../../../model/object.ts";
import { selects } from "../selectors/selector.ts";
import { tell } from "./events.ts";
import { ofController } from "./lookup.ts";
import type { Condition, Pod, PodTemplate } from "./types.ts";
import { PLACES, type World } from "./world.ts";

/** Source: k8s.io/apimachinery, pkg/util/rand: letters and digits without vowels and look-alikes. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** An object that has Pods. */
export interface PodOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: KubeObject<JsonObject, JsonObject>;
}

/** The reference to the one that controls an object, if it has one. */
export function controllerOf({ metadata }: KubeObject<JsonObject, JsonObject>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The reference by which an owner controls the objects that it makes. */
export function controllerReference({ apiVersion, kind, object }: PodOwner): OwnerReference {
  const { name = "", uid = "" } = object.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The objects of a kind that an owner controls, in order. */
export function controlledBy<Obj extends KubeObject<JsonObject, JsonObject>>(
  world: World,
  place: string,
  { metadata }: KubeObject<JsonObject, JsonObject>,
): Obj[] {
  return world.having<Obj>(place, ofController(metadata.uid ?? ""));
}

/**
 * Returns the objects that an owner controls, after it has adopted selected objects without a controller, and released
 * objects that it does not select any more.
 */
export async function claim<Obj extends KubeObject<JsonObject, JsonObject>>(
  world: World,
  place: string,
  { owner, selector }: { readonly owner: PodOwner; readonly selector: JsonObject },
): Promise<Obj[]> {
  const { namespace, uid, deletionTimestamp } = owner.object.metadata;
  const claimed: Obj[] = [];
  for (const object of world.controlledOrFree<Obj>(place, owner.object)) {
    const { metadata } = object;
    const controller = controllerOf(object);
    const fits = selects(selector, metadata.labels);
    if (controller?.uid === uid && fits) {
      claimed.push(object);
    } else if (controller?.uid === uid) {
      const ownerReferences = metadata.ownerReferences?.filter((reference) => reference.uid !== uid);
      await world.replace(place, plain({ ...object, metadata: { ...metadata, ownerReferences } }));
    } else if (controller === undefined && fits && mayAdopt(object) && deletionTimestamp === undefined) {
      const ownerReferences = [...metadata.ownerReferences ?? [], controllerReference(owner)];
      await world.replace(place, plain({ ...object, metadata: { ...metadata, ownerReferences } }));
      const adopted = world.get<Obj>(place, { namespace, name: metadata.name ?? "" });
      if (adopted !== undefined) claimed.push(adopted);
    }
  }
  return claimed;
}

function mayAdopt({ metadata, status }: KubeObject<JsonObject, JsonObject>): boolean {
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  return metadata.deletionTimestamp === undefined && !isOver;
}

/** An object without its types, which are not needed any more. */
export function plain(object: KubeObject<JsonObject, JsonObject>): KubeObject {
  return object;
}

/** Whether a Pod counts: it has not ended, and is not about to. */
export function isActive({ metadata, status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed" &&
    metadata.deletionTimestamp === undefined;
}

export function conditionOf(
  status: { readonly conditions?: readonly Condition[] } | undefined,
  type: string,
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isReady({ status }: Pod): boolean {
  return conditionOf(status, "Ready")?.status === "True";
}

/** In how many seconds a Pod is available; 0 if it is, undefined if it is not ready. */
export function availableIn(world: World, pod: Pod, minReadySeconds = 0): number | undefined {
  if (!isReady(pod)) return undefined;
  const since = conditionOf(pod.status, "Ready")?.lastTransitionTime;
  return Math.max(0, minReadySeconds - world.since(since));
}

/** How many Pods are how. */
export interface PodCounts {
  readonly ready: number;
  readonly available: number;
  /** When one more becomes available; undefined if none does by itself. In seconds. */
  readonly next: number | undefined;
}

export function countPods(world: World, pods: readonly Pod[], minReadySeconds = 0): PodCounts {
  const waits = pods.map((pod) => availableIn(world, pod, minReadySeconds));
  const known = waits.filter((wait) => wait !== undefined);
  const later = known.filter((wait) => wait > 0);
  return {
    ready: known.length,
    available: known.length - later.length,
    next: later.length === 0 ? undefined : Math.min(...later),
  };
}

export interface NewPod {
  readonly owner: PodOwner;
  readonly template: PodTemplate;
  /** Default: made from the owner's. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** On top of the template's. */
  readonly spec?: JsonObject;
}

/** Makes a Pod from its owner's template. */
export async function createPod(
  world: World,
  { owner, template, name, labels, annotations, spec }: NewPod,
): Promise<void> {
  const { metadata = {} } = template;
  const notes = { ...metadata.annotations, ...annotations };
  const base = `${owner.object.metadata.name}-`;
  const made = await world.create(PLACES.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: owner.object.metadata.namespace,
      ...(name === undefined ? { generateName: base } : { name }),
      labels: { ...metadata.labels, ...labels },
      ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
      ...(metadata.finalizers === undefined ? {} : { finalizers: [...metadata.finalizers] }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...template.spec, ...spec },
  });
  const { kind, object } = owner;
  const message = kind === "StatefulSet"
    ? `create Pod ${made.metadata.name} in StatefulSet ${object.metadata.name} successful`
    : `Created pod: ${made.metadata.name}`;
  const component = CONTROLLERS[kind] ?? `${kind.toLowerCase()}-controller`;
  await tell(world, owner, { reason: "SuccessfulCreate", message, component });
}

/** The names of controllers, where they are not made of the kind that they care for. */
const CONTROLLERS: Readonly<Record<string, string>> = { ReplicationController: "replication-controller" };

/** A short hash of a content, as Kubernetes appends it to names and puts it into labels. */
export function hashOf(value: unknown): string {
  const text = JSON.stringify(sorted(value));
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return [...String(hash >>> 0)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join("");
}

/** The same content gives the same text, whatever the order of keys is. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, child]) => [key, sorted(child)]),
  );
}

/** A share of a number of Pods: "25%", or a plain number. */
export function share(
  value: number | string | undefined,
  { of, up, fallback }: { readonly of: number; readonly up: boolean; readonly fallback: number | string },
): number {
  const given = value ?? fallback;
  if (typeof given === "number") return given;
  const part = (Number.parseInt(given, 10) / 100) * of;
  return up ? Math.ceil(part) : Math.floor(part);
}

/** Conditions with one of them changed; the time of its transition stays unless its status changes. */
export function withCondition(
  conditions: readonly Condition[] = [],
  condition: Condition,
): Condition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const others = conditions.filter(({ type }) => type !== condition.type);
  if (old === undefined) return [...others, condition];
  const isSame = old.status === condition.status;
  if (isSame && old.reason === condition.reason && old.message === condition.message) return [...conditions];
  const next = isSame ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  return [...others, next];
}
