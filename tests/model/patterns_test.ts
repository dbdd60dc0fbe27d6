import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isExactName, parsePattern } from "../../lib/model/patterns.ts";

/** Name, pattern, whether it matches. Source: scenarios B186–B213. */
const TABLE: readonly (readonly [string, string, boolean])[] = [
  ["ns1", "ns1,ns2", true],
  ["ns1", "ns2,ns1", false],
  ["ns1", "!ns2", true],
  ["ns1", "ns*,!ns1", false],
  ["ns1", "!ns*,ns?", true],
  ["myapp-pr-123", "myapp-*,!*-pr-*,*-pr-123", true],
  ["otherapp-pr-123", "myapp-*,!*-pr-*,*-pr-123", false],
  ["any", "", false],
];

describe("parsePattern()", () => {
  it("[B206] decides by the first glob, and then takes out and brings back from left to right", () => {
    for (const [name, pattern, expected] of TABLE) {
      assert.equal(parsePattern(pattern)(name), expected, `${name} by "${pattern}"`);
    }
  });

  it("[B207] ignores spaces", () => {
    const test = parsePattern(" ns1 , ! ns12 ");
    assert.ok(test("ns1"));
    assert.ok(!test("ns12"));
  });

  it("takes classes of characters, and everything else as it is", () => {
    assert.ok(parsePattern("ns[0-9]")("ns5"));
    assert.ok(!parsePattern("ns[!0-9]")("ns5"));
    assert.ok(!parsePattern("a.c")("abc"));
    assert.ok(parsePattern("a(b)+[")("a(b)+["));
  });

  it("wants regular expressions to match the whole name", () => {
    const test = parsePattern(/ns\d|x/g);
    assert.deepEqual(["ns1", "ns1", "ns12", "x", "ax"].map((name) => test(name)), [
      true,
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("isExactName()", () => {
  it("tells names from patterns", () => {
    const exact = ["a", " a ", "a*", "a?", "!a", "a,b", "[a]", "", /a/].map((pattern) =>
      isExactName(pattern)
    );
    assert.deepEqual(exact, [true, true, false, false, false, false, false, false, false]);
  });
});
