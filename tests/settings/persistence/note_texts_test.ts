import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseNote, toPythonJson } from "../../../lib/settings/persistence/note_texts.ts";

describe("parseNote()", () => {
  it("takes objects as deep as API servers do, and brackets inside of texts for what they are", () => {
    const deep = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    assert.notEqual(parseNote(deep(10_000), "x"), undefined);
    assert.equal(parseNote(deep(10_002), "x"), undefined);
    assert.deepEqual(parseNote(JSON.stringify({ a: "[".repeat(5000) }), "x"), { a: "[".repeat(5000) });
    assert.notEqual(parseNote(JSON.stringify({ a: Array.from({ length: 5000 }, () => []) }), "x"), undefined);
  });
});

describe("toPythonJson()", () => {
  // As Python 3.11 prints them; tests/oracle compares with Kopf itself.
  const texts: readonly (readonly [unknown, string])[] = [
    [{ b: "ü", a: [1, null, true] }, '{"b":"\\u00fc","a":[1,null,true]}'],
    ["𝄞 \u007f /", '"\\ud834\\udd1e \\u007f /"'],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [-1.5e-7, "-1.5e-07"],
    [1e-10, "1e-10"],
    [1e21, "1e+21"],
    [0, "0"],
    [{ gone: undefined, "": 0.5 }, '{"":0.5}'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ];
  for (const [value, text] of texts) {
    it(`writes ${text} as Python does`, () => {
      assert.equal(toPythonJson(value), text);
    });
  }
});
