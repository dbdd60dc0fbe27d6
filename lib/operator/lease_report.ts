/**
 * The replicas of operators as their Leases tell, read from outside: who is a member, and who holds which shard.
 *
 * Ages compare times in Leases with the own clock: they are for people, as clocks may differ. No replica judges by them.
 */

import { login } from "../client/auth/login.ts";
import { createClient } from "../client/object_client.ts";
import { Transport } from "../client/transport/transport.ts";
import {
  ANNOTATIONS,
  isMemberLease,
  LABEL,
  type LeaseRecord,
  LEASES,
  readLease,
  shardPlaceOf,
} from "../engines/replicas/lease.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { type Logger, silentLogger } from "../runtime/logging.ts";
import { defaultSettings } from "../settings/settings.ts";

/** Where to look. */
export interface LeaseReportOptions {
  /** The name of the operator. Default: all that have Leases there. */
  readonly name?: string;
  /** The namespace of the Leases. Default: the connection's. */
  readonly namespace?: string;
  /** Path of a kubeconfig. Default: `KUBECONFIG`, else the pod's service account, else `~/.kube/config`. */
  readonly kubeconfig?: string;
  /** Which of its contexts. Default: the current one. */
  readonly context?: string;
  /** Default: silent. */
  readonly logger?: Logger;
  /** The world to run in. Default: the real one. */
  readonly host?: Host;
}

/** The Leases of one operator. */
export interface LeaseReport {
  /** The name of the operator. */
  readonly name: string;
  readonly members: readonly {
    readonly identity: string;
    /** Whether it was renewed within its duration, by our clock. */
    readonly isLive: boolean;
    readonly isAble: boolean;
    readonly isLeaving: boolean;
    readonly release: string;
    /** How long ago it was renewed, by our clock. */
    readonly renewed: Seconds;
  }[];
  readonly shards: readonly {
    readonly shard: number;
    readonly shards: number;
    readonly lease: string;
    /** "" where nobody holds it. */
    readonly holder: string;
    /** For how long it is held or free, by our clock. */
    readonly since: Seconds;
    /** How often it has changed hands. */
    readonly transitions: number;
  }[];
}

/**
 * Reads the Leases of operators with replicas.
 *
 * @throws {LoginError} If there is no way into a cluster.
 * @throws {ApiError} If the server refuses.
 */
export async function reportLeases(options: LeaseReportOptions): Promise<readonly LeaseReport[]> {
  const { host = currentHost(), logger = silentLogger(), kubeconfig, context, name } = options;
  const { networking } = defaultSettings();
  const credentials = await login({ host, logger, kubeconfig, context });
  using transport = new Transport({ host, credentials, logger, networking });
  const client = createClient(transport);
  await credentials.current();
  const namespace = options.namespace ?? client.defaultNamespace;
  const labelSelector = name === undefined ? LABEL : `${LABEL}=${name}`;
  const byOperator = new Map<string, LeaseRecord[]>();
  for await (const { items } of client.list(LEASES, { namespace, labelSelector })) {
    for (const item of items) {
      const operator = item.metadata.labels?.[LABEL] ?? "";
      byOperator.set(operator, [...byOperator.get(operator) ?? [], readLease(item)]);
    }
  }
  const now = host.clock.now();
  return [...byOperator].sort(([a], [b]) => a < b ? -1 : 1).map(([operator, records]) =>
    reportOf(operator, records, now)
  );
}

function reportOf(name: string, records: readonly LeaseRecord[], now: number): LeaseReport {
  const age = (time: string): Seconds => Math.max(0, (now - Date.parse(time)) / 1000) || 0;
  const members = records.filter((record) => isMemberLease(name, record.name) && record.holder !== "").map((
    { holder, renewed, duration, annotations },
  ) => ({
    identity: holder,
    isLive: age(renewed) < duration,
    isAble: annotations[ANNOTATIONS.able] === "true",
    isLeaving: annotations[ANNOTATIONS.leaving] === "true",
    release: annotations[ANNOTATIONS.release] ?? "",
    renewed: age(renewed),
  }));
  const shards = records.flatMap((record) => {
    const place = shardPlaceOf(name, record.name);
    const { name: lease, holder, acquired, transitions } = record;
    return place === undefined ? [] : [{ ...place, lease, holder, since: age(acquired), transitions }];
  });
  return {
    name,
    members: members.sort((a, b) => a.identity < b.identity ? -1 : 1),
    shards: shards.sort((a, b) => a.shards - b.shards || a.shard - b.shard),
  };
}
