import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff } from "../../../lib/model/diff.ts";
import { canonicalJson } from "../../../lib/model/json.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import {
  fillOutline,
  LOST_TEXT,
  type Outline,
  type OutlineLimits,
  outlineOf,
} from "../../../lib/settings/persistence/truncation.ts";

const LIMITS = { value: 20, object: Infinity, whole: Infinity };

function outlined(state: JsonObject, limits: OutlineLimits = LIMITS): Outline {
  return outlineOf(state, limits) ?? assert.fail("it is too large");
}

/** What is left of a state when it is noted and the object has become `present`. */
function recalled(state: JsonObject, present: JsonObject = state, limits = LIMITS): JsonObject {
  return fillOutline(JSON.parse(canonicalJson(outlined(state, limits))), present);
}

/** Operations and paths of what changes. */
function changes(state: JsonObject, present: JsonObject, limits = LIMITS): string[] {
  return calculateDiff(recalled(state, present, limits), present).map(([op, path]) =>
    `${op} ${path.join(".")}`
  );
}

const text = "t".repeat(50);
const list = ["a", "b", text];

describe("outlineOf()", () => {
  it("keeps small values, and has marks for large texts and lists", () => {
    const { rest, large } = outlined({ spec: { small: 1, text, inner: { list, none: null } } });
    assert.deepEqual(rest, { spec: { small: 1, inner: { none: null } } });
    assert.match(
      JSON.stringify(large),
      /^\{"spec":\{"text":"t[0-9a-f]{16}","inner":\{"list":"l[0-9a-f]{16}"\}\}\}$/,
    );
  });

  it("has marks for objects that are too large with marks in them, but for the state itself", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key-${index}`, index]));
    const { rest, large } = outlined({ spec: { many, few: { a: 1 } } }, { ...LIMITS, object: 100 });
    assert.deepEqual(rest, { spec: { few: { a: 1 } } });
    assert.match(JSON.stringify(large), /^\{"spec":\{"many":"o[0-9a-f]{16}"\}\}$/);
    assert.deepEqual(Object.keys(outlined({ a: many, b: many }, { ...LIMITS, object: 10 }).large), [
      "a",
      "b",
    ]);
  });
});

describe("outlineOf() of what is too large in any form", () => {
  it("gives up", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key-${index}`, text]));
    assert.equal(outlineOf(many, { ...LIMITS, whole: 1000 }), undefined);
    const { length } = JSON.stringify(outlineOf(many, { ...LIMITS, whole: 2000 })?.large);
    assert.ok(length > 1200 && length < 2000, `${length}`);
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
    const limits = { ...LIMITS, object: 50 };
    const seen = (present: JsonObject) => recalled(before, present, limits);
    assert.deepEqual(seen({}), { text: LOST_TEXT, list: [], object: {} });
    assert.deepEqual(seen({ text: LOST_TEXT, list: [], object: {} }), {});
    assert.deepEqual(changes(before, { ...before, object: {} }, limits), ["add object"]);
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
