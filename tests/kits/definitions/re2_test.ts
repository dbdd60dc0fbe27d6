import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toRe2 } from "../../../lib/kits/definitions/re2.ts";

describe("toRe2()", () => {
  it("keeps what both know", () => {
    for (
      const pattern of ["^[0-9]+(Gi|Mi)$", "\\d{4}-\\d\\d", "a\\.b\\/c", "[\\w.-]+", "(?:a|b)*?", "\\(?=x"]
    ) {
      assert.deepEqual(toRe2(pattern), { pattern });
    }
  });

  it("writes code points, named groups and classes as RE2 does", () => {
    assert.deepEqual(toRe2("\\u00e9\\u{1F600}"), { pattern: "\\x{00e9}\\x{1F600}" });
    assert.deepEqual(toRe2("(?<year>\\d+)"), { pattern: "(?P<year>\\d+)" });
    assert.deepEqual(toRe2("[^]*"), { pattern: "[\\s\\S]*" });
    assert.deepEqual(toRe2("[[:a]"), { pattern: "[\\[:a]" });
  });

  it("tells what RE2 has not", () => {
    assert.deepEqual(toRe2("^(?!x)y"), { reason: 'it looks ahead ("(?!x")' });
    assert.deepEqual(toRe2("(?<=a)b"), { reason: 'it looks behind ("(?<=")' });
    assert.deepEqual(toRe2("(a)\\1"), { reason: 'it refers back to a group ("\\1")' });
  });
});
