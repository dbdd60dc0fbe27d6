import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { barsOf, Leftovers } from "../../lib/controller/shard_turns.ts";
import type { ObjectState } from "../../lib/execution/object_state.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("Leftovers", () => {
  it("hold an object until its handlers have ended, or their time is over", async () => {
    const { clock } = virtualHost();
    let freed = 0;
    using leftovers = new Leftovers({ clock, timeout: 30, onFree: () => void freed++ });
    const ending = Promise.withResolvers<void>();
    leftovers.add("a", ending.promise);
    leftovers.add("b", new Promise(() => {}));
    await clock.advance(10);
    assert.deepEqual([leftovers.has("a"), leftovers.has("b"), freed], [true, true, 0]);
    ending.resolve();
    await clock.settle();
    assert.deepEqual([leftovers.has("a"), leftovers.has("b"), freed], [false, true, 1]);
    await clock.advance(21);
    assert.deepEqual([leftovers.size, freed], [0, 2]);
  });

  it("hold an object for the newest of its handlers that were left", async () => {
    const { clock } = virtualHost();
    using leftovers = new Leftovers({ clock, timeout: 30, onFree: () => {} });
    const first = Promise.withResolvers<void>();
    leftovers.add("a", first.promise);
    leftovers.add("a", new Promise(() => {}));
    first.resolve();
    await clock.settle();
    assert.ok(leftovers.has("a"));
    await clock.advance(31);
    assert.ok(!leftovers.has("a"));
  });
});

describe("barsOf()", () => {
  it("bars objects of other replicas, and objects whose handlers of an earlier term still run", () => {
    const state = { key: "k", body: { metadata: { uid: "u" } } } as ObjectState;
    const fence = (isResponsible: boolean) => ({
      isResponsible: () => isResponsible,
      termOf: () => undefined,
      first: undefined,
    });
    assert.equal(barsOf(fence(true), { has: () => false })(state), false);
    assert.equal(barsOf(fence(false), { has: () => false })(state), true);
    assert.equal(barsOf(fence(true), { has: () => true })(state), true);
  });
});
