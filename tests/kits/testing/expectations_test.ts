import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differences } from "../../../lib/kits/testing/expectations.ts";

const TEA = {
  metadata: { name: "green", labels: { hot: "yes" } },
  spec: { cups: 2, notes: ["a", "b"] },
  status: { phase: "Brewing", steps: [{ name: "boil", done: true }, { name: "pour", done: false }] },
};

describe("differences()", () => {
  it("finds none where all that is expected is there, whatever else is", () => {
    const expected = {
      metadata: { labels: { hot: "yes" }, annotations: null },
      spec: { cups: 2, notes: ["a", "b"] },
      status: { phase: /^Brew/, steps: [{ done: true }, {}] },
    };
    assert.deepEqual(differences(TEA, expected), []);
  });

  it("names each place, what is there, and what was expected", () => {
    const expected = {
      metadata: { name: null, labels: { cold: "yes" } },
      spec: { cups: 3, notes: ["a"] },
      status: { phase: /Done/, steps: [{ done: false }, { name: "pour" }] },
    };
    assert.deepEqual(differences(TEA, expected), [
      'metadata.name is "green", not absent',
      'metadata.labels.cold is absent, not "yes"',
      "spec.cups is 2, not 3",
      'spec.notes is ["a","b"], not ["a"]',
      'status.phase is "Brewing", not like /Done/',
      "status.steps[0].done is true, not false",
    ]);
  });

  it("finds the same each time, whatever the flags of an expression", () => {
    const expected = { metadata: { name: /green/g } };
    assert.deepEqual([differences(TEA, expected), differences(TEA, expected)], [[], []]);
  });

  it("does not take what objects inherit for what they have", () => {
    assert.deepEqual(differences({}, { constructor: { name: "Object" } }), [
      'constructor is absent, not {"name":"Object"}',
    ]);
  });

  it("stops to tell at ten places, and cuts long values", () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, "x".repeat(300)]));
    const lines = differences({}, many);
    assert.equal(lines.length, 11);
    assert.equal(lines.at(-1), "and 2 more");
    assert.ok((lines[0]?.length ?? 0) < 250);
  });
});
