/**
 * The things that all parts of the API server share: the host, the store, the kinds, and who owns what.
 */

import type { Host } from "../../runtime/host.ts";
import type { Ownership } from "./apply/ownership.ts";
import type { Gate } from "./access/gate.ts";
import type { CelLoader } from "./cel/loader.ts";
import type { Kinds } from "./kinds.ts";
import type { Quotas } from "./quota/quotas.ts";
import type { Store } from "./store.ts";

export interface Cluster {
  readonly host: Host;
  readonly store: Store;
  readonly kinds: Kinds;
  readonly ownership: Ownership;
  readonly cel: CelLoader;
  readonly gate: Gate;
  /** Absent where ResourceQuotas and LimitRanges are only stored. */
  readonly quotas?: Quotas;
}
