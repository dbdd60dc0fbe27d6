/** Sets of fields. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  difference,
  entry,
  type FieldSet,
  intersection,
  isMember,
  LEAF,
  pathsIn,
  readSet,
  sortedSet,
  union,
  withoutBelow,
} from "../../../../lib/kits/apiserver/apply/field_set.ts";

const LABELS: FieldSet = { "f:labels": { ".": LEAF, "f:a": LEAF, "f:b": LEAF } };

describe("A set of fields", () => {
  it("counts a field as a member when it is marked, or has nothing below it", () => {
    assert.equal(isMember(LEAF), true);
    assert.equal(isMember({ ".": LEAF, "f:a": LEAF }), true);
    assert.equal(isMember({ "f:a": LEAF }), false);
    assert.equal(isMember(undefined), false);
  });

  it("makes entries that are marked, or not there at all", () => {
    assert.deepEqual(entry(true, { "f:a": LEAF }), { ".": LEAF, "f:a": LEAF });
    assert.deepEqual(entry(false, { ".": LEAF, "f:a": LEAF }), { "f:a": LEAF });
    assert.deepEqual(entry(true, LEAF), LEAF);
    assert.equal(entry(false, LEAF), undefined);
  });

  it("is united with another", () => {
    const united = union({ "f:labels": { "f:a": LEAF } }, { "f:labels": LEAF, "f:data": { "f:x": LEAF } });
    assert.deepEqual(united, { "f:labels": { ".": LEAF, "f:a": LEAF }, "f:data": { "f:x": LEAF } });
  });

  it("has in common with another what is a member of both", () => {
    assert.deepEqual(intersection(LABELS, { "f:labels": { "f:a": LEAF, "f:c": LEAF } }), {
      "f:labels": { "f:a": LEAF },
    });
    assert.deepEqual(intersection(LABELS, { "f:labels": LEAF }), { "f:labels": LEAF });
  });

  it("loses the fields of another, but not what is below them", () => {
    assert.deepEqual(difference(LABELS, { "f:labels": LEAF }), { "f:labels": { "f:a": LEAF, "f:b": LEAF } });
    assert.deepEqual(difference(LABELS, LABELS), {});
    assert.equal(difference(LABELS, {}), LABELS);
    // Owners from whom nothing is taken keep the set that they share with others.
    assert.equal(difference(LABELS, { "f:labels": { "f:c": LEAF }, "f:name": LEAF }), LABELS);
  });

  it("can lose fields with all that is below them", () => {
    assert.deepEqual(withoutBelow(LABELS, { "f:labels": LEAF }), {});
    assert.deepEqual(withoutBelow(LABELS, { "f:labels": { "f:a": LEAF } }), {
      "f:labels": { ".": LEAF, "f:b": LEAF },
    });
  });

  it("tells the paths of its members", () => {
    assert.deepEqual(pathsIn(LABELS), [["f:labels"], ["f:labels", "f:a"], ["f:labels", "f:b"]]);
  });

  it("is sorted on every level", () => {
    assert.equal(
      JSON.stringify(sortedSet({ "f:b": { "f:d": {}, "f:c": {} }, "f:a": {} })),
      '{"f:a":{},"f:b":{"f:c":{},"f:d":{}}}',
    );
  });

  it("is read from a request only if all of it is one", () => {
    assert.deepEqual(readSet({ "f:__proto__": {} }), JSON.parse('{"f:__proto__":{}}'));
    for (const wrong of [null, 1, "x", [], { a: {} }, { "f:a": 1 }, { "f:a": { b: {} } }]) {
      assert.equal(readSet(wrong), undefined, JSON.stringify(wrong));
    }
  });
});
