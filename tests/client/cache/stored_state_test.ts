import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type StateHolder, StoredState } from "../../../lib/client/cache/stored_state.ts";
import { TextPacker } from "../../../lib/runtime/compression.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

const PACKER = new TextPacker();

const OBJECT: KubeObject = {
  metadata: {
    name: "a",
    uid: "1",
    resourceVersion: "7",
    annotations: { "ä/ö": '\u{1F600} " \\ \n', empty: "" },
  },
  spec: {
    large: 12345678901234567890n,
    small: 1e-7,
    none: null,
    list: [[], {}, true, -0.5],
    ["__proto__"]: { a: 1 },
  },
};

describe("StoredState", () => {
  it("is parsed again to what it was, big numbers and strange keys included", () => {
    const told: StoredState[] = [];
    const holder: StateHolder = { parsed: (state) => void told.push(state) };
    const state = new StoredState(OBJECT, holder);
    assert.equal(state.object, OBJECT);
    state.pack(0, PACKER);
    assert.equal(state.isPacked, true);
    assert.ok(state.size > 0);
    assert.equal(state.version, "7");
    assert.deepEqual(told, []);
    assert.deepEqual(state.object, OBJECT);
    assert.notEqual(state.object, OBJECT);
    assert.equal(state.isPacked, false);
    assert.deepEqual(told, [state], "once, when it was parsed");
    const { size } = state;
    state.pack(0, PACKER);
    assert.equal(state.size, size, "the bytes are kept");
    assert.deepEqual(state.object, OBJECT);
  });

  it("stays parsed where its text is short", () => {
    const state = new StoredState(OBJECT);
    state.pack(1000, PACKER);
    assert.equal(state.isPacked, false);
    const long = new StoredState({ ...OBJECT, spec: { text: "x".repeat(1000) } });
    long.pack(1000, PACKER);
    assert.equal(long.isPacked, true);
    assert.ok(long.size < 400, `${long.size} bytes`);
  });

  it("counts texts, numbers, keys, lists and objects, and follows no depth that does not count", () => {
    const spec = {
      words: ["a", "bc", true, null, 1.25, {}, []],
      map: { one: 1, two: { three: "x".repeat(40) } },
    };
    const object = { ...OBJECT, spec };
    const { length } = JSON.stringify(
      object,
      (_, value) => typeof value === "bigint" ? Number(value) : value,
    );
    const isPackedBy = (shortest: number): boolean => {
      const state = new StoredState(object);
      state.pack(shortest, PACKER);
      return state.isPacked;
    };
    assert.deepEqual([isPackedBy(length * 0.9), isPackedBy(length * 1.1)], [true, false]);
    let deep: unknown = [];
    for (let level = 0; level < 10_000; level++) deep = [deep];
    const state = new StoredState({ ...OBJECT, spec: { deep } });
    state.pack(4000, PACKER);
    assert.equal(state.isPacked, true);
  });
});
