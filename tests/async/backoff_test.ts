import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Backoff, exponentialBackoff } from "../../lib/async/backoff.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/host.ts";

const first = (backoff: Backoff, count: number) =>
  Array.from({ length: count }, (_, attempt) => backoff(attempt));

describe("backoffs", () => {
  it("exponentialBackoff() grows up to its maximum", () => {
    const backoff = exponentialBackoff({
      initial: 1,
      factor: 3,
      max: 20,
      jitter: 0,
      random: createVirtualRandom(1),
    });
    assert.deepEqual(first(backoff, 5), [1, 3, 9, 20, 20]);
    assert.equal(backoff(5000), 20);
  });

  it("exponentialBackoff() varies within its jitter, and the same way for the same seed", () => {
    const pauses = () =>
      first(
        exponentialBackoff({ max: 10, factor: 1, initial: 10, jitter: 0.5, random: createVirtualRandom(7) }),
        200,
      );
    const all = pauses();
    assert.deepEqual(all, pauses());
    assert.ok(all.every((pause) => pause !== undefined && pause >= 5 && pause <= 15));
    assert.ok(new Set(all).size > 150);
  });
});
