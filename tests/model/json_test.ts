import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  canonicalJson,
  cloneJson,
  deepFreeze,
  getKey,
  isEqualJson,
  isObject,
  isSameJson,
  setKey,
  shallowCopy,
  toJson,
} from "../../lib/model/json.ts";
import { calculateDiff } from "../../lib/model/diff.ts";
import { applyJsonPatch } from "../../lib/kits/apiserver/patches/json_patch.ts";
import { createJsonPatch } from "../../lib/model/json_patch.ts";
import { applyMergePatch, minimisePatch } from "../../lib/model/merge_patch.ts";
import type { JsonObject } from "../../lib/model/object.ts";

const hostile = (): JsonObject =>
  JSON.parse('{"__proto__":{"polluted":1},"constructor":{"a":2},"hasOwnProperty":3}');

function nested(depth: number, leaf: unknown): JsonObject {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value as JsonObject;
}

const LARGE = 9007199254740993n;

describe("Objects of 10,000 levels", () => {
  const [one, same, other] = [nested(10_000, 1), nested(10_000, 1), nested(10_000, 2)];
  const lists = (leaf: unknown): unknown => {
    let value = leaf;
    for (let level = 0; level < 10_000; level++) value = [value, null];
    return value;
  };

  it("are compared, copied, frozen and written", () => {
    assert.ok(isEqualJson(one, same) && isSameJson(one, same) && !isEqualJson(one, other));
    assert.ok(isEqualJson(lists(1), lists(1)) && !isEqualJson(lists(1), lists(2)));
    assert.equal(canonicalJson(one), `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`);
    assert.equal(canonicalJson(lists("x")), `${"[".repeat(10_000)}"x"${",null]".repeat(10_000)}`);
    assert.ok(isEqualJson(cloneJson(one), one) && isEqualJson(toJson(lists(1), "x"), lists(1)));
    assert.ok(isFrozenThroughout(deepFreeze(nested(10_000, []))));
  });

  it("differ at their paths, and are patched and merged", () => {
    const [item, more] = calculateDiff(one, other);
    assert.deepEqual([item?.op, item?.path.length, item?.old, item?.new, more], [
      "change",
      10_000,
      1,
      2,
      undefined,
    ]);
    assert.ok(isEqualJson(applyMergePatch(one, other), other));
    assert.equal(minimisePatch(one, same), undefined);
    assert.ok(isEqualJson(applyMergePatch(one, minimisePatch(one, other) ?? {}), other));
    assert.deepEqual(createJsonPatch(one, same), []);
    assert.ok(isEqualJson(applyJsonPatch(cloneJson(one), createJsonPatch(one, other)), other));
  });
});

function isFrozenThroughout(value: unknown): boolean {
  for (let at = value; typeof at === "object" && at !== null; at = (at as JsonObject).a) {
    if (!Object.isFrozen(at)) return false;
  }
  return true;
}

describe("isEqualJson()", () => {
  it("takes bigints for what they are, and for the same as numbers of that size", () => {
    assert.ok(isEqualJson({ a: LARGE }, { a: 9007199254740993n }) && !isEqualJson(LARGE, LARGE - 1n));
    assert.ok(isEqualJson(2 ** 60, 2n ** 60n) && isEqualJson(2n ** 60n, 2 ** 60));
    assert.ok(
      !isEqualJson(LARGE, Number(LARGE)) && !isEqualJson(LARGE, String(LARGE)) && !isEqualJson(LARGE, true),
    );
  });

  it("ignores the order of keys, but not that of items", () => {
    assert.ok(isEqualJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }));
    assert.ok(!isEqualJson([1, 2], [2, 1]));
    assert.ok(!isEqualJson([1], [1, 2]));
  });

  it("takes null and absent for the same, at any depth", () => {
    assert.ok(isEqualJson({ a: null }, {}));
    assert.ok(isEqualJson({}, { a: { b: undefined }.b }));
    assert.ok(isEqualJson([{ a: null }], [{}]));
    assert.ok(isEqualJson(null, undefined));
    assert.ok(!isEqualJson({ a: {} }, {}));
    assert.ok(!isEqualJson({ a: 0 }, {}));
  });

  it("tells booleans, numbers, strings, lists and objects apart", () => {
    const values = [0, 1, true, false, "1", "true", "", [], {}, [1]];
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) assert.equal(isEqualJson(a, b), i === j, `${a} and ${b}`);
    }
  });

  it("compares keys that objects inherit by what is their own", () => {
    assert.ok(!isEqualJson(hostile(), {}));
    assert.ok(!isEqualJson({}, hostile()));
    assert.ok(isEqualJson(hostile(), hostile()));
    assert.ok(!isEqualJson({ toString: null, a: 1 }, { toString: "x", a: 1 }));
  });
});

describe("cloneJson()", () => {
  it("shares nothing, and keeps keys such as __proto__ as data", () => {
    const original = { list: [{ a: 1 }], odd: hostile() };
    const copy = cloneJson(original);
    assert.deepEqual(copy, original);
    assert.notEqual(copy.list[0], original.list[0]);
    assert.deepEqual(Object.keys(copy.odd), ["__proto__", "constructor", "hasOwnProperty"]);
    assert.equal(Object.getPrototypeOf(copy.odd), Object.prototype);
    assert.equal((copy.odd as { polluted?: number }).polluted, undefined);
  });

  it("copies 500 levels, and 10,000 keys in no time", () => {
    assert.equal(canonicalJson(cloneJson(nested(500, 1))), canonicalJson(nested(500, 1)));
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, index]));
    assert.deepEqual(cloneJson(wide), wide);
  });
});

