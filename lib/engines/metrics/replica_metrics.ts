/** Metrics of replicas: who leads, which shards are held, and how often they move. */

import type { Instruments } from "./exposition.ts";

/** The Leases of a run, as they are at a scrape. */
export interface ReplicaLeases {
  /** The name of the operator, and of its Lease where it has one shard. */
  readonly name: string;
  /** Whether each shard is held here, in order. */
  readonly held: readonly boolean[];
}

/** Declares the metrics, and counts. Source: controller-runtime, `pkg/metrics/leaderelection.go`. */
export class ReplicaMetrics {
  readonly #moves;
  readonly #slow;

  /** @param leases Returns undefined where there are no replicas, and before the operator serves. */
  constructor(instruments: Instruments, leases: () => ReplicaLeases | undefined) {
    this.#moves = instruments.counter(
      "lotse_shard_moves_total",
      "Shards that this replica has taken, and terms that have ended here, by their reason",
      ["reason"],
    );
    this.#slow = instruments.counter(
      "leader_election_slowpath_total",
      "Renewals of Leases that were refused, or not answered in time",
      ["name"],
    );
    instruments.pulled(
      "leader_election_master_status",
      "Whether this replica holds shard 0 (1), which leads where there is one, or not (0)",
      () => {
        const found = leases();
        return new Map(found === undefined ? [] : [[found.name, found.held[0] === true ? 1 : 0]]);
      },
      "name",
    );
    instruments.pulled(
      "lotse_shards_held",
      "Shards that this replica is responsible for",
      () => {
        const found = leases();
        return new Map(found === undefined ? [] : [[found.name, found.held.filter(Boolean).length]]);
      },
      "name",
    );
  }

  /** A shard was taken, or its term has ended here. */
  moved(reason: string): void {
    this.#moves.inc({ reason });
  }

  /** A renewal was refused, or not answered in time. */
  slowRenewal(name: string): void {
    this.#slow.inc({ name });
  }
}
