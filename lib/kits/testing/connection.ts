/**
 * The clusters that operators can be run on, as far as a run is concerned, and the ways into them.
 *
 * A run needs little of a cluster, so that a test may bring its own: a function that answers requests, or a way in.
 */

import type { ConnectionInfo } from "../../client/auth/connection_info.ts";
import type { Host } from "../../runtime/host.ts";
import type { VirtualHost } from "../../runtime/virtual/host.ts";

/** A server in the process that answers Kubernetes' API, in a virtual world. */
export interface ServedCluster {
  /** The world that both the cluster and the operator live in. */
  readonly host: VirtualHost;
  /** Answers a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** An API server somewhere else, such as a real one: time passes there by itself. */
export interface ConnectedCluster {
  /** The world that the operator runs in. */
  readonly host: Host;
  /** How its administrator gets in. */
  readonly connection: ConnectionInfo;
}

/** A cluster that an operator can be run on in a test. */
export type Cluster = ServedCluster | ConnectedCluster;

/** Where a cluster in the process is to be found in its network: as pods find theirs, and by a name of its own. */
const ORIGINS = ["https://cluster.test", "https://kubernetes.default.svc"] as const;

/** Returns the way into a cluster, which is there from now on. */
export function connectionOf(cluster: Cluster): ConnectionInfo {
  if ("connection" in cluster) return cluster.connection;
  for (const origin of ORIGINS) cluster.host.network.route(origin, cluster.fetch);
  return { server: ORIGINS[0] };
}
