import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyJsonPatch } from "../../lib/kits/apiserver/patches/json_patch.ts";
import { createJsonPatch, toJsonPatch } from "../../lib/model/json_patch.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";

const body = (rest: JsonObject): KubeObject => ({ metadata: {}, ...rest });

describe("toJsonPatch()", () => {
  it("[A218] gives no operations for a value that is there, or a key that is not", () => {
    assert.deepEqual(toJsonPatch(new Patch({ x: 1, y: null }), body({ x: 1 })), []);
    assert.deepEqual(toJsonPatch(new Patch({ x: { a: 1 } }), body({ x: { a: 1, b: 2 } })), []);
  });

  it("[A219] runs functions after the merge patch", () => {
    const patch = new Patch({ x: 200 });
    patch.fns.push((object) => void (object.x = Number(object.x) + 1));
    assert.deepEqual(toJsonPatch(patch, body({ x: 100 })), [{ op: "replace", path: "/x", value: 201 }]);
  });

  it("[A220] escapes keys with slashes and tildes", () => {
    const patch = new Patch({ metadata: { annotations: { "example.com/a~b": "1" } } });
    assert.deepEqual(toJsonPatch(patch, { metadata: { annotations: {} } }), [
      { op: "add", path: "/metadata/annotations/example.com~1a~0b", value: "1" },
    ]);
  });

  it("[A221] needs a body, unless the patch is empty", () => {
    const error = { name: "TypeError", message: /without the body/ };
    assert.throws(() => toJsonPatch(new Patch({ x: 1 })), error);
    const patch = new Patch();
    patch.fns.push(() => {});
    assert.throws(() => toJsonPatch(patch), error);
    assert.deepEqual(toJsonPatch(new Patch()), []);
  });

  it("[A222] leaves the body that functions change as it was", () => {
    const original = body({ spec: { list: [1], deep: { a: 1 } } });
    const patch = new Patch();
    patch.fns.push((object) => void (object.spec as { list: number[] }).list.push(2));
    patch.fns.push((object) => void delete (object.spec as { deep?: unknown }).deep);
    assert.deepEqual(toJsonPatch(patch, original), [
      { op: "add", path: "/spec/list/1", value: 2 },
      { op: "remove", path: "/spec/deep" },
    ]);
    assert.deepEqual(original, body({ spec: { list: [1], deep: { a: 1 } } }));
  });
});

describe("createJsonPatch()", () => {
  it("gives steps that lead from one state to the other, as another library applies them", () => {
    const pairs: [unknown, unknown][] = [
      [{}, { a: 1 }],
      [{ a: { b: [1, 2, 3] } }, { a: { b: [1, 3] } }],
      [{ a: [1, 2, 3, 4, 5] }, { a: [0, 1, 2, 9, 4, 5, 6] }],
      [{ a: [{ x: 1 }, { y: 1 }] }, { a: [{ x: 2 }, { z: 1 }, { y: 1 }] }],
      [{ a: [] }, { a: [1, 2, 3] }],
      [{ a: [1, 2, 3] }, { a: [] }],
      [{ a: 1, b: null }, { a: null, b: {} }],
      [[1], [2]],
      [{ a: [1] }, { a: { 0: 1 } }],
      ["x", { a: 1 }],
      [{ a: [{ x: null }] }, { a: [{}] }],
    ];
    for (const [before, after] of pairs) {
      const operations = createJsonPatch(before, after);
      const applied = applyJsonPatch(structuredClone(before) as JsonObject, operations);
      assert.deepEqual(applied, after, JSON.stringify(operations));
    }
  });

  it("touches only the item of a list that was removed", () => {
    assert.deepEqual(createJsonPatch({ a: ["x", "y", "z"] }, { a: ["x", "z"] }), [{
      op: "remove",
      path: "/a/1",
    }]);
    assert.deepEqual(createJsonPatch({ a: ["x", "z"] }, { a: ["x", "y", "z"] }), [{
      op: "add",
      path: "/a/1",
      value: "y",
    }]);
  });

  it("takes undefined for absent, and null for null", () => {
    assert.deepEqual(createJsonPatch({ a: 1 }, { a: undefined }), [{ op: "remove", path: "/a" }]);
    assert.deepEqual(createJsonPatch({ a: 1 }, { a: null }), [{ op: "replace", path: "/a", value: null }]);
    assert.deepEqual(createJsonPatch({}, { a: undefined }), []);
  });

  it("takes __proto__ for a key", () => {
    const after = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}');
    const operations = createJsonPatch({}, after);
    assert.deepEqual(operations, [
      { op: "add", path: "/__proto__", value: { polluted: 1 } },
      { op: "add", path: "/constructor", value: { prototype: { polluted: 2 } } },
    ]);
    assert.equal(({} as JsonObject).polluted, undefined);
  });

  it("copes with 500 levels and 10,000 keys and items", () => {
    let before: unknown = 1;
    let after: unknown = 2;
    for (let level = 0; level < 500; level++) [before, after] = [{ k: before }, { k: after }];
    assert.equal(createJsonPatch(before, after).length, 1);
    const wide = Array.from({ length: 10_000 }, (_, index) => index);
    assert.equal(createJsonPatch(wide, wide.slice(1)).length, 1);
    assert.equal(createJsonPatch(wide, wide.toReversed()).length, 10_000);
  });
});
