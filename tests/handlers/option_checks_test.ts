import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConcurrency, checkRateLimit } from "../../lib/handlers/reconcile/reconcile_handler.ts";
import { checkPeriod } from "../../lib/handlers/option_checks.ts";

function refusal(check: (name: string, value: unknown) => void, value: unknown): string {
  try {
    check("option", value);
    return "";
  } catch (error) {
    return (error as Error).name;
  }
}

describe("checkPeriod()", () => {
  it("takes seconds above 0, also for ever", () => {
    assert.deepEqual([1, 0.5, Infinity].map((value) => refusal(checkPeriod, value)), ["", "", ""]);
    assert.deepEqual([0, -1, NaN].map((value) => refusal(checkPeriod, value)), Array(3).fill("RangeError"));
    assert.equal(refusal(checkPeriod, "1"), "TypeError");
  });
});

describe("checkConcurrency()", () => {
  it("takes whole numbers from 1 on", () => {
    assert.equal(refusal(checkConcurrency, 1), "");
    assert.deepEqual(
      [0, 1.5, NaN].map((value) => refusal(checkConcurrency, value)),
      Array(3).fill("RangeError"),
    );
    assert.equal(refusal(checkConcurrency, "1"), "TypeError");
  });
});

describe("checkRateLimit()", () => {
  it("takes a number of calls within a time, and nothing else", () => {
    assert.equal(refusal(checkRateLimit, { calls: 1, within: 0.5 }), "");
    for (const bad of [{ calls: 0, within: 1 }, { calls: 1, within: NaN }, { calls: 1, within: Infinity }]) {
      assert.equal(refusal(checkRateLimit, bad), "RangeError", JSON.stringify(bad));
    }
    for (
      const bad of [null, 5, {}, { calls: 1 }, { calls: 1, within: 1, per: 2 }, { calls: "1", within: 1 }]
    ) {
      assert.equal(refusal(checkRateLimit, bad), "TypeError", JSON.stringify(bad));
    }
  });
});
