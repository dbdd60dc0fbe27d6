/**
 * Which member takes which shard: a pure function of Leases that every replica sees, so that no coordinator is needed.
 *
 * Each member keeps the shards that it holds, up to its share, lowest numbers first. The rest is to be let go, and belongs,
 * with the free shards, to the members below their share. Replicas whose views differ for a moment may want the same shard: the
 * version of the Lease decides, and the function answers anew. Source: docs/decisions/0028-replicas.md.
 */

/** A member that has a share: its session is live, it is able to work, and it is not leaving. */
export interface ShareMember {
  /** Its identity. */
  readonly identity: string;
  /** The shards whose Leases name it, in any order. */
  readonly holds: readonly number[];
}

/**
 * Returns for each shard the identity of the member that it belongs to; undefined for all where there are no members.
 *
 * Of n shards and m members each has the n / m shards (rounded down), and the first n mod m members have one more. Members that
 * hold more now come first, then by identity, so that as few shards as possible move. A shard that a member without a share
 * holds counts as free: it is let go by its holder.
 */
export function shareOut(shards: number, members: readonly ShareMember[]): readonly (string | undefined)[] {
  const owners: (string | undefined)[] = new Array(shards).fill(undefined);
  if (members.length === 0) return owners;
  const held = members.map(({ identity, holds }) => ({
    identity,
    holds: [...new Set(holds)].sort(byNumber),
  }));
  held.sort((a, b) => b.holds.length - a.holds.length || (a.identity < b.identity ? -1 : 1));
  const share = Math.floor(shards / members.length);
  const larger = shards % members.length;
  const below: string[] = [];
  for (const [index, { identity, holds }] of held.entries()) {
    const own = share + (index < larger ? 1 : 0);
    let kept = 0;
    for (const shard of holds) {
      if (kept === own) break;
      if (owners[shard] !== undefined || shard >= shards) continue;
      owners[shard] = identity;
      kept += 1;
    }
    for (; kept < own; kept++) below.push(identity);
  }
  let next = 0;
  for (let shard = 0; shard < shards; shard++) owners[shard] ??= below[next++];
  return owners;
}

function byNumber(a: number, b: number): number {
  return a - b;
}
