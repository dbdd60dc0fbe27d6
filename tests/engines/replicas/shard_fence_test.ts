import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseShards } from "../../../lib/client/watch/shards.ts";
import { ShardFence, shardOf, type Term } from "../../../lib/engines/replicas/shard_fence.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const { signal } = new AbortController();

describe("ShardFence", () => {
  let left = 7;
  const first: Term = { shard: 0, number: 1, signal, timeLeft: () => left };
  const second: Term = { shard: 1, number: 2, signal, timeLeft: () => left };
  const { random } = virtualHost();
  const uids = Array.from({ length: 20 }, () => random.uuid());
  const inFirst = uids.find((uid) => shardOf(uid, 2) === 0) ?? "";
  const inSecond = uids.find((uid) => shardOf(uid, 2) === 1) ?? "";

  it("is responsible for the objects of its shards, and begins nothing in one that drains", () => {
    left = 7;
    const fence = new ShardFence([{ term: first, isOpen: true }, { term: second, isOpen: false }]);
    assert.ok(fence.isResponsible(inFirst));
    assert.ok(!fence.isResponsible(inSecond));
    assert.equal(fence.termOf(inSecond), second);
    assert.equal(fence.first, first);
  });

  it("has no term of a shard that is away", () => {
    const fence = new ShardFence([{ term: first, isOpen: true }, { term: undefined, isOpen: false }]);
    assert.equal(fence.termOf(inSecond), undefined);
    assert.ok(!fence.isResponsible(inSecond));
  });

  it("begins nothing once the session has ended", () => {
    left = 0.1;
    const fence = new ShardFence([{ term: first, isOpen: true }]);
    assert.ok(fence.isResponsible(inFirst));
    left = 0;
    assert.ok(!fence.isResponsible(inFirst));
  });
});

describe("shardOf()", () => {
  it("divides as the server's shard selectors do", () => {
    const { random } = virtualHost();
    const half = parseShards("shardRange(object.metadata.uid, '0x0', '0x8000000000000000')");
    const counts = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let round = 0; round < 4000; round++) {
      const uid = random.uuid();
      const shard = shardOf(uid, 8);
      counts[shard] = (counts[shard] ?? 0) + 1;
      assert.equal(half?.({ metadata: { uid } }), shard < 4);
      assert.equal(shardOf(uid, 1), 0);
    }
    assert.ok(counts.every((count) => count > 400 && count < 600), counts.join(" "));
  });
});
