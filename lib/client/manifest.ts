/**
 * Manifests as they are applied: without the fields that the server owns, and with the fields in which it keeps things.
 *
 * Manifests are often pasted from `kubectl get -o yaml`. A `resourceVersion` or `uid` of another object then makes each apply fail,
 * and `stringData` of Secrets is a field that the server never shows: who owns a key of `data` that came by it is noted nowhere, so
 * that the key would stay when the manifest has it no more.
 * Source: Kubernetes, docs/concepts/configuration/secret; https://github.com/kubernetes/kubernetes/issues/108008.
 */

import { toBase64 } from "../model/encoding.ts";
import { getKey, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import type { Addressable, CallOptions, Client } from "./client.ts";

/** Metadata that the server alone writes. Source: Kubernetes API reference, ObjectMeta. */
const SERVER_METADATA: readonly string[] = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
];

/** A manifest without what the server owns. */
export interface OwnFields<Manifest> {
  readonly manifest: Manifest;
  /** The fields that were taken out, such as "metadata.uid"; those that held nothing are not told. */
  readonly dropped: readonly string[];
}

/** Takes out of a manifest what the server owns: metadata, and the status where it is a subresource. */
export function withoutServerFields<
  Manifest extends { readonly metadata?: object; readonly status?: unknown },
>(
  manifest: Manifest,
  { subresources }: Pick<Resource, "subresources">,
): OwnFields<Manifest> {
  const metadata: JsonObject = { ...manifest.metadata };
  const dropped = SERVER_METADATA.filter((name) => isGiven(metadata[name])).map((name) => `metadata.${name}`);
  for (const name of SERVER_METADATA) delete metadata[name];
  const { status, ...rest } = manifest;
  const isDropped = Object.hasOwn(manifest, "status") && subresources.includes("status");
  if (isDropped && isGiven(status)) dropped.push("status");
  const kept = { ...isDropped ? rest : manifest, ...manifest.metadata !== undefined && { metadata } };
  return { manifest: kept as Manifest, dropped }; // the same fields, but for those of the server
}

/** Generators write `creationTimestamp: null` and `status: {}` into each manifest. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null &&
    !(typeof value === "object" && Object.keys(value).length === 0);
}

/** Whether objects of the kind keep as `data` what is written as `stringData`. */
export function isSecret({ group, plural }: Pick<Resource, "group" | "plural">): boolean {
  return group === "" && plural === "secrets";
}

/** Returns a Secret with its `stringData` in `data`, as the server keeps it. What is no text stays, for the server to refuse. */
export function withData<Manifest extends object>(manifest: Manifest): Manifest {
  const { stringData, ...rest } = manifest as { readonly stringData?: unknown; readonly data?: unknown };
  if (!isObject(stringData)) return manifest;
  const texts = Object.entries(stringData).filter(([, value]) => value !== undefined);
  if (texts.some(([, value]) => typeof value !== "string")) return manifest;
  const encoded = texts.map(([key, value]) => [key, toBase64(String(value))]);
  const data = { ...isObject(rest.data) ? rest.data : {}, ...Object.fromEntries(encoded) };
  return { ...rest, data } as Manifest; // `stringData` is optional in each type that has it
}

/** The keys of a Secret that came by `stringData`, and are wanted no more. */
export interface FormerKeys {
  /** Those that the manager's own apply has left. */
  readonly own: readonly string[];
  /** Those that nobody owns: perhaps left by an apply before that. */
  readonly unowned: readonly string[];
}

/** Finds the keys that applies of `stringData` have left in a Secret, as earlier releases sent them. */
export function formerKeys(
  live: KubeObject,
  { object, fieldManager }: { readonly object: JsonObject; readonly fieldManager: string },
): FormerKeys {
  const entries = (Array.isArray(live.metadata.managedFields) ? live.metadata.managedFields : []).filter(
    isObject,
  );
  const own = entries.find(({ manager, operation }) => manager === fieldManager && operation === "Apply");
  const applied = keysOf(own, "stringData");
  if (applied.length === 0) return { own: [], unowned: [] };
  const owned = new Set(entries.flatMap((entry) => keysOf(entry, "data")));
  const wanted = getKey(object, "data");
  const left = Object.keys(isObject(live.data) ? live.data : {}).filter((key) =>
    !owned.has(key) && !(isObject(wanted) && Object.hasOwn(wanted, key))
  );
  return {
    own: left.filter((key) => applied.includes(key)),
    unowned: left.filter((key) => !applied.includes(key)),
  };
}

/** The members of a field that a manager owns. */
function keysOf(entry: JsonObject | undefined, field: string): string[] {
  const fields = entry === undefined ? undefined : getKey(entry, "fieldsV1");
  const below = isObject(fields) ? getKey(fields, `f:${field}`) : undefined;
  const names = isObject(below) ? Object.keys(below) : [];
  return names.filter((name) => name.startsWith("f:")).map((name) => name.slice(2));
}

/** Takes keys off a Secret, if it is still as it is known. Returns its new state. */
export async function dropKeys(
  client: Client,
  resource: Addressable,
  { live, keys, fieldManager, ...options }: CallOptions & {
    readonly live: KubeObject;
    readonly keys: readonly string[];
    readonly fieldManager: string;
  },
): Promise<KubeObject> {
  const { name = "", namespace, uid, resourceVersion } = live.metadata;
  const data = Object.fromEntries(keys.map((key) => [key, null]));
  const body = { metadata: { uid, resourceVersion }, data };
  return await client.patch<KubeObject>(
    resource,
    { name, namespace },
    { type: "merge", body, fieldManager },
    options,
  );
}
