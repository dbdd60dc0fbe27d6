/**
 * What all parts of the API server share: the host, the store and the kinds.
 */

import type { Host } from "../../runtime/host.ts";
import type { Kinds } from "./kinds.ts";
import type { Store } from "./store.ts";

export interface Cluster {
  readonly host: Host;
  readonly store: Store;
  readonly kinds: Kinds;
}

/** Gives the time as Kubernetes writes it: RFC 3339, whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
