/** The surroundings of one replica: the parts that it is built of, its work, and its observers. */

import type { Client } from "../../client/client.ts";
import type { TransportOptions } from "../../client/transport/transport.ts";
import type { Host } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WatcherSettings } from "../../settings/sections.ts";
import type { ShardWork, TermEnd } from "./shard_fence.ts";
import type { LeaseSettings } from "./options.ts";

export interface ReplicasOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: LeaseSettings;
  readonly watching: WatcherSettings;
  /** Watches Leases. */
  readonly client: Client;
  /** The way to the API server for requests of Leases, which have connections of their own. */
  readonly transport: TransportOptions;
  /** The beginning of the identity: the Pod's name. */
  readonly podName: string;
  /** The author's release: told to other replicas, and by `lotse replicas`. */
  readonly release: string;
  readonly work: ShardWork;
  /** Told of each change, for metrics and Events. Must not throw. */
  readonly observer?: ReplicasObserver;
}

/** Sees a replica at work. No method may throw. */
export interface ReplicasObserver {
  /** A shard was taken by this replica, or its term has ended here. */
  moved?(change: ShardChange): void;
  /** The session is live (again), in doubt, or lost. */
  session?(state: "live" | "doubtful" | "lost"): void;
  /** Leases have come, or time has passed: members and holders may be others. Called often. */
  looked?(): void;
  /** A renewal was refused, or not answered in time. Source: client-go, `leader_election_slowpath_total`. */
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
    /** Handlers that still run. */
    readonly left: readonly string[];
  };
