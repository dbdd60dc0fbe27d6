import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Correlation, KeyedItems } from "../../../../lib/kits/apiserver/schema/correlation.ts";

const TEXT = { type: "string" };
const KEYED = {
  type: "array",
  items: { type: "object", properties: { name: TEXT, port: { type: "integer" }, note: TEXT } },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name", "port"],
};
const SCHEMA = {
  type: "object",
  properties: { text: TEXT, keyed: KEYED, list: { type: "array", items: TEXT } },
};

describe("Correlation", () => {
  it("knows fields by their names, and only those of the schema that were there before", () => {
    const found = new Correlation({ text: "a", list: [], free: 1 }, { text: "a", free: 1 }, SCHEMA);
    assert.equal(found.key("text")?.old, "a");
    assert.equal(found.key("list"), undefined);
    assert.equal(found.key("free"), undefined);
    assert.equal(found.isUnchanged, false);
    assert.equal(new Correlation({ text: "a" }, { text: "a", list: undefined }, SCHEMA).isUnchanged, true);
    assert.equal(new Correlation({ free: 1 }, { free: 1 }, SCHEMA).isUnchanged, false);
  });

  it("knows items of lists of type map by their keys, in any order", () => {
    const [a, b] = [{ name: "a", port: 1, note: "x" }, { name: "a", port: 2 }];
    const found = new Correlation([b, a], [a, b], KEYED);
    assert.deepEqual(found.index(0)?.old, b);
    assert.equal(found.isUnchanged, true);
    assert.equal(new Correlation([b, { ...a, note: "y" }], [a, b], KEYED).isUnchanged, false);
    assert.equal(new Correlation([a], [a, b], KEYED).isUnchanged, false);
  });

  it("takes other lists as one value", () => {
    const list = { type: "array", items: TEXT };
    const found = new Correlation(["a", "b"], ["a", "b"], list);
    assert.deepEqual([found.index(0), found.isUnchanged], [undefined, true]);
    assert.equal(new Correlation(["b", "a"], ["a", "b"], list).isUnchanged, false);
  });

  it("takes nothing for the predecessor of what was not there", () => {
    assert.equal(new Correlation({}, undefined, SCHEMA).isUnchanged, false);
    assert.equal(
      new Correlation({ __proto__: null, constructor: 1 }, {}, SCHEMA).key("constructor"),
      undefined,
    );
  });
});

describe("KeyedItems", () => {
  it("finds the first of two items with the same keys, and none for items that lack one", () => {
    const items = new KeyedItems(
      [{ name: "a", port: 1, note: "1" }, { name: "a", port: 1, note: "2" }, 5],
      KEYED,
    );
    assert.deepEqual(items.get({ name: "a", port: 1 }), { name: "a", port: 1, note: "1" });
    assert.equal(items.get({ name: "a" }), undefined);
    assert.equal(items.get({ name: "a", port: {} }), undefined);
    assert.equal(new KeyedItems("text", KEYED).get({ name: "a", port: 1 }), undefined);
  });
});
