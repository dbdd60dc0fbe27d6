import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseLabels } from "../../../../lib/kits/apiserver/selectors/label_selector.ts";

describe("parseLabels()", () => {
  const labels = { app: "db", tier: "2", "example.com/x": "", constructor: "c" };
  const cases: readonly [string, boolean][] = [
    ["", true],
    ["app", true],
    ["!app", false],
    ["! nope", true],
    ["nope", false],
    ["toString", false],
    ["constructor", true],
    ["app=db", true],
    ["app == db , tier=2", true],
    ["app!=db", false],
    ["nope!=db", true],
    ["app in (db,web)", true],
    ["app in ( web )", false],
    ["app notin (web),!nope", true],
    ["app notin (db)", false],
    ["nope notin (db)", true],
    ["nope in (db)", false],
    ["tier>1", true],
    ["tier<2", false],
    ["example.com/x=", true],
    ["example.com/x in (,a)", true],
  ];
  for (const [text, matches] of cases) {
    it(`${matches ? "matches" : "does not match"} "${text}"`, () =>
      assert.equal(parseLabels(text)(labels), matches));
  }

  for (const text of ["=", "a b", "a=x y", "a in", "a in (x", "-a=b", "a=-b", "a,,b", "a=b)"]) {
    it(`refuses "${text}" with 400`, () =>
      assert.throws(() => parseLabels(text), { name: "Refusal", code: 400 }));
  }
});
