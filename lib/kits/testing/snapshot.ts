/** Objects without fields that differ from run to run: to be compared as a whole, or with a file. */

import { cloneJson, isObject, setKey } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Api } from "../../operator/api.ts";
import type { ResourceType } from "../../registry/resource.ts";

/** Objects by their kinds and names, such as "ConfigMap default/one". */
export type Snapshot = Record<string, JsonObject>;

/** Metadata that the server sets by itself. */
const VOLATILE = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "managedFields",
  "generation",
];

/** A ConfigMap that the server makes by itself. Source: Kubernetes, "Publishing the root CA certificate". */
const OF_SERVER = "kube-root-ca.crt";

/** Returns all objects of these kinds, in order of their names. */
export async function takeSnapshot(
  api: Api,
  kinds: readonly ResourceType<unknown, unknown>[],
): Promise<Snapshot> {
  const found: [string, JsonObject][] = [];
  for (const kind of kinds) {
    for await (const object of api.list(kind)) {
      const { kind: name = "", metadata } = object;
      if (name === "ConfigMap" && metadata.name === OF_SERVER) continue;
      const place = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
      found.push([`${name} ${place}${metadata.name}`, withoutVolatile(object)]);
    }
  }
  return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
}

function withoutVolatile(object: KubeObject<unknown, unknown>): JsonObject {
  const { uid = "" } = object.metadata;
  // Notes name their object by its uid.
  const { metadata, ...rest } = uid === ""
    ? cloneJson(object)
    : replaced(cloneJson(object), uid) as typeof object;
  const kept = Object.entries(metadata).filter(([key]) => !VOLATILE.includes(key)).map(([key, value]) =>
    key === "ownerReferences" ? [key, withoutUids(value)] : [key, value]
  );
  return { ...rest, metadata: Object.fromEntries(kept) };
}

/** Returns a value with another text in the place of a uid, wherever it stands. */
function replaced(value: unknown, uid: string): unknown {
  if (typeof value === "string") return value.replaceAll(uid, "(this object)");
  if (Array.isArray(value)) return value.map((each) => replaced(each, uid));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setKey(copy, key, replaced(value[key], uid));
  return copy;
}

function withoutUids(references: unknown): unknown {
  if (!Array.isArray(references)) return references;
  return references.map(({ uid: _uid, ...rest }) => rest);
}
