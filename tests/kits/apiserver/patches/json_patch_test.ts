import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyJsonPatch } from "../../../../lib/kits/apiserver/patches/json_patch.ts";
import type { JsonObject } from "../../../../lib/model/object.ts";

const LIVE: JsonObject = { data: { a: "1" }, list: [1, 2] };

function apply(...operations: unknown[]): unknown {
  return applyJsonPatch(structuredClone(LIVE), operations);
}

describe("applyJsonPatch()", () => {
  it("adds, removes, replaces, moves, copies and tests", () => {
    assert.deepEqual(
      apply(
        { op: "test", path: "/data/a", value: "1" },
        { op: "add", path: "/list/-", value: 3 },
        { op: "replace", path: "/data/a", value: "2" },
        { op: "copy", from: "/data/a", path: "/data/b" },
        { op: "move", from: "/data/b", path: "/data/c" },
        { op: "remove", path: "/list/0" },
      ),
      { data: { a: "2", c: "2" }, list: [2, 3] },
    );
  });

  it("replaces what is absent, and finds null there, as Kubernetes' library does", () => {
    assert.deepEqual(apply({ op: "replace", path: "/data/z", value: "1" }), {
      data: { a: "1", z: "1" },
      list: [1, 2],
    });
    assert.deepEqual(apply({ op: "test", path: "/data/z", value: null }), LIVE);
  });

  const wrong: readonly unknown[] = [
    { op: "test", path: "/data/a", value: "2" },
    { op: "remove", path: "/data/z" },
    { op: "add", path: "/nowhere/z", value: 1 },
    { op: "move", from: "/data/z", path: "/data/a" },
    { op: "bogus", path: "/data/a" },
    { op: "add", path: "data/a", value: 1 },
    { op: "copy", path: "/data/b" },
    "remove",
    null,
  ];
  for (const operation of wrong) {
    it(`refuses ${JSON.stringify(operation)}`, () => assert.throws(() => apply(operation)));
  }
});
