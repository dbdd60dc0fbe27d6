import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ShareMember, shareOut } from "../../../lib/engines/replicas/shares.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const { random } = virtualHost({ seed: 7 });

function upTo(limit: number): number {
  return Math.floor(random.next() * limit);
}

/** Members with random names, each shard with one of them, or with nobody. */
function randomState(shards: number, count: number): ShareMember[] {
  const members = Array.from({ length: count }, (_, index) => ({
    identity: `${String.fromCharCode(97 + upTo(26))}${index}`,
    holds: [] as number[],
  }));
  for (let shard = 0; shard < shards; shard++) members[upTo(count + 1)]?.holds.push(shard);
  return members;
}

describe("shareOut()", () => {
  it("gives each member n / m shards or one more, and moves as few as can be, in random states", () => {
    for (let round = 0; round < 3000; round++) {
      const [shards, count] = [1 + upTo(64), 1 + upTo(12)];
      const members = randomState(shards, count);
      const owners = shareOut(shards, members);
      const counts = members.map(({ identity }) => owners.filter((owner) => owner === identity).length);
      assert.ok(owners.every((owner) => owner !== undefined));
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join(" "));
      // Those that hold most have one more, so that no other division lets fewer go.
      const sizes = members.map(({ holds }) => holds.length).sort((a, b) => b - a);
      const share = Math.floor(shards / count);
      const kept = sizes.reduce(
        (sum, size, index) => sum + Math.min(size, share + (index < shards % count ? 1 : 0)),
        0,
      );
      const moved = members.reduce(
        (sum, { identity, holds }) => sum + holds.filter((shard) => owners[shard] !== identity).length,
        0,
      );
      assert.equal(moved, sizes.reduce((sum, size) => sum + size, 0) - kept);
    }
  });

  it("is the same for each member, whatever the order in which it sees the others and their shards", () => {
    for (let round = 0; round < 500; round++) {
      const members = randomState(24, 5);
      const shuffled = [...members].reverse().map((each) => ({ ...each, holds: [...each.holds].reverse() }));
      assert.deepEqual(shareOut(24, shuffled), shareOut(24, members));
    }
  });

  it("comes to an end in which nothing moves, in any order of letting go and taking", () => {
    for (let round = 0; round < 500; round++) {
      const [shards, count] = [1 + upTo(32), 1 + upTo(8)];
      const holds = new Map(randomState(shards, count).map((each) => [each.identity, new Set(each.holds)]));
      const members = (): ShareMember[] =>
        [...holds].map(([identity, held]) => ({ identity, holds: [...held] }));
      let steps = 0;
      for (;; steps++) {
        assert.ok(steps <= 2 * shards, "it must end");
        const owners = shareOut(shards, members());
        const moves: (() => void)[] = [];
        for (let shard = 0; shard < shards; shard++) {
          const holder = [...holds.values()].find((held) => held.has(shard));
          const wanted = holds.get(owners[shard] ?? "");
          if (holder === wanted) continue;
          // A shard is free between its letting go and its taking, and others may move then.
          moves.push(() => holder === undefined ? void wanted?.add(shard) : void holder.delete(shard));
        }
        if (moves.length === 0) break;
        moves[upTo(moves.length)]?.();
      }
      const counts = [...holds.values()].map((held) => held.size);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1);
    }
  });

  it("keeps the lowest numbers, and gives the others to members below their share, in order", () => {
    const members = [{ identity: "b", holds: [5, 0, 3, 1, 2, 4] }, { identity: "c", holds: [] }, {
      identity: "a",
      holds: [],
    }];
    assert.deepEqual(shareOut(6, members), ["b", "b", "a", "a", "c", "c"]);
    assert.deepEqual(shareOut(2, members), ["b", "a"]);
  });

  it("knows no owner where there is no member, and takes no shard of other sets for its own", () => {
    assert.deepEqual(shareOut(2, []), [undefined, undefined]);
    assert.deepEqual(shareOut(1, [{ identity: "a", holds: [7, 0, 0] }]), ["a"]);
  });
});
