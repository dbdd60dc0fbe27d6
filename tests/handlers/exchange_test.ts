import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAlike } from "../../lib/handlers/exchange.ts";

// What becomes of handlers is told in tests/scenarios/exchange_test.ts.
describe("isAlike()", () => {
  it("compares texts, those of functions, patterns and collections included", () => {
    const make = () => ({
      fn: () => 1,
      when: /a/,
      on: new Map([["a", 1]]),
      never: Infinity,
      is: Symbol("x"),
    });
    assert.equal(isAlike(make(), make()), true);
    assert.equal(isAlike(make(), { ...make(), fn: () => 2 }), false);
    assert.equal(isAlike(make(), { ...make(), when: /b/ }), false);
    assert.equal(isAlike(make(), { ...make(), on: new Map([["a", 2]]) }), false);
    assert.equal(isAlike(make(), { ...make(), never: 1 }), false);
    assert.equal(isAlike(undefined, make()), false);
  });

  it("takes what has no text for something else", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    assert.equal(isAlike(circle, circle), false);
  });
});
