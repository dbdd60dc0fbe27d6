import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatField, getField, parseField, withField, withoutField } from "../../lib/model/fields.ts";

describe("parseField()", () => {
  it("splits dotted strings, and takes lists as they are", () => {
    assert.deepEqual(parseField("spec.a.b"), ["spec", "a", "b"]);
    assert.deepEqual(parseField(["metadata", "annotations", "example.com/a.b"]), [
      "metadata",
      "annotations",
      "example.com/a.b",
    ]);
  });

  it("gives the empty path for nothing", () => {
    for (const nothing of [undefined, null, "", []]) assert.deepEqual(parseField(nothing), []);
  });

  it("refuses empty keys in dotted strings, and what is no path at all", () => {
    for (const bad of ["spec..a", ".spec", "spec."]) assert.throws(() => parseField(bad), SyntaxError, bad);
    // Users of JavaScript are not held back by types.
    for (const bad of [5, {}, ["a", 1]]) assert.throws(() => parseField(bad as unknown as string), TypeError);
  });

  it("gives what formatField() writes back", () => assert.equal(formatField(parseField("spec.a")), "spec.a"));
});

describe("getField()", () => {
  const body = { spec: { a: { b: 1 }, list: [{ c: 1 }], text: "x", nothing: null, no: false } };

  it("gives values, falsy ones too", () => {
    assert.equal(getField(body, ["spec", "a", "b"]), 1);
    assert.equal(getField(body, ["spec", "no"]), false);
    assert.equal(getField(body, []), body);
  });

  it("gives undefined for what is missing, null, or behind something that is not an object", () => {
    for (
      const path of [
        "spec.x",
        "spec.x.y",
        "spec.nothing",
        "spec.nothing.a",
        "spec.text.length",
        "spec.list.0",
        "spec.list.length",
      ]
    ) {
      assert.equal(getField(body, path.split(".")), undefined, path);
    }
    for (const nothing of [undefined, null, 5, "text"]) assert.equal(getField(nothing, ["a"]), undefined);
  });

  it("sees own keys only", () => {
    for (const key of ["__proto__", "constructor", "toString"]) assert.equal(getField({}, [key]), undefined);
    assert.equal(getField(JSON.parse('{"__proto__":{"a":1}}'), ["__proto__", "a"]), 1);
  });
});

describe("withField() and withoutField()", () => {
  it("leave the original alone, and share what is beside the path", () => {
    const original = { a: { b: 1, c: 2 }, d: { e: 3 } };
    const longer = withField(original, ["a", "x", "y"], 4);
    assert.deepEqual(longer, { a: { b: 1, c: 2, x: { y: 4 } }, d: { e: 3 } });
    assert.equal(longer.d, original.d);
    assert.deepEqual(withoutField(longer, ["a", "x", "y"]), original);
    assert.deepEqual(withoutField(original, ["d", "e"]), { a: { b: 1, c: 2 } });
    assert.deepEqual(original, { a: { b: 1, c: 2 }, d: { e: 3 } });
  });

  it("never reach a prototype", () => {
    const changed = withField(
      withField({}, ["__proto__", "x"], true),
      ["constructor", "prototype", "x"],
      true,
    );
    assert.deepEqual(Object.keys(changed), ["__proto__", "constructor"]);
    assert.equal("x" in {}, false);
  });

  it("give the original itself where nothing is to be removed", () => {
    const original = { a: { b: 1 }, text: "x" };
    for (const path of [["x"], ["a", "x"], ["text", "x"], []]) {
      assert.equal(withoutField(original, path), original);
    }
  });
});
