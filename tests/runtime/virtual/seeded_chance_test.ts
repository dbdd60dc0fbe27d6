import assert from "node:assert/strict";
import nodeCrypto from "node:crypto";
import { describe, it } from "node:test";
import { createVirtualRandom } from "../../../lib/runtime/virtual/random.ts";
import { seedChance } from "../../../lib/runtime/virtual/seeded_chance.ts";

function draw(): readonly unknown[] {
  return [Math.random(), crypto.randomUUID(), nodeCrypto.randomUUID(), [
    ...crypto.getRandomValues(new Uint16Array(4)),
  ]];
}

describe("seedChance()", () => {
  it("draws the same numbers each time by a seed, tells of each call, and gives the runtime its own back", () => {
    const calls: string[] = [];
    const drawn = [1, 1, 2].map((seed) => {
      const random = createVirtualRandom(seed);
      using _seeded = seedChance((call) => {
        calls.push(call);
        return random;
      });
      return draw();
    });
    assert.deepEqual(drawn[0], drawn[1]);
    assert.notDeepEqual(drawn[0], drawn[2]);
    assert.equal(new Set(drawn[0]?.slice(1, 3)).size, 2);
    assert.deepEqual(calls.slice(0, 4), [
      "Math.random()",
      "crypto.randomUUID()",
      "crypto.randomUUID()",
      "crypto.getRandomValues()",
    ]);
    assert.notDeepEqual(draw(), draw());
    assert.equal(calls.length, 12);
  });

  it("leaves code alone that has no generator", () => {
    using _seeded = seedChance(() => undefined);
    assert.notDeepEqual(draw(), draw());
  });
});
