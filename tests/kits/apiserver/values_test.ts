import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clone, equal, fill, getOwn, setOwn } from "../../../lib/kits/apiserver/values.ts";
import type { JsonObject } from "../../../lib/model/object.ts";

describe("clone()", () => {
  it("copies deeply, keys such as __proto__ included", () => {
    const value = JSON.parse('{"__proto__":{"a":[1]},"b":{"constructor":null}}');
    const copy = clone(value);
    assert.equal(JSON.stringify(copy), JSON.stringify(value));
    copy.b.constructor = 1;
    assert.equal(value.b.constructor, null);
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });
});

describe("equal()", () => {
  const same: readonly [unknown, unknown][] = [
    [{ a: 1, b: 2 }, { b: 2, a: 1 }],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
    [null, null],
  ];
  const different: readonly [unknown, unknown][] = [
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: 1, b: undefined }, { a: 1, c: 1 }],
    [[1, 2], [2, 1]],
    [[], {}],
    [{}, null],
    [{ toString: undefined }, { a: 1 }],
    ["1", 1],
  ];
  for (const [a, b] of same) {
    it(`finds ${JSON.stringify(a)} like ${JSON.stringify(b)}`, () =>
      assert.equal(equal(a, b) && equal(b, a), true));
  }
  for (const [a, b] of different) {
    it(`finds ${JSON.stringify(a)} unlike ${JSON.stringify(b)}`, () => {
      assert.equal(equal(a, b) || equal(b, a), false);
    });
  }
});

describe("setOwn() and getOwn()", () => {
  it("treat __proto__ as any key", () => {
    const target: JsonObject = {};
    assert.equal(getOwn(target, "__proto__"), undefined);
    setOwn(target, "__proto__", { polluted: true });
    assert.deepEqual(Object.keys(target), ["__proto__"]);
    assert.equal("polluted" in target, false);
    assert.deepEqual(getOwn(target, "__proto__"), { polluted: true });
  });
});

describe("fill()", () => {
  it("sets what is absent or null, with copies", () => {
    const defaults = { a: { b: 1 }, c: 2, d: 3 };
    const target: JsonObject = { c: null, d: 0 };
    fill(target, defaults);
    assert.deepEqual(target, { a: { b: 1 }, c: 2, d: 0 });
    assert.notEqual(target.a, defaults.a);
  });
});
