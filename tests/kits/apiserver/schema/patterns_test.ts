import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compilePattern } from "../../../../lib/kits/apiserver/schema/patterns.ts";
import { assertLinear } from "../../../support/growth.ts";

describe("compilePattern()", () => {
  it("knows what Go's expressions know", () => {
    const cases: readonly [pattern: string, text: string, found: boolean][] = [
      ["^[[:alpha:]]+$", "abc", true],
      ["^[[:^digit:]]+$", "a1", false],
      ["^(?P<name>a)b$", "ab", true],
      ["\\Aab\\z", "ab\n", false],
      ["(?i)^ABC$", "abc", true],
      ["(?s)^a.b$", "a\nb", true],
      ["^a-b\\_$", "a-b_", true],
      ["^\\pL+$", "äöü", true],
      ["\\Qa.b\\E", "axb", false],
      ["^.{2}$", "🚢🚢", true],
    ];
    for (const [pattern, text, found] of cases) {
      assert.equal(compilePattern(pattern).test(text), found, pattern);
    }
  });

  it("refuses in Go's words what Go does not know", () => {
    const cases = {
      "a(b": "error parsing regexp: missing closing ): `a(b`",
      "a(?=b)": "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
      "(a)\\1": "error parsing regexp: invalid escape sequence: `\\1`",
      "a{2000}": "error parsing regexp: invalid repeat count: `{2000}`",
      "a**": "error parsing regexp: invalid nested repetition operator: `**`",
      "[b-a]": "error parsing regexp: invalid character class range: `b-a`",
    };
    for (const [pattern, message] of Object.entries(cases)) {
      assert.throws(() => compilePattern(pattern), { name: "SyntaxError", message });
    }
  });

  it("finds all, from left to right, without overlaps", () => {
    assert.deepEqual([...compilePattern("a+").findAll("aab a")], ["aa", "a"]);
    assert.deepEqual([...compilePattern("x").findAll("aab")], []);
  });

  it("takes linear time, whatever it meets", () => {
    for (const source of ["^(a+)+$", "^(a|aa)*b$", "^(.*)*x$"]) {
      const pattern = compilePattern(source);
      assertLinear((length) => () => void pattern.test("a".repeat(length) + "!"), {
        name: source,
        small: 1000,
      });
    }
  });
});
