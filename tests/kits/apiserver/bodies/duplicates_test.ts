import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { duplicateKeys, keyFaults } from "../../../../lib/kits/apiserver/bodies/duplicates.ts";

describe("duplicateKeys()", () => {
  it("finds nothing where every key stands once in its object", () => {
    for (
      const text of ["{}", "[]", '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', '{"a":"b","b":"a"}', '"x"', "1"]
    ) {
      assert.deepEqual(duplicateKeys(text), [], text);
    }
  });

  it("names the path of each such key once", () => {
    assert.deepEqual(duplicateKeys('{"a":1,"a":2,"a":3}'), ["a"]);
    assert.deepEqual(duplicateKeys('{"s":{"p":[{"n":1},{"n":1,"x":{},"n":2}]}}'), ["s.p[1].n"]);
    assert.deepEqual(duplicateKeys('[[1,2],[{"a":[],"a":[]}]]'), ["[1][0].a"]);
  });

  it("is not misled by quotes, escapes, braces in texts, or __proto__", () => {
    assert.deepEqual(duplicateKeys('{"a":"\\\\\\"{,}:","b":"a\\\\","a" : 1}'), ["a"]);
    assert.deepEqual(duplicateKeys('{"\\u0061":1,"a":2}'), ["a"]);
    assert.deepEqual(duplicateKeys('{"__proto__":1,"__proto__":2}'), ["__proto__"]);
    assert.deepEqual(duplicateKeys('{"a:":1,"a":1}'), []);
  });
});

describe("keyFaults()", () => {
  it("names what is unknown or stands twice where a decoder comes to it, and looks into nothing unknown", () => {
    const text = '{"a":1,"odd":{"x":1,"x":2},"a":2,"odd":3,"list":[{"odd":1},{"b":1,"b":2}]}';
    assert.deepEqual(keyFaults(text, ["list[0].odd", "odd", "elsewhere"]), [
      { path: "odd", is: "unknown" },
      { path: "a", is: "duplicate" },
      { path: "list[0].odd", is: "unknown" },
      { path: "list[1].b", is: "duplicate" },
      { path: "elsewhere", is: "unknown" },
    ]);
  });
});
