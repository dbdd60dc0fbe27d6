import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isEqualJson } from "../../lib/model/json.ts";
import { applyMergePatch, joinPatches, minimisePatch, splitStatus } from "../../lib/model/merge_patch.ts";
import type { JsonObject } from "../../lib/model/object.ts";

describe("applyMergePatch()", () => {
  it("does what the examples of RFC 7386 say, where the patch is an object", () => {
    const examples: [unknown, JsonObject, unknown][] = [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: "b", c: null }, { a: "b" }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [live, patch, expected] of examples) assert.deepEqual(applyMergePatch(live, patch), expected);
  });

  it("changes neither argument, and shares no lists with the patch", () => {
    const live = { a: { b: 1 }, d: {} };
    const patch = { a: { c: [1] } };
    const after = applyMergePatch<JsonObject>(live, patch);
    assert.deepEqual(live, { a: { b: 1 }, d: {} });
    assert.equal(after.d, live.d);
    (after.a as { c: number[] }).c.push(2);
    assert.deepEqual(patch, { a: { c: [1] } });
  });

  it("takes __proto__ for a key", () => {
    const after: JsonObject = applyMergePatch(
      {},
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"x":1}}'),
    );
    assert.deepEqual(Object.keys(after), ["__proto__", "constructor"]);
    assert.equal((after as { polluted?: unknown }).polluted, undefined);
    assert.equal(({} as JsonObject).polluted, undefined);
  });
});

describe("minimisePatch()", () => {
  const live = {
    metadata: { labels: { a: "1" }, finalizers: ["x"], nothing: null },
    spec: { list: [{ a: 1 }], text: "x", deep: { b: { c: 1 } }, no: false },
  };

  it("gives undefined where everything is there already", () => {
    const same: JsonObject[] = [
      {},
      { spec: {} },
      { spec: { text: "x", list: [{ a: 1 }], no: false } },
      { spec: { deep: { b: { c: 1 } } } },
      {
        spec: { absent: null },
        absent: { a: { b: null } },
        metadata: { annotations: { x: null }, nothing: null },
      },
      { metadata: { labels: { a: "1" }, finalizers: ["x"] } },
    ];
    for (const patch of same) assert.equal(minimisePatch(live, patch), undefined, JSON.stringify(patch));
  });

  it("leaves only what differs", () => {
    assert.deepEqual(
      minimisePatch(live, {
        spec: { text: "x", no: 0, deep: { b: { c: 1, d: 2 } } },
        metadata: { labels: { a: null, b: null } },
      }),
      { spec: { no: 0, deep: { b: { d: 2 } } }, metadata: { labels: { a: null } } },
    );
    assert.deepEqual(minimisePatch(live, { spec: { list: [] }, status: { a: 1 } }), {
      spec: { list: [] },
      status: { a: 1 },
    });
    assert.deepEqual(minimisePatch(live, { spec: null }), { spec: null });
  });

  it("keeps an explicit empty object where there is none, or something else", () => {
    assert.deepEqual(minimisePatch(live, { spec: { selector: {} } }), { spec: { selector: {} } });
    assert.deepEqual(minimisePatch(live, { spec: { text: {} } }), { spec: { text: {} } });
    assert.deepEqual(minimisePatch(live, { spec: { text: { a: null } } }), { spec: { text: { a: null } } });
  });

  it("leaves a patch that does the same as the whole one", () => {
    const patches: JsonObject[] = [
      { spec: { text: { a: { b: null } } } },
      { spec: { deep: { b: null, c: { d: 1, e: null } } }, metadata: { labels: { a: "2" } } },
      { a: { b: { c: null, d: {} } } },
      JSON.parse('{"__proto__":{"a":1},"spec":{"__proto__":null,"constructor":{"x":1}}}'),
    ];
    for (const patch of patches) {
      const rest = minimisePatch(live, patch) ?? {};
      assert.ok(
        isEqualJson(applyMergePatch(live, rest), applyMergePatch(live, patch)),
        JSON.stringify(patch),
      );
      assert.equal(minimisePatch(applyMergePatch(live, patch), patch), undefined, JSON.stringify(patch));
    }
  });

  it("sends everything to an object that is not there", () => {
    assert.deepEqual(minimisePatch(undefined, { a: { b: 1, c: null } }), { a: { b: 1 } });
  });
});

describe("splitStatus()", () => {
  it("gives both parts, or undefined for what there is not", () => {
    assert.deepEqual(splitStatus({ spec: { a: 1 }, status: { b: 2 } }), {
      main: { spec: { a: 1 } },
      status: { status: { b: 2 } },
    });
    assert.deepEqual(splitStatus({ status: null }), { main: undefined, status: { status: null } });
    assert.deepEqual(splitStatus({ spec: { a: 1 } }), { main: { spec: { a: 1 } }, status: undefined });
    assert.deepEqual(splitStatus({}), { main: undefined, status: undefined });
  });
});

describe("joinPatches()", () => {
  it("says what both say, the second one last, and leaves both as they are", () => {
    const first = { spec: { a: 1, b: { c: 1 }, list: [1] }, status: null, kept: { x: null } };
    const second = { spec: { b: { c: null, d: 2 }, list: [2] }, status: { e: 1 }, other: 1 };
    const before = JSON.stringify([first, second]);
    assert.deepEqual(joinPatches(first, second), {
      spec: { a: 1, b: { c: null, d: 2 }, list: [2] },
      status: { e: 1 },
      kept: { x: null },
      other: 1,
    });
    assert.equal(JSON.stringify([first, second]), before);
  });

  it("takes keys such as __proto__ for data", () => {
    const joined = joinPatches(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}'));
    assert.equal(JSON.stringify(joined), '{"__proto__":{"a":1,"b":2}}');
  });
});
