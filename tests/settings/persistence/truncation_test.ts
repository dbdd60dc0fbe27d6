import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff } from "../../../lib/model/diff.ts";
import { canonicalJson } from "../../../lib/model/json.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import { fillOutline, LOST_TEXT, outlineOf } from "../../../lib/settings/persistence/truncation.ts";

/** What is left of a state when it is noted and the object has become `present`. */
function recalled(state: JsonObject, present: JsonObject = state, levels = 2): JsonObject {
  return fillOutline(JSON.parse(canonicalJson(outlineOf(state, levels))), present);
}

/** Operations and paths of what changes. */
function changes(state: JsonObject, present: JsonObject, levels = 2): string[] {
  return calculateDiff(recalled(state, present, levels), present).map(([op, path]) =>
    `${op} ${path.join(".")}`
  );
}

const text = "t".repeat(300);
const list = ["a", "b", text];

describe("outlineOf()", () => {
  const state = { spec: { small: 1, text, list, inner: { text }, none: null, empty: {} }, large: text };

  it("keeps small fields, and has a mark for each large one", () => {
    const { rest, large } = outlineOf(state, 2);
    assert.deepEqual(rest, { spec: { small: 1, none: null, empty: {} } });
    assert.match(
      JSON.stringify(large),
      /^\{"spec":\{"text":"t[0-9a-f]{16}","list":"l[0-9a-f]{16}","inner":"o[0-9a-f]{16}"\},"large":"t[0-9a-f]{16}"\}$/,
    );
  });

  it("has marks for whole stanzas where there is but one level", () => {
    const { rest, large } = outlineOf({ ...state, few: { a: 1 } }, 1);
    assert.deepEqual(rest, { few: { a: 1 } });
    assert.deepEqual(Object.keys(large), ["spec", "large"]);
  });
});

describe("fillOutline()", () => {
  const state = { spec: { small: 1, text, inner: { list }, empty: {}, gone: null } };

  it("gives back the whole state where nothing has changed", () => {
    assert.deepEqual(changes(state, state), []);
    assert.deepEqual(recalled(state).spec, { small: 1, text, inner: { list }, empty: {} });
  });

  it("tells exactly which fields have changed, and knows what small ones were before", () => {
    assert.deepEqual(changes(state, { spec: { ...state.spec, small: 2 } }), ["change spec.small"]);
    assert.equal((recalled(state, { spec: { small: 2 } }).spec as JsonObject).small, 1);
    assert.deepEqual(changes(state, { spec: { ...state.spec, text: "x" } }), ["change spec.text"]);
    assert.deepEqual(changes(state, { spec: { ...state.spec, inner: { list: [] } } }), [
      "add spec.inner.list",
    ]);
    assert.deepEqual(changes(state, { spec: { ...state.spec, inner: 5 } }), ["change spec.inner"]);
    assert.deepEqual(changes(state, { spec: { ...state.spec, inner: undefined } }), ["remove spec.inner"]);
    assert.deepEqual(changes(state, { spec: { ...state.spec, text: undefined } }), ["remove spec.text"]);
    assert.deepEqual(changes(state, {}), ["remove spec"]);
  });

  it("has something of the same type stand in for large values that have changed, unlike what is there", () => {
    const before = { text, list, object: { text, list } };
    const seen = (present: JsonObject) => recalled(before, present, 1);
    assert.deepEqual(seen({}), { text: LOST_TEXT, list: [], object: {} });
    assert.deepEqual(seen({ text: LOST_TEXT, list: [], object: {} }), {});
    assert.deepEqual(changes(before, { ...before, object: {} }, 1), ["add object"]);
  });

  it("takes keys such as __proto__ for data, and outlines that strangers have written", () => {
    const odd = JSON.parse(`{"__proto__":{"a":"${text}","b":1},"constructor":"${text}"}`) as JsonObject;
    assert.deepEqual(changes(odd, odd), []);
    assert.deepEqual(changes(odd, JSON.parse(`{"__proto__":{"a":"x","b":1},"constructor":"${text}"}`)), [
      "change __proto__.a",
    ]);
    assert.equal(({} as { a?: string }).a, undefined);
    const large = { a: 5, b: [], c: "", d: "x", e: { f: null } } as JsonObject;
    assert.deepEqual(fillOutline({ rest: { b: 1 }, large }, {}), {
      a: {},
      b: {},
      c: LOST_TEXT,
      d: LOST_TEXT,
      e: { f: {} },
    });
  });
});
