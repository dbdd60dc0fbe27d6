import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { growingPause } from "../../lib/async/backoff.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";

describe("growingPause()", () => {
  it("doubles up to its maximum", () => {
    const pauses = [0, 1, 2, 3, 4, 5].map((attempt) => growingPause(attempt, { initial: 1.5, max: 20 }));
    assert.deepEqual(pauses, [1.5, 3, 6, 12, 20, 20]);
    assert.equal(growingPause(5000, { initial: 1, max: 20 }), 20);
  });

  it("varies within its jitter, and the same way for the same seed", () => {
    const pauses = (): number[] => {
      const jitter = { share: 0.5, random: createVirtualRandom(7) };
      return Array.from({ length: 200 }, () => growingPause(3, { initial: 10, max: 10, jitter }));
    };
    const all = pauses();
    assert.deepEqual(all, pauses());
    assert.ok(all.every((pause) => pause >= 5 && pause <= 15));
    assert.ok(new Set(all).size > 150);
    // Logs print them.
    assert.ok(all.every((pause) => String(pause).length <= "12.345".length), String(all));
  });
});
