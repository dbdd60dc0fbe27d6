import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAtOnce, leastPause } from "../../lib/execution/spinning.ts";

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
