import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff, makeDiffItem, NO_DIFF, reduceDiff } from "../../lib/model/diff.ts";
import type { JsonObject } from "../../lib/model/object.ts";

describe("calculateDiff()", () => {
  it("[A88] gives an addition, a removal or nothing where one side or both are null", () => {
    assert.deepEqual(calculateDiff(null, "x"), [["add", [], undefined, "x"]]);
    assert.deepEqual(calculateDiff("x", null), [["remove", [], "x", undefined]]);
    assert.deepEqual(calculateDiff(null, null), []);
    assert.deepEqual(calculateDiff(undefined, { a: 1 }), [["add", [], undefined, { a: 1 }]]);
    assert.deepEqual(calculateDiff(undefined, null), []);
  });

  it("[A89] gives one change of the whole list where one item differs", () => {
    assert.deepEqual(calculateDiff({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), [
      ["change", ["a"], [1, { b: 2 }], [1, { b: 3 }]],
    ]);
    assert.deepEqual(calculateDiff([1, 2], [1, 2]), []);
  });

  it("[A90] gives the full path of a nested key", () => {
    assert.deepEqual(calculateDiff({ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }), [[
      "change",
      ["a", "b", "c"],
      1,
      2,
    ]]);
  });

  it("[A91] takes null for absent, but not an empty object", () => {
    assert.deepEqual(calculateDiff({ a: null }, {}), []);
    assert.deepEqual(calculateDiff({}, { a: null }), []);
    assert.deepEqual(calculateDiff({}, { spec: {} }), [["add", ["spec"], undefined, {}]]);
    assert.deepEqual(calculateDiff({ spec: {} }, {}), [["remove", ["spec"], {}, undefined]]);
  });

  it("gives additions first, then removals, then changes", () => {
    const diff = calculateDiff({ changed: 1, removed: 1, same: 1 }, { changed: 2, same: 1, added: 1 });
    assert.deepEqual(diff.map(({ op, path }) => [op, ...path]), [["add", "added"], ["remove", "removed"], [
      "change",
      "changed",
    ]]);
  });

  it("gives a change where the type differs: booleans are no numbers", () => {
    for (const [a, b] of [[1, true], [0, false], ["1", 1], [{}, []], [{ a: 1 }, "x"], [[], ""]]) {
      assert.deepEqual(calculateDiff({ v: a }, { v: b }), [["change", ["v"], a, b]]);
    }
    assert.deepEqual(calculateDiff({ v: 1 }, { v: 1.0 }), []);
  });

  it("gives real arrays that have the four as properties", () => {
    const [item] = calculateDiff({ a: 1 }, { a: 2 });
    assert.ok(item !== undefined && Array.isArray(item));
    const [op, path, old, now] = item;
    assert.deepEqual([op, path, old, now], ["change", ["a"], 1, 2]);
    assert.deepEqual([item.op, item.path, item.old, item.new], ["change", ["a"], 1, 2]);
    assert.deepEqual([item.operation, item.field], ["change", ["a"]]);
    assert.equal(JSON.stringify(calculateDiff({}, { a: 1 })), '[["add",["a"],null,1]]');
  });

  it("gives what cannot be changed", () => {
    const diff = calculateDiff({ a: 1 }, { a: 2 });
    assert.ok(Object.isFrozen(diff) && Object.isFrozen(diff[0]) && Object.isFrozen(diff[0]?.path));
  });

  it("gives the same empty list each time, without walking what is identical", () => {
    const shared = {
      get trap(): never {
        throw new Error("walked");
      },
    };
    assert.equal(calculateDiff({ a: shared }, { a: shared }), NO_DIFF);
  });

  it("sees keys such as __proto__ and constructor as data", () => {
    const odd: JsonObject = JSON.parse('{"__proto__":{"a":1},"constructor":"x"}');
    assert.deepEqual(calculateDiff({}, odd).map(({ op, path }) => [op, ...path]), [["add", "__proto__"], [
      "add",
      "constructor",
    ]]);
    assert.deepEqual(calculateDiff(odd, JSON.parse('{"__proto__":{"a":2},"constructor":"x"}')), [
      ["change", ["__proto__", "a"], 1, 2],
    ]);
  });

  it("copes with 500 levels and 10,000 keys, fast", () => {
    let a: unknown = 1;
    let b: unknown = 2;
    for (let level = 0; level < 500; level++) [a, b] = [{ k: a }, { k: b }];
    assert.equal(calculateDiff(a, b)[0]?.path.length, 500);
    const wide = (shift: number) =>
      Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i + shift}`, i]));
    const started = performance.now();
    assert.equal(calculateDiff(wide(0), wide(5_000)).length, 15_000);
    assert.ok(performance.now() - started < 2_000, "quadratic would take far longer");
  });
});

describe("reduceDiff()", () => {
  const diff = calculateDiff(
    { key1: 1, key2: { a: 1, b: { c: 1 } }, key4: { suba: { x: 1, y: 1 }, subb: 1 } },
    { key1: 2, key2: { a: 2, b: { c: 2 } }, key3: { suba: "new" } },
  );

  it("[A93] keeps what is below the path, with relative paths", () => {
    assert.deepEqual(reduceDiff(diff, ["key2"]), [["change", ["a"], 1, 2], ["change", ["b", "c"], 1, 2]]);
    assert.deepEqual(reduceDiff(diff, ["key2", "a"]), [["change", [], 1, 2]]);
  });

  it("[A94] compares anew where an item is above the path", () => {
    assert.deepEqual(reduceDiff(diff, ["key3", "suba"]), [["add", [], undefined, "new"]]);
    assert.deepEqual(reduceDiff(diff, ["key4", "suba"]), [["remove", [], { x: 1, y: 1 }, undefined]]);
    const replaced = calculateDiff({ key4: [{ suba: 1 }] }, { key4: { suba: { x: 1 } } });
    assert.deepEqual(reduceDiff(replaced, ["key4", "suba"]), [["add", [], undefined, { x: 1 }]]);
    const items = calculateDiff(undefined, { key4: { suba: { x: 1 } } });
    assert.deepEqual(reduceDiff(items, ["key4", "suba", "x"]), [["add", [], undefined, 1]]);
    const [old, now] = [{ suba: { x: 1, y: 1, same: 1 } }, { suba: { z: 1, y: 2, same: 1 } }];
    assert.deepEqual(reduceDiff([makeDiffItem("change", ["key4"], { old, new: now })], ["key4", "suba"]), [
      ["add", ["z"], undefined, 1],
      ["remove", ["x"], 1, undefined],
      ["change", ["y"], 1, 2],
    ]);
  });

  it("[A95] gives nothing for a path that was not touched", () => {
    assert.equal(reduceDiff(diff, ["key5"]), NO_DIFF);
    assert.deepEqual(reduceDiff(diff, ["key1", "x"]), []);
    assert.deepEqual(reduceDiff(diff, ["key4", "subc"]), []);
  });

  it("gives the whole diff for the empty path", () => assert.equal(reduceDiff(diff, []), diff));
});
