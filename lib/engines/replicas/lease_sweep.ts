/**
 * Forgets Leases of the past, and deletes Leases that were left behind: member Leases of replicas that were killed, shard
 * Leases of sets that no replica uses any more.
 */

import type { TaskGroup } from "../../async/tasks.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { LeaseRequests } from "./lease_requests.ts";
import type { ObservedLeases } from "./observed_leases.ts";

export interface LeaseSweepOptions {
  /** Into how many shards this replica divides the objects. */
  readonly shards: number;
  readonly monotonic: () => Seconds;
  readonly logger: Logger;
  readonly observed: ObservedLeases;
  readonly requests: LeaseRequests;
  readonly tasks: TaskGroup;
}

/** How long a Lease must have ended before it is deleted: people look at Leases after an accident. */
const AGE: Seconds = 3600;
const PAUSE: Seconds = 600;

/** The sweeping of one replica. */
export class LeaseSweep {
  readonly #options: LeaseSweepOptions;
  #sweptAt: Seconds;

  constructor(options: LeaseSweepOptions) {
    this.#options = options;
    this.#sweptAt = options.monotonic();
  }

  /** When it is to be run next, on the monotonic clock. */
  get due(): Seconds {
    return this.#sweptAt + PAUSE;
  }

  /** Sweeps, if it is time. `mayDelete`: whether this replica holds shard 0, whose task the deleting is. */
  run({ mayDelete }: { readonly mayDelete: boolean }): void {
    const { monotonic, observed, shards, requests, logger, tasks } = this.#options;
    if (monotonic() < this.due) return;
    this.#sweptAt = monotonic();
    observed.prune();
    const stale = mayDelete ? observed.stale({ age: AGE, shards }) : [];
    if (stale.length === 0) return;
    tasks.own("sweep Leases", async () => {
      for (const record of stale) {
        await requests.delete(record).catch((error) =>
          logger.debug("Cannot delete a Lease of the past", { lease: record.name, error })
        );
      }
    });
  }
}
