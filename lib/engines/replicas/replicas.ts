/**
 * One replica among others: its session, the shards that it holds, and what it sees of the other replicas.
 *
 * A replica has one session, kept alive by renewing its member Lease, and holds shards by shard Leases, which are written only
 * when a shard changes hands. All replicas compute the same division of shards from the Leases that they see, without a
 * coordinator. Leader election is the case of one shard, whose Lease is the one that client-go and controller-runtime use.
 * Source: docs/decisions/0028-replicas.md; client-go, `tools/leaderelection/leaderelection.go`.
 */

import type { Client } from "../../client/client.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WatcherSettings } from "../../settings/sections.ts";
import type { Fence, ShardWork, TermEnd } from "./fence.ts";

/** How replicas share the objects of an operator. Durations are in seconds, and equal in all replicas of an operator. */
export interface ReplicasSettings {
  /** The name of the operator, and of its Lease where it has one shard: a DNS label of at most 50 characters. */
  readonly name: string;
  /** The namespace of the Leases. */
  readonly namespace: string;
  /** Into how many parts the objects are divided: from 1 to 64. Default: 1. */
  readonly shards: number;
  /** After how long without a renewal others may take over: whole seconds, longer than `renewDeadline`. Default: 15. */
  readonly leaseDuration: Seconds;
  /** After how long without an answered renewal a replica stops to work: longer than 1.2 times `retryPeriod`. Default: 10. */
  readonly renewDeadline: Seconds;
  /** The pause between renewals. Default: 2. */
  readonly retryPeriod: Seconds;
  /** How long handlers may go on when a shard is let go, before their signal is aborted. Default: 30. */
  readonly drainTimeout: Seconds;
}

export interface ReplicasOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: ReplicasSettings;
  readonly watching: WatcherSettings;
  /** Watches Leases. */
  readonly client: Client;
  /** Makes a client with connections of its own. Called again after a request has failed; the engine disposes of its transport. */
  readonly connect: () => Client;
  /** The beginning of the identity: the Pod's name. */
  readonly podName: string;
  /** The author's release: told to other replicas, and by `lotse replicas`. */
  readonly release: string;
  readonly work: ShardWork;
  /** Told of each change, for metrics and Events. Must not throw. */
  readonly observer?: ReplicasObserver;
}

/** Sees what a replica does. */
export interface ReplicasObserver {
  /** A shard was taken by this replica, or its term has ended here. `left`: handlers that still run. */
  moved?(change: ShardChange): void;
  /** The session is live (again), in doubt, or lost. */
  session?(state: "live" | "doubtful" | "lost"): void;
  /** A renewal was late or refused. Source: client-go's `leader_election_slowpath_total`. */
  slowRenewal?(): void;
}

/** A change of a shard's holder. */
export type ShardChange =
  | { readonly is: "taken"; readonly shard: number; readonly lease: string }
  | {
    readonly is: "ended";
    readonly shard: number;
    readonly lease: string;
    readonly why: TermEnd;
    readonly left: readonly string[];
  };

/** A replica, as other replicas see it. */
export interface MemberView {
  readonly identity: string;
  readonly release: string;
  readonly isLive: boolean;
  readonly isAble: boolean;
  readonly isLeaving: boolean;
  /** The shards whose Leases name it. */
  readonly shards: readonly number[];
}

/** One replica. */
export interface Replica extends AsyncDisposable {
  readonly identity: string;
  readonly fence: Fence;
  /** All members that are known, this one included. */
  readonly members: readonly MemberView[];
  /** The identity of each shard's holder by the shard's number; undefined where it is free. */
  readonly holders: readonly (string | undefined)[];
  /** The obstacle that keeps the replica from taking shards (a missing right, for one) and its cure; undefined if there is none. */
  readonly problem: string | undefined;
  /** Begins the session, and to watch the others. Returns at once. */
  start(): void;
  /** Whether this replica can work: it has started, and its objects are listed and indexed. Default: false. */
  setAble(isAble: boolean): void;
  /** Says that the process stops, drains all shards and lets them go. Resolves when none is held. The session lives on. */
  leave(options: { readonly timeout: Seconds }): Promise<void>;
  /** Removes the member Lease and ends everything: the last act. Shards that are still held are fenced. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}
