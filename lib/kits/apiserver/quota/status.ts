/**
 * ResourceQuotas and LimitRanges as a part of the server, and the way of a quota's status into the store.
 */

import type { Cluster } from "../cluster.ts";
import { clone } from "../values.ts";
import { updateObject } from "../writes/update.ts";
import { writeAmounts } from "./amounts.ts";
import { Quotas, type QuotaStatus } from "./quotas.ts";

/** Returns the part that holds writes against quotas and limits. */
export function quotas(cluster: Cluster): Quotas {
  const { host: { clock }, store, kinds } = cluster;
  return new Quotas({ clock, store, kinds, write: (status) => writeQuotaStatus(cluster, status) });
}

/** Writes the status of a quota, unless that has gone. */
function writeQuotaStatus(cluster: Cluster, { quota, hard, used, manager }: QuotaStatus): void {
  const { namespace, name = "" } = quota.metadata;
  const kind = cluster.kinds.at("v1", "resourcequotas");
  if (kind?.collection.get(`${namespace}/${name}`) === undefined) return;
  updateObject(cluster, {
    kind,
    reference: { namespace, name },
    subresource: "status",
    writer: { manager, subresource: "status" },
    change: (current) => ({
      ...clone(current),
      status: { hard: writeAmounts(hard), used: writeAmounts(used) },
    }),
  });
}
