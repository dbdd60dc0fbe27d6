import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeField } from "../../../../lib/kits/apiserver/cel/escaping.ts";

describe("escapeField()", () => {
  it("spells fields as expressions must", () => {
    assert.equal(escapeField("a-b.c/d"), "a__dash__b__dot__c__slash__d");
    assert.equal(escapeField("namespace"), "__namespace__");
    assert.equal(escapeField("a__b"), "a__underscores__b");
    assert.equal(escapeField("ünüsual"), undefined);
  });
});
