/**
 * Applies the division of shards: takes the shards that belong to this replica, and lets go of shards that belong to another one.
 *
 * The division itself is a pure function (`shares.ts`). Two rules here make it safe to follow: no shard is let go before the
 * answer has been the same for a while, and a shard that its member does not take is taken by any other.
 */

import type { Seconds } from "../../runtime/host.ts";
import type { LeaseRequests } from "./lease_requests.ts";
import type { ObservedLeases } from "./observed_leases.ts";
import type { Shard } from "./shard.ts";
import { shareOut } from "./shares.ts";

export interface DivisionOptions {
  readonly operator: string;
  /** All shards of the set, in order. */
  readonly shards: readonly Shard[];
  readonly observed: ObservedLeases;
  readonly requests: LeaseRequests;
  readonly monotonic: () => Seconds;
}

/** How long the division must have been the same before a shard is let go: in a roll, the old Pod is leaving by then. */
const STEADY: Seconds = 4;
/** After how long a Lease that could be taken is anybody's: the division is for spreading, and not for waiting. */
const UNTAKEN: Seconds = 5;

/** The division of the shards of one replica's set. */
export class Division {
  readonly #options: DivisionOptions;
  /** Since when each shard's Lease could be taken. */
  readonly #takeable = new Map<Shard, Seconds>();
  /** The other member that each held shard belongs to, and since when. */
  readonly #owners = new Map<Shard, { readonly identity: string; readonly since: Seconds }>();

  constructor(options: DivisionOptions) {
    this.#options = options;
  }

  /** When the next shard may be let go or taken, on the monotonic clock; Infinity if there is none. */
  get due(): Seconds {
    const now = this.#options.monotonic();
    const times = [
      ...[...this.#takeable.values()].map((since) => since + UNTAKEN),
      ...[...this.#owners.values()].map(({ since }) => since + STEADY),
    ];
    return Math.min(...times.filter((time) => time > now));
  }

  /**
   * Takes, keeps and lets go of shards. `hasShare`: whether this replica can work, so that it may have any. `mayTry`: whether it
   * may try to take one now.
   */
  apply(
    identity: string,
    { hasShare, mayTry }: { readonly hasShare: boolean; readonly mayTry: boolean },
  ): void {
    const { shards, observed, monotonic } = this.#options;
    const now = monotonic();
    const owners = this.#divide(identity, hasShare);
    const mayTake = hasShare && mayTry && this.#stands(identity);
    for (const shard of shards) {
      const owner = owners[shard.place.shard];
      if (shard.isHeld) {
        this.#takeable.delete(shard);
        this.#weigh(shard, owner === identity ? undefined : owner, now);
        if (owner === identity) shard.input({ is: "wanted" });
        continue;
      }
      this.#owners.delete(shard);
      const holder = observed.holderOf(shard.place);
      const isOurs = holder.is === "live" && holder.identity === identity;
      if (holder.is === "live" && !isOurs) {
        this.#takeable.delete(shard);
        continue;
      }
      const since = this.#takeable.get(shard) ?? now;
      this.#takeable.set(shard, since);
      if (!mayTake || shard.state.at !== "away" || shard.isAsking) continue;
      if (isOurs || owner === identity || now - since >= UNTAKEN) shard.input({ is: "due" });
    }
  }

  /**
   * Whether another set of shards stands, by a list that is consistent.
   *
   * @throws {ApiError} If the server refuses.
   */
  async isContested(): Promise<boolean> {
    const { operator, shards, observed, requests } = this.#options;
    const found = [...await requests.list()];
    // Another program in the election puts no label on the Lease of a set of one shard.
    const single = shards.length === 1 ? undefined : await requests.get(operator);
    if (single !== undefined) found.push(single);
    for (const { object } of found) observed.take(object);
    return [...observed.liveSets()].some((size) => size !== shards.length);
  }

  /** Lets a shard go that has belonged to the same other member for long enough. */
  #weigh(shard: Shard, owner: string | undefined, now: Seconds): void {
    if (owner === undefined) {
      this.#owners.delete(shard);
      return;
    }
    const known = this.#owners.get(shard);
    if (known?.identity !== owner) this.#owners.set(shard, { identity: owner, since: now });
    else if (now - known.since >= STEADY) shard.input({ is: "unwanted" });
  }

  /** Returns the member that each shard belongs to. */
  #divide(own: string, hasShare: boolean): readonly (string | undefined)[] {
    const { shards, observed } = this.#options;
    const held = new Map<string, number[]>();
    for (const { place } of shards) {
      const holder = observed.holderOf(place);
      if (holder.is !== "live") continue;
      const holds = held.get(holder.identity);
      if (holds === undefined) held.set(holder.identity, [place.shard]);
      else holds.push(place.shard);
    }
    const identities = this.#working(own).filter((member) => member.shards === shards.length)
      .map(({ identity }) => identity);
    if (hasShare) identities.push(own);
    return shareOut(
      shards.length,
      identities.map((identity) => ({ identity, holds: held.get(identity) ?? [] })),
    );
  }

  /**
   * Whether the set of this replica may be taken. A set of another size stands until its last member has gone. Where none stands,
   * the set of most members does.
   */
  #stands(own: string): boolean {
    const { shards: { length: size }, observed } = this.#options;
    const sets = observed.liveSets();
    if (sets.size > 0) return sets.size === 1 && sets.has(size);
    const counts = new Map<number, number>([[size, 1]]);
    for (const { shards } of this.#working(own)) counts.set(shards, (counts.get(shards) ?? 0) + 1);
    const [first] = [...counts].sort(([a, many], [b, more]) => more - many || a - b);
    return first?.[0] === size;
  }

  /** The other members that have a share. */
  #working(own: string): { readonly identity: string; readonly shards: number }[] {
    return this.#options.observed.members().filter(({ identity, isLive, isAble, isLeaving }) =>
      identity !== own && isLive && isAble && !isLeaving
    );
  }
}