describe("shallowCopy()", () => {
  it("copies own keys only, __proto__ among them", () => {
    const copy = shallowCopy(hostile());
    assert.deepEqual(Object.keys(copy), ["__proto__", "constructor", "hasOwnProperty"]);
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });
});

describe("getKey() and setKey()", () => {
  it("treat any key as data", () => {
    const object: JsonObject = {};
    assert.equal(getKey(object, "__proto__"), undefined);
    assert.equal(getKey(object, "constructor"), undefined);
    setKey(object, "__proto__", { a: 1 });
    assert.deepEqual(getKey(object, "__proto__"), { a: 1 });
    assert.equal(object.a, undefined);
    assert.equal(({} as JsonObject).a, undefined);
  });

  it("give undefined for null", () => assert.equal(getKey({ a: null }, "a"), undefined));
});

describe("isObject()", () => {
  it("tells JSON objects from everything else", () => {
    assert.ok(isObject({}) && isObject(Object.create(null)));
    for (const value of [null, undefined, [], 1, "a", true]) assert.ok(!isObject(value));
  });
});

describe("deepFreeze()", () => {
  it("freezes all there is, and is quick on what is frozen", () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    assert.throws(() => (value.a[0]!.b = 2), TypeError);
    assert.throws(() => value.a.push({ b: 2 }), TypeError);
    assert.equal(deepFreeze(value), value);
  });
});

describe("canonicalJson()", () => {
  it("sorts keys at all levels, and leaves out null members but not null items", () => {
    assert.equal(
      canonicalJson({ b: { d: 1, c: null }, a: [null, { z: 1, y: 2 }] }),
      '{"a":[null,{"y":2,"z":1}],"b":{"d":1}}',
    );
  });

  it("gives valid JSON for scalars, absent values and odd strings", () => {
    assert.equal(canonicalJson(undefined), "null");
    assert.equal(canonicalJson("\n\u2028\ud800"), JSON.stringify("\n\u2028\ud800"));
    assert.deepEqual(Object.keys(JSON.parse(canonicalJson(hostile()))), [
      "__proto__",
      "constructor",
      "hasOwnProperty",
    ]);
  });

  it("writes bigints exactly, and numbers of that size alike", () => {
    assert.equal(canonicalJson({ a: [LARGE, -LARGE] }), '{"a":[9007199254740993,-9007199254740993]}');
    for (const size of [60n, 70n, 100n]) {
      assert.equal(canonicalJson(Number(2n ** size)), canonicalJson(2n ** size));
    }
  });

  it("gives the same text for what is equal", () => {
    assert.equal(canonicalJson({ a: null, b: 1, c: 2 }), canonicalJson({ c: 2, b: 1 }));
    assert.notEqual(canonicalJson({ a: 1 }), canonicalJson({ a: true }));
    assert.notEqual(canonicalJson({ a: 1 }), canonicalJson({ a: "1" }));
  });
});

describe("toJson()", () => {
  it("gives what JSON.stringify would keep, as an own copy", () => {
    const source = {
      date: new Date(0),
      gone: undefined,
      fn: () => 1,
      list: [undefined, 1],
      deep: { a: null },
    };
    const copy = toJson(source, "status") as JsonObject;
    assert.deepEqual(copy, { date: "1970-01-01T00:00:00.000Z", list: [null, 1], deep: { a: null } });
    assert.notEqual(copy.deep, source.deep);
  });

  it("names the place of what cannot be JSON", () => {
    const circle: JsonObject = {};
    circle.self = circle;
    assert.throws(() => toJson({ a: [{ b: NaN }] }, "status"), {
      name: "TypeError",
      message: /"status\.a\.0\.b".*NaN/,
    });
    assert.throws(() => toJson(-Infinity, "result"), /"result".*-Infinity/);
    assert.throws(() => toJson(circle, "status"), /"status\.self".*circle/);
    // A wide one, which nobody could walk to its end.
    const wide: JsonObject = nested(300, undefined);
    let innermost = wide;
    while (innermost.a !== undefined) innermost = innermost.a as JsonObject;
    Object.assign(innermost, { a: wide, b: wide, c: wide });
    assert.throws(() => toJson(wide, "status"), /circle/);
    assert.throws(() => toJson(nested(10_001, 1), "status"), /"status".*nested too deeply/);
  });

  it("takes bigints: as numbers where those are exact", () => {
    assert.deepEqual(toJson({ a: [1n, -5n, LARGE, -LARGE] }, "status"), { a: [1, -5, LARGE, -LARGE] });
    assert.equal(toJson(2n ** 53n - 1n, "x"), Number.MAX_SAFE_INTEGER);
    assert.deepEqual(toJson([2 ** 60, 1e300], "x"), [2n ** 60n, 1e300]);
  });

  it("takes the same object in several places", () => {
    const shared = { a: 1 };
    assert.deepEqual(toJson([shared, { shared }, shared], "x"), [{ a: 1 }, { shared: { a: 1 } }, { a: 1 }]);
  });

  it("keeps __proto__ as data", () => {
    assert.deepEqual(Object.keys(toJson(hostile(), "x") as JsonObject)[0], "__proto__");
  });
});
