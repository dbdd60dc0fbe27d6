import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergePatch } from "../../../../lib/kits/apiserver/bodies/patch.ts";
import type { JsonObject } from "../../../../lib/model/object.ts";

describe("mergePatch()", () => {
  // RFC 7386, appendix A, as far as both sides are objects.
  const cases: readonly [JsonObject, JsonObject, JsonObject][] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: "text" }, { a: { b: 1 } }, { a: { b: 1 } }],
  ];
  for (const [live, patch, wanted] of cases) {
    it(`makes ${JSON.stringify(wanted)} of ${JSON.stringify(live)} and ${JSON.stringify(patch)}`, () => {
      const before = JSON.stringify(live);
      assert.deepEqual(mergePatch(live, patch), wanted);
      assert.equal(JSON.stringify(live), before);
    });
  }

  it("takes __proto__ for a key", () => {
    const patch = JSON.parse('{"__proto__":{"a":1}}');
    assert.equal(JSON.stringify(mergePatch({ b: 2 }, patch)), '{"b":2,"__proto__":{"a":1}}');
  });
});
