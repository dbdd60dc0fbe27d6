/**
 * Leases as client-go writes and reads them, and the names of ours.
 *
 * A record is read from whatever a stranger may have put into a Lease: a missing or impossible field counts as absent. Pure.
 * Source: client-go, `tools/leaderelection/resourcelock/leaselock.go`; Kubernetes, "Leases".
 */

import { digestOf } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { Seconds } from "../../runtime/host.ts";

/** The kind of Leases. */
export const LEASES: Pick<Resource, "group" | "version" | "plural" | "namespaced"> = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  namespaced: true,
};

/** The label of an operator's own Leases: its value is the operator's name. */
export const LABEL = "lotse.dev/replicas";

/** Annotations of member Leases. */
export const ANNOTATIONS = {
  /** The author's release. */
  release: "lotse.dev/release",
  /** "true" while the replica can work. */
  able: "lotse.dev/able",
  /** "true" once the process stops. */
  leaving: "lotse.dev/leaving",
  /** Into how many shards the replica divides the objects. */
  shards: "lotse.dev/shards",
  /** The identity of the replica that has ended the session. */
  endedBy: "lotse.dev/ended-by",
} as const;

/** The state of a Lease. */
export interface LeaseRecord {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** "" for a Lease without a holder. */
  readonly holder: string;
  /** In whole seconds. Default: 0. */
  readonly duration: Seconds;
  /** RFC 3339 with microseconds, as it was written; "" if absent. */
  readonly acquired: string;
  readonly renewed: string;
  /** How often the holder has changed. */
  readonly transitions: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether an election of another sort decides about the holder. Source: Kubernetes, "Coordinated Leader Election". */
  readonly isForeign: boolean;
  /** The object as it was read. */
  readonly object: KubeObject;
}

/** Reads a Lease. */
export function readLease(object: KubeObject): LeaseRecord {
  const { name = "", uid = "", resourceVersion = "", annotations } = object.metadata;
  const content: Readonly<Record<string, unknown>> = isObject(object["spec"]) ? object["spec"] : {};
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions, strategy } =
    content;
  return {
    name,
    uid,
    version: resourceVersion,
    holder: textOf(holderIdentity),
    duration: countOf(leaseDurationSeconds),
    acquired: textOf(acquireTime),
    renewed: textOf(renewTime),
    transitions: countOf(leaseTransitions),
    annotations: isObject(annotations) ? annotations : {},
    isForeign: textOf(strategy) !== "",
    object,
  };
}

/** Whether two states of a Lease are the same to an election, which looks at the spec, but not at labels and annotations. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return a.holder === b.holder && a.renewed === b.renewed && a.acquired === b.acquired &&
    a.transitions === b.transitions && a.duration === b.duration;
}

/** The spec of a Lease, as it is to be written. */
export interface LeaseContent {
  readonly holder: string;
  readonly duration: Seconds;
  /** RFC 3339 with microseconds. */
  readonly acquired: string;
  readonly renewed: string;
  readonly transitions: number;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

export interface LeaseObjectOptions {
  readonly name: string;
  readonly namespace: string;
  /** The operator's name, for the label. */
  readonly operator: string;
  /** The state that is replaced: its version is the condition of the write. Undefined: the Lease is created. */
  readonly before: LeaseRecord | undefined;
}

/** Makes the object to be written. Labels, annotations and fields of strangers stay. */
export function toLease(content: LeaseContent, options: LeaseObjectOptions): KubeObject {
  const { name, namespace, operator, before } = options;
  const { holder, duration, acquired, renewed, transitions } = content;
  const annotations = Object.assign(Object.create(null), before?.annotations);
  for (const [key, value] of Object.entries(content.annotations ?? {})) {
    if (value === null) delete annotations[key];
    else annotations[key] = value;
  }
  const spec = isObject(before?.object["spec"]) ? before.object["spec"] : {};
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      ...before?.object.metadata,
      name,
      namespace,
      labels: { ...before?.object.metadata.labels, [LABEL]: operator },
      annotations,
    },
    spec: {
      ...spec,
      holderIdentity: holder,
      leaseDurationSeconds: duration,
      acquireTime: acquired,
      renewTime: renewed,
      leaseTransitions: transitions,
    },
  };
}

/**
 * Returns the content that releases a Lease, as client-go does: no holder, a second's duration, the transitions kept.
 *
 * Source: client-go, `tools/leaderelection/leaderelection.go`, `release()`.
 */
export function releasedContent(before: LeaseRecord, now: string): LeaseContent {
  return { holder: "", duration: 1, acquired: now, renewed: now, transitions: before.transitions };
}

/** Returns a time with microseconds. `order` tells writes of one millisecond apart: from 0 to 999. */
export function toMicroTime(milliseconds: number, order = 0): string {
  return new Date(milliseconds).toISOString().replace("Z", `${String(order).padStart(3, "0")}Z`);
}

/** The name of the member Lease of an identity. */
export function memberLeaseName(operator: string, identity: string): string {
  return `${operator}-member-${digestOf(identity).slice(0, 10)}`;
}

/** Whether it is the name of a member Lease. */
export function isMemberLease(operator: string, name: string): boolean {
  return name.startsWith(`${operator}-member-`) && /^[0-9a-f]{10}$/.test(name.slice(operator.length + 8));
}

/** The name of a shard's Lease: the operator's own name where there is one shard, as controller-runtime has it. */
export function shardLeaseName(operator: string, { shard, shards }: ShardPlace): string {
  return shards === 1 ? operator : `${operator}-${shard}-of-${shards}`;
}

/** A shard in a set of shards. */
export interface ShardPlace {
  /** From 0. */
  readonly shard: number;
  readonly shards: number;
}

/** Returns the shard whose Lease has this name; undefined if it is no shard's. */
export function shardPlaceOf(operator: string, name: string): ShardPlace | undefined {
  if (name === operator) return { shard: 0, shards: 1 };
  if (!name.startsWith(`${operator}-`)) return undefined;
  const [, shard, shards] = /^(\d{1,2})-of-(\d{1,2})$/.exec(name.slice(operator.length + 1)) ?? [];
  if (shard === undefined || shards === undefined) return undefined;
  const place = { shard: Number(shard), shards: Number(shards) };
  return place.shard < place.shards && place.shards > 1 ? place : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
