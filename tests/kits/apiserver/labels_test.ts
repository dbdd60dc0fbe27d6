import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotationCauses, labelCauses, selectorCauses } from "../../../lib/kits/apiserver/labels.ts";

const fields = (causes: readonly { readonly field: string }[]) => causes.map(({ field }) => field);

describe("labelCauses()", () => {
  it("names keys and values that are none, at the field that has them", () => {
    assert.deepEqual(labelCauses({ "a.b/c": "x_1", d: "" }, "spec.selector"), []);
    assert.deepEqual(fields(labelCauses({ "a b": "-", c: "x".repeat(64) }, "spec.selector")), [
      "spec.selector",
      "spec.selector",
      "spec.selector",
    ]);
  });
});

describe("annotationCauses()", () => {
  it("takes any value, and keys in capitals, but no more than 256 KiB", () => {
    assert.deepEqual(annotationCauses({ "A.B/c": "any thing" }, "metadata.annotations"), []);
    assert.equal(annotationCauses({ "a b": "" }, "metadata.annotations").length, 1);
    const [large] = annotationCauses({ a: "x".repeat(256 * 1024) }, "metadata.annotations");
    assert.equal(large?.reason, "FieldValueTooLong");
  });
});

describe("selectorCauses()", () => {
  it("names what is wrong with labels and requirements", () => {
    const selector = {
      matchLabels: { "a b": "1" },
      matchExpressions: [
        { key: "a", operator: "In" },
        { key: "a", operator: "Exists", values: ["b"] },
        { key: "a", operator: "Like" },
        { key: "a b", operator: "NotIn", values: ["-"] },
      ],
    };
    assert.deepEqual(fields(selectorCauses(selector, "s")), [
      "s.matchLabels",
      "s.matchExpressions[0].values",
      "s.matchExpressions[1].values",
      "s.matchExpressions[2].operator",
      "s.matchExpressions[3].key",
      "s.matchExpressions[3].values[0]",
    ]);
    assert.deepEqual(selectorCauses(undefined, "s"), []);
  });
});
