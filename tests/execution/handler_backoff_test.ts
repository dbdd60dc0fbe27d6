import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  exponential,
  isAtOnce,
  leastPause,
  pauseAfter,
  readBackoff,
} from "../../lib/execution/handler_backoff.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("exponential()", () => {
  it("grows from one second to three hundred by default, and stays there", () => {
    const pauses = [0, 1, 2, 8, 9, 5000].map((failures) => pauseAfter(exponential(), failures, undefined));
    assert.deepEqual(pauses, [1, 2, 4, 256, 300, 300]);
    assert.equal(pauseAfter(exponential({ factor: 1, from: 3 }), 5000, undefined), 3);
  });

  it("varies by a fifth", () => {
    const { random } = virtualHost();
    const pauses = Array.from({ length: 100 }, () => pauseAfter(exponential({ from: 10 }), 0, random));
    assert.ok(pauses.every((pause) => pause >= 8 && pause <= 12), String(pauses));
    assert.ok(Math.max(...pauses) - Math.min(...pauses) > 2);
  });

  it("refuses what is no backoff, and points to the caller", () => {
    for (const bad of [{ from: 0 }, { from: NaN }, { from: Infinity }, { from: 2, to: 1 }, { factor: 0.5 }]) {
      assert.throws(() => exponential(bad), RangeError, JSON.stringify(bad));
    }
    assert.throws(() => exponential({ from: "1" } as never), { name: "TypeError", message: /"from"/ });
    assert.throws(() => exponential({ max: 1 } as never), { name: "TypeError", message: /"max"/ });
    try {
      exponential({ from: -1 });
    } catch (error) {
      assert.match((error as Error).stack?.split("\n")[1] ?? "", /backoff_test/);
    }
  });
});

describe("pauseAfter()", () => {
  it("takes a number as it is", () => {
    assert.equal(pauseAfter(7, 3, virtualHost().random), 7);
  });
});

describe("readBackoff()", () => {
  it("takes what another copy of the package has made", () => {
    assert.deepEqual(readBackoff({ from: 1, to: 2, factor: 3 }), { from: 1, to: 2, factor: 3 });
  });
});

describe("leastPause()", () => {
  it("is nothing for the first few retries, and then doubles from 5 ms to a second", () => {
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map(leastPause), [0, 0, 0, 0, 0.005, 0.01, 0.02]);
    assert.deepEqual([11, 12, 13, 1e6].map(leastPause), [0.64, 1, 1, 1]);
  });
});

describe("isAtOnce()", () => {
  it("takes for at once what is shorter than the shortest pause", () => {
    assert.deepEqual([0, 1e-9, 0.004, 0.005, 1].map(isAtOnce), [true, true, true, false, false]);
  });
});
