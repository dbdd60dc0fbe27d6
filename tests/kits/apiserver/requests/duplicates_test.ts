import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { duplicateKeys } from "../../../../lib/kits/apiserver/requests/duplicates.ts";

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
