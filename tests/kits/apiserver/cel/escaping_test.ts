import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeField, fieldNamed } from "../../../../lib/kits/apiserver/cel/escaping.ts";

describe("escapeField()", () => {
  it("spells fields as expressions must", () => {
    assert.equal(escapeField("a-b.c/d"), "a__dash__b__dot__c__slash__d");
    assert.equal(escapeField("namespace"), "__namespace__");
    assert.equal(escapeField("a__b"), "a__underscores__b");
    assert.equal(escapeField("ünüsual"), undefined);
  });
});

describe("fieldNamed()", () => {
  it("finds a field that is a word of the language by either name", () => {
    const fields = new Map([["__namespace__", 1], ["a__dash__b", 2], ["__other__", 3]]);
    assert.equal(fieldNamed(fields, "namespace"), 1);
    assert.equal(fieldNamed(fields, "__namespace__"), 1);
    assert.equal(fieldNamed(fields, "a-b"), undefined);
    assert.equal(fieldNamed(fields, "other"), undefined);
  });
});
