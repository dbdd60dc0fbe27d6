import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IndexTable } from "../../../lib/handlers/index/index_table.ts";

describe("IndexTable", () => {
  it("keeps one value per object and key", () => {
    const table = new IndexTable();
    table.replace("a", [["k", 1]]);
    table.replace("a", [["k", 2]]);
    table.replace("b", [["k", 2]]);
    assert.deepEqual(table.view.get("k"), [2, 2]);
    table.drop("a");
    assert.deepEqual([...table.view], [["k", [2]]]);
    assert.equal(table.objects, 1);
  });

  it("tells texts, numbers, structures and what looks like them apart", () => {
    const table = new IndexTable();
    const keys = ["1", 1, [1], "=[1]", '"1', "[1]", { a: 1, b: 2 }, null, true, 1n, NaN];
    table.replace("a", keys.map((key) => [key, key] as const));
    assert.equal(table.view.size, keys.length);
    for (const key of keys) assert.deepEqual(table.view.get(key), [key]);
    assert.deepEqual(table.view.get({ b: 2, a: 1 }), [{ a: 1, b: 2 }]);
    assert.equal(table.view.has({ a: 1 }), false);
    table.drop("a");
    assert.equal(table.view.size, 0);
  });

  it("compares other objects by identity", () => {
    const table = new IndexTable();
    const day = new Date(0);
    table.replace("a", [[day, 1]]);
    assert.equal(table.view.has(day), true);
    assert.equal(table.view.has(new Date(0)), false);
  });

  it("changes nothing where a key cannot be compared", () => {
    const table = new IndexTable();
    const circle: unknown[] = [];
    circle.push(circle);
    table.replace("a", [["k", 1]]);
    assert.throws(() => table.replace("a", [["l", 1], [circle, 2]]), RangeError);
    assert.deepEqual([...table.view.keys()], ["k"]);
    assert.equal(table.view.get(circle), undefined);
  });

  it("gives frozen lists that are the same until something changes", () => {
    const table = new IndexTable();
    table.replace("a", [["k", 1]]);
    const list = table.view.get("k");
    assert.equal(table.view.get("k"), list);
    assert.ok(Object.isFrozen(list));
    table.replace("b", [["k", 2]]);
    assert.deepEqual([list, table.view.get("k")], [[1], [1, 2]]);
  });

  it("is a Map for readers", () => {
    const table = new IndexTable();
    table.replace("a", [["k", 1], ["l", undefined]]);
    const seen: unknown[] = [];
    table.view.forEach((values, key, index) => seen.push([key, values, index === table.view]));
    assert.deepEqual(seen, [["k", [1], true], ["l", [undefined], true]]);
    assert.deepEqual([...table.view.values()], [[1], [undefined]]);
    assert.equal(String(table.view), "[object Index]");
  });
});
