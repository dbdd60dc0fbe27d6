import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseFieldSelector } from "../../../../lib/kits/apiserver/selectors/field_selector.ts";

const POD = { metadata: { name: "a", namespace: "n" }, status: { phase: "Running" }, spec: {} };

describe("parseFieldSelector()", () => {
  it("says which name and namespace alone can match", () => {
    const { name, namespace } = parseFieldSelector("metadata.name=a,metadata.namespace==n", []);
    assert.deepEqual([name, namespace], ["a", "n"]);
    assert.equal(parseFieldSelector("metadata.name!=a", []).name, undefined);
  });

  const cases: readonly [string, boolean][] = [
    ["metadata.name=a", true],
    ["metadata.name!=a", false],
    ["status.phase=Running,metadata.name=a", true],
    ["status.phase!=Running", false],
    ["spec.nodeName=", true],
    ["spec.hostNetwork=false", true],
  ];
  for (const [text, matches] of cases) {
    it(`${matches ? "matches" : "does not match"} "${text}"`, () => {
      const selectable = ["status.phase", "spec.nodeName", "spec.hostNetwork"];
      assert.equal(parseFieldSelector(text, selectable).matches(POD), matches);
    });
  }

  it("takes whoever reports an event for its source, where it names no other", () => {
    const { matches } = parseFieldSelector("source=tests", ["source"]);
    const metadata = { name: "a" };
    assert.equal(matches({ metadata, source: {}, reportingComponent: "tests" }), true);
    assert.equal(matches({ metadata, source: { component: "tests" } }), true);
    assert.equal(matches({ metadata, source: { component: "b" }, reportingComponent: "tests" }), false);
  });

  it("refuses fields that the kind cannot be selected by, and what is no selector", () => {
    for (const text of ["spec.foo=a", "foo"]) {
      assert.throws(() => parseFieldSelector(text, ["status.phase"]), { name: "Refusal", code: 400 });
    }
  });
});
