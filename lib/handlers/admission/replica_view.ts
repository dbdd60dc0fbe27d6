/**
 * The replicas of an operator, as far as admission has to do with them: the Leases' name, the members with their announcements,
 * and the right to change the configurations, the Secret and definitions, which belongs to the holder of shard 0.
 *
 * An operator without replicas has no members and no names, and its right to change never ends.
 */

import type { CallOptions, Permitted } from "../../client/client.ts";
import type { Permit } from "../../client/transport/permit.ts";

/** A right to change the configurations, the Secret and definitions: a term of shard 0. */
export type FirstTerm = Permit;

/** Options of a write, which may need a permit. */
export interface WriteCall extends CallOptions, Permitted {}

/** Returns the options of writes in a term. */
export function callIn(term: FirstTerm): WriteCall {
  return { signal: term.signal, permit: term };
}

/** A live replica, or one that was. */
export interface ReplicaMember {
  readonly identity: string;
  readonly isLive: boolean;
  readonly isAble: boolean;
  readonly isLeaving: boolean;
  readonly record: { readonly annotations: Readonly<Record<string, string>> };
}

/** The replicas, seen by one of them. */
export interface ReplicaView {
  /** The place and the name of the Leases; undefined without replicas. */
  readonly settings: { readonly name: string; readonly namespace: string } | undefined;
  /** The name of the present session; undefined without replicas. */
  readonly identity: string | undefined;
  /** All members that are known, this one included; none without replicas. */
  readonly members: readonly ReplicaMember[];
  /** Runs work in each term of shard 0 that begins here, one after the other. Without replicas: once, and at once. */
  whileFirst(name: string, work: (term: FirstTerm) => Promise<void>): Disposable;
  /** Puts an annotation onto the own member Lease, and tells the others at once; null takes it off. */
  annotate(key: string, value: string | null): void;
  /** Calls back when a member Lease has come, changed or gone. */
  onMembers(listener: () => void): Disposable;
}

/** The annotation of member Leases with the announcement of the replica; absent until its server listens. */
export const SERVES = "lotse.dev/webhooks";

/** The announcement of a replica: the things that it serves. */
export interface Announcement {
  /** A digest of each webhook, by "cause/name". */
  readonly webhooks: ReadonlyMap<string, string>;
  /** Names of the definitions whose objects it converts. */
  readonly conversions: readonly string[];
  /** The names and addresses by which the API server reaches it. */
  readonly hosts: readonly string[];
}

/** Writes an announcement as an annotation has it. */
export function formatAnnouncement({ webhooks, conversions, hosts }: Announcement): string {
  return JSON.stringify({ webhooks: Object.fromEntries(webhooks), conversions, hosts });
}

/** Reads an announcement; undefined where there is none, or none that can be read. */
export function parseAnnouncement(text: string | undefined): Announcement | undefined {
  if (text === undefined) return undefined;
  try {
    const { webhooks, conversions, hosts } = JSON.parse(text);
    const texts = (list: unknown): string[] =>
      Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
    const digests = Object.entries(webhooks).filter((entry): entry is [string, string] =>
      typeof entry[1] === "string"
    );
    return { webhooks: new Map(digests), conversions: texts(conversions), hosts: texts(hosts) };
  } catch {
    return undefined;
  }
}
