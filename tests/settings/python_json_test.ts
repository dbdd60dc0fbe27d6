import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPythonJson } from "../../lib/settings/python_json.ts";

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
