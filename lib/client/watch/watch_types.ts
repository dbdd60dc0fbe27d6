/**
 * What a watch is asked for, what it gives, and what it tells about itself.
 */

import type { KubeObject, WatchEvent } from "../../model/object.ts";
import type { Host } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Addressable, Client } from "../client.ts";
import type { WatcherSettings } from "../../settings/sections.ts";
import type { ObjectStore, StoredObject } from "../cache/object_store.ts";
import type { Shape } from "../projection.ts";

export interface WatchOptions {
  readonly client: Client;
  readonly resource: Addressable;
  /** Default: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Source: Kubernetes 1.36, "ShardedListAndWatch" (alpha). */
  readonly shardSelector?: string;
  /** In which form the objects are wanted. Default: whole. */
  readonly shape?: Shape;
  /** Which objects are wanted of those that come; the others are forgotten at once. Default: all. */
  readonly accepts?: (object: KubeObject) => boolean;
  /** Whether a list that is forbidden is asked for again before that counts as a failure. Default: true. */
  readonly retryForbidden?: boolean;
  /** Read anew for each request, so that changes count. */
  readonly settings: WatcherSettings;
  /** Ends the watch, and nothing else does. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly host: Host;
  /** Called whenever the phase changes. NB: the state is live: always the same object, whose fields go on changing. */
  readonly onState?: (state: WatchState) => void;
  /**
   * Takes what the server shows. A watch that is started again (after a pause) with the store of an earlier one announces
   * what vanished meanwhile. Default: an empty one, for this watch only.
   */
  readonly store?: ObjectStore;
}

/**
 * What a watch gives: events (of type null for the initial listing), and the mark after each complete listing.
 *
 * A synthetic event is a DELETED that the server never sent: the object was missing in a later listing. It holds the last
 * known state. A restored event comes when the server was set back to an older state (an etcd restored from a backup): what
 * is remembered of the object may be newer than anything that is true, and is to be forgotten.
 */
export type WatchItem =
  | StoredObject & {
    readonly type: "event";
    readonly event: WatchEvent<KubeObject>;
    readonly synthetic?: boolean;
    readonly restored?: boolean;
  }
  | { readonly type: "listed" };

/** listing: the initial set is on its way. watching: a stream is open. waiting: the next attempt is due soon. */
export type WatchPhase = "listing" | "watching" | "waiting";

/** How a watch is doing. */
export interface WatchState {
  readonly phase: WatchPhase;
  /** When this phase began, in milliseconds since 1970. */
  readonly since: number;
  /** When the server was last heard (a page, an event, a bookmark), in milliseconds since 1970; undefined before the first time. */
  readonly lastActivity: number | undefined;
  /** Whether a listing was completed at least once. */
  readonly listed: boolean;
  /** How often a listing or stream had to be started again. */
  readonly restarts: number;
  /** How many attempts in a row have failed; 0 while all is well. */
  readonly failures: number;
  /** Why the latest attempt failed; undefined while all is well. */
  readonly lastError: unknown;
}
