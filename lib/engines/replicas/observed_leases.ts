/**
 * The Leases of an operator, as one replica sees them: the holder of each shard, whose session is live, and since when a record
 * stands.
 *
 * A record counts as dead when it has not changed for its duration, as with client-go: times in it are not compared with any
 * clock. Counted is only time in which a renewal could have been seen, which the replica's own renewals show as they come back
 * on the same stream. So an outage of the API server kills no session. Source: docs/decisions/0028-replicas.md.
 */

import { CachedObject } from "../../client/cache/object_store.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Seconds } from "../../runtime/host.ts";
import {
  ANNOTATIONS,
  isMemberLease,
  isSameRecord,
  LABEL,
  type LeaseRecord,
  memberLeaseName,
  readLease,
  shardLeaseName,
  type ShardPlace,
  shardPlaceOf,
} from "./lease.ts";

/** The state of a shard's Lease, seen from outside. */
export type Holder =
  /** Anybody may take it. */
  | { readonly is: "free" }
  /** Its holder's session is live. */
  | { readonly is: "live"; readonly identity: string }
  /** Its holder's session was not renewed in time: the member Lease is to be ended before the shard is taken. */
  | { readonly is: "expired"; readonly identity: string }
  /** A replica has ended its holder's session: anybody may take it. */
  | { readonly is: "ended"; readonly identity: string };

/** A member Lease, read. */
export interface ObservedMember {
  readonly identity: string;
  readonly isLive: boolean;
  readonly isAble: boolean;
  readonly isLeaving: boolean;
  /** Into how many shards it divides the objects. */
  readonly shards: number;
  readonly release: string;
  readonly record: LeaseRecord;
}

interface Sighting {
  readonly cached: CachedObject;
  /** The newest record. */
  newest: LeaseRecord;
  /** The record that counts: the newest, but for a member Lease that a stranger has emptied. */
  record: LeaseRecord;
  /** When the record last changed, in visible time. */
  changedAt: Seconds;
  /** A stranger, or its owner, has deleted it. */
  isDeleted: boolean;
}

export interface ObservedLeasesOptions {
  /** The operator's name. */
  readonly operator: string;
  readonly monotonic: () => Seconds;
  /** The pause between renewals, of this replica as of all others. */
  readonly retryPeriod: Seconds;
}

/** How much longer than the pause between renewals a renewal may take to come back, without time being lost. */
const PATIENCE = 1.7;

/** The Leases that one replica has seen. */
export class ObservedLeases {
  readonly #options: ObservedLeasesOptions;
  readonly #sightings = new Map<string, Sighting>();
  /** Visible time up to the last renewal of our own that came back. */
  #visible: Seconds = 0;
  /** When that renewal was sent, on the monotonic clock; undefined before the first one. */
  #confirmed: Seconds | undefined;

  constructor(options: ObservedLeasesOptions) {
    this.#options = options;
  }

