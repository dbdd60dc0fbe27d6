import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseShards } from "../../../lib/client/watch/shards.ts";
import { openFence, ShardFence, shardOf, type Term } from "../../../lib/engines/replicas/fence.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const { signal } = new AbortController();

describe("ShardFence", () => {
  const first: Term = { shard: 0, number: 1, signal };
  const second: Term = { shard: 1, number: 2, signal };
  const { random } = virtualHost();
  const uids = Array.from({ length: 20 }, () => random.uuid());
  const inFirst = uids.find((uid) => shardOf(uid, 2) === 0) ?? "";
  const inSecond = uids.find((uid) => shardOf(uid, 2) === 1) ?? "";

  it("is responsible for the objects of its shards, begins nothing in one that drains, and lets its writes through", () => {
    const fence = new ShardFence([{ term: first, isOpen: true }, { term: second, isOpen: false }], () => 7);
    assert.ok(fence.isResponsible(inFirst));
    assert.ok(!fence.isResponsible(inSecond));
    assert.equal(fence.termOf(inSecond), second);
    assert.ok(fence.mayWrite(second));
    assert.equal(fence.timeLeft(second), 7);
    assert.equal(fence.first, first);
  });

  it("lets no write of an earlier term through, nor any of a shard that is away", () => {
    const later: Term = { shard: 0, number: 3, signal };
    const fence = new ShardFence(
      [{ term: later, isOpen: true }, { term: undefined, isOpen: false }],
      () => 7,
    );
    assert.ok(!fence.mayWrite(first));
    assert.equal(fence.timeLeft(first), 0);
    assert.ok(!fence.mayWrite(second));
    assert.equal(fence.termOf(inSecond), undefined);
    assert.ok(!fence.isResponsible(inSecond));
  });

  it("lets nothing through once the session has ended", () => {
    let left = 0.1;
    const fence = new ShardFence([{ term: first, isOpen: true }], () => left);
    assert.ok(fence.mayWrite(first) && fence.isResponsible(inFirst));
    left = 0;
    assert.ok(!fence.mayWrite(first) && !fence.isResponsible(inFirst));
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

describe("openFence()", () => {
  it("is responsible for each object without an end, and lets writes through until the operator has ended", () => {
    const controller = new AbortController();
    const fence = openFence(controller.signal);
    const term = fence.termOf("some-uid");
    assert.ok(term !== undefined && fence.isResponsible("some-uid"));
    assert.equal(fence.termOf("other-uid"), term);
    assert.equal(fence.first, term);
    assert.equal(fence.timeLeft(term), Infinity);
    assert.ok(fence.mayWrite(term));
    controller.abort();
    assert.ok(!fence.mayWrite(term));
    assert.ok(term.signal.aborted);
  });
});
