import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WatchEvent } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { Memories, memoryKey } from "../../lib/operator/memories.ts";

const kind: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  singular: "",
  shortcuts: [],
  categories: [],
  namespaced: true,
  preferred: true,
  verbs: [],
  subresources: [],
};

function event(metadata: Record<string, string>): WatchEvent {
  return { type: "ADDED", object: { metadata } };
}

describe("Memories", () => {
  it("[A138] [G10] gives objects without a uid memos of their own, and the same one each time", () => {
    const memories = new Memories({ shared: 1 });
    const one = memories.recall(kind, event({ namespace: "a", name: "x" }));
    const two = memories.recall(kind, event({ namespace: "b", name: "x" }));
    one.memo.mine = true;
    assert.deepEqual([one.memo, two.memo], [{ shared: 1, mine: true }, { shared: 1 }]);
    assert.equal(memories.recall(kind, event({ namespace: "a", name: "x" })), one);
    assert.equal(memories.size, 2);
  });

  it("forgets an object, but not the one that has come under its name", () => {
    const memories = new Memories({});
    const old = memories.recall(kind, event({ name: "x" }));
    memories.forget(old);
    const young = memories.recall(kind, event({ name: "x" }));
    memories.forget(old);
    assert.equal(memories.get(old.key), young);
  });
});

describe("memoryKey()", () => {
  it("[A201] [B244] tells objects without a uid apart by kind, namespace and name", () => {
    const object = { metadata: { namespace: "a", name: "x" } };
    const keys = [
      memoryKey(kind, object),
      memoryKey({ ...kind, plural: "others" }, object),
      memoryKey({ ...kind, group: "other.test" }, object),
      memoryKey(kind, { metadata: { namespace: "b", name: "x" } }),
      memoryKey(kind, { metadata: { namespace: "a", name: "y" } }),
      memoryKey(kind, { metadata: { namespace: "a", name: "x", uid: "u" } }),
    ];
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(memoryKey(kind, { ...object, spec: { any: 1 } }), memoryKey(kind, object));
  });
});