  /** How much time has passed in which a renewal could have been seen. */
  get visible(): Seconds {
    if (this.#confirmed === undefined) return this.#visible;
    return this.#visible + this.#counted(this.#options.monotonic() - this.#confirmed);
  }

  /** A renewal of our own has come back on the stream. `sent`: when it was sent, on the monotonic clock. */
  cameBack(sent: Seconds): void {
    if (this.#confirmed !== undefined) {
      if (sent <= this.#confirmed) return;
      this.#visible += this.#counted(sent - this.#confirmed);
    }
    this.#confirmed = sent;
  }

  #counted(passed: Seconds): Seconds {
    return Math.min(Math.max(0, passed), this.#options.retryPeriod * PATIENCE);
  }

  /** Whether the Lease is of this operator. */
  concerns(name: string): boolean {
    const { operator } = this.#options;
    return isMemberLease(operator, name) || shardPlaceOf(operator, name) !== undefined;
  }

  /** Takes the state of a Lease, wherever it was read, unless it is older than the known one. */
  take(object: KubeObject, { isSetBack = false }: { readonly isSetBack?: boolean } = {}): void {
    const record = readLease(object);
    const sighting = this.#sightings.get(record.name);
    if (sighting === undefined) {
      const cached = new CachedObject(object);
      const changedAt = this.visible;
      this.#sightings.set(record.name, { cached, newest: record, record, changedAt, isDeleted: false });
      return;
    }
    if (isSetBack) sighting.cached.replace(object);
    else if (sighting.cached.adopt(object, { from: "read" }) !== "newer") return;
    sighting.newest = record;
    if (this.#isEmptied(record)) return;
    // A Lease that was made again with the same content is a renewal, too.
    if (sighting.isDeleted || !isSameRecord(record, sighting.record)) sighting.changedAt = this.visible;
    sighting.record = record;
    sighting.isDeleted = false;
  }

  /** Whether a stranger has emptied a member Lease: a replica that ends a session says so, and one that leaves deletes the Lease. */
  #isEmptied({ name, holder, annotations }: LeaseRecord): boolean {
    const isMember = isMemberLease(this.#options.operator, name);
    return isMember && holder === "" && annotations[ANNOTATIONS.endedBy] === undefined;
  }

  /** The Lease was deleted: its record counts on until it would have ended. */
  remove(object: KubeObject): void {
    const sighting = this.#sightings.get(object.metadata.name ?? "");
    if (sighting === undefined || sighting.newest.uid !== object.metadata.uid) return;
    sighting.isDeleted = true;
  }

  /** The newest record of that name; undefined if there is none. */
  record(name: string): LeaseRecord | undefined {
    const sighting = this.#sightings.get(name);
    return sighting === undefined || sighting.isDeleted ? undefined : sighting.newest;
  }

  /** Whether the Lease was seen, and then deleted. */
  isDeleted(name: string): boolean {
    return this.#sightings.get(name)?.isDeleted === true;
  }

  /** Returns the state of a shard's Lease. */
  holderOf(place: ShardPlace): Holder {
    const sighting = this.#sightings.get(shardLeaseName(this.#options.operator, place));
    const { record } = sighting ?? {};
    if (sighting === undefined || record === undefined) return { is: "free" };
    if (record.isForeign) return { is: "live", identity: record.holder || "another election" };
    const { holder: identity } = record;
    if (identity === "") return { is: "free" };
    // The Lease of a set of one shard is renewed by its holder, whichever program that is.
    const is = place.shards === 1
      ? this.#isFresh(sighting) ? "live" : "expired"
      : this.#sessionOf(identity, sighting);
    return sighting.isDeleted && is !== "live" ? { is: "free" } : { is, identity };
  }

  /** Whether the session of an identity is live; by its shard's Lease where its member Lease was never seen. */
  #sessionOf(identity: string, shard: Sighting): "live" | "expired" | "ended" {
    const member = this.#sightings.get(memberLeaseName(this.#options.operator, identity));
    if (member === undefined) return this.#isFresh(shard) ? "live" : "expired";
    if (member.record.holder !== identity) return "ended";
    return this.#isFresh(member) ? "live" : "expired";
  }

  /** All member Leases that name their holder, live or not, by identity. */
  members(): readonly ObservedMember[] {
    const { operator } = this.#options;
    const members: ObservedMember[] = [];
    for (const [name, sighting] of this.#sightings) {
      const { record } = sighting;
      if (!isMemberLease(operator, name) || record.holder === "") continue;
      if (sighting.isDeleted && !this.#isFresh(sighting)) continue;
      members.push({
        identity: record.holder,
        isLive: this.#isFresh(sighting),
        isAble: record.annotations[ANNOTATIONS.able] === "true",
        isLeaving: record.annotations[ANNOTATIONS.leaving] === "true",
        shards: Number(record.annotations[ANNOTATIONS.shards]) || 1,
        release: record.annotations[ANNOTATIONS.release] ?? "",
        record,
      });
    }
    return members.sort((a, b) => a.identity < b.identity ? -1 : 1);
  }

  /** Sizes of sets of shards of which at least one shard has a live holder. */
  liveSets(): ReadonlySet<number> {
    const sets = new Set<number>();
    for (const name of this.#sightings.keys()) {
      const place = shardPlaceOf(this.#options.operator, name);
      if (place !== undefined && this.holderOf(place).is === "live") sets.add(place.shards);
    }
    return sets;
  }

  /**
   * Member Leases of dead replicas, and free Leases of other sets of shards, that have not changed for that long: left behind.
   */
  stale({ age, shards }: { readonly age: Seconds; readonly shards: number }): readonly LeaseRecord[] {
    const found: LeaseRecord[] = [];
    for (const [name, sighting] of this.#sightings) {
      const { record, newest, changedAt, isDeleted } = sighting;
      // NB: the Lease of an election without replicas of ours is not ours to delete.
      const isOurs = record.object.metadata.labels?.[LABEL] === this.#options.operator;
      if (isDeleted || !isOurs || this.visible - changedAt < age) continue;
      const place = shardPlaceOf(this.#options.operator, name);
      const isOver = place === undefined
        ? record.holder === "" || !this.#isFresh(sighting)
        : record.holder === "" && place.shards !== shards;
      if (isOver) found.push(newest);
    }
    return found;
  }

  /** Forgets deleted Leases that no longer count as live. */
  prune(): void {
    for (const [name, sighting] of this.#sightings) {
      if (sighting.isDeleted && !this.#isFresh(sighting)) this.#sightings.delete(name);
    }
  }

  /** In how many seconds the next record ends; Infinity if none does, and while no renewal comes back. */
  get nextEnd(): Seconds {
    const { visible } = this;
    const { retryPeriod, monotonic } = this.#options;
    if (this.#confirmed === undefined || monotonic() - this.#confirmed >= retryPeriod * PATIENCE) {
      return Infinity;
    }
    let next = Infinity;
    for (const { changedAt, record } of this.#sightings.values()) {
      const rest = changedAt + record.duration - visible;
      if (record.holder !== "" && rest > 0) next = Math.min(next, rest);
    }
    return next;
  }

  /** A replica that was leaving has deleted its member Lease itself, as its last act. */
  #isFresh({ record, changedAt, isDeleted }: Sighting): boolean {
    if (isDeleted && record.annotations[ANNOTATIONS.leaving] === "true") return false;
    return this.visible - changedAt < record.duration;
  }
}
