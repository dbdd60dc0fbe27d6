import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeField, mapIdentifiers, usesVariable } from "../../../../lib/kits/apiserver/cel/source.ts";

describe("mapIdentifiers()", () => {
  it("leaves what stands in texts and comments alone", () => {
    const upper = (source: string) => mapIdentifiers(source, (name) => name.toUpperCase());
    assert.equal(
      upper(`a + 'a"b' + "c'd\\"e" + r'\\' + """f "g" h""" // i`),
      `A + 'a"b' + "c'd\\"e" + r'\\' + """f "g" h""" // i`,
    );
    assert.equal(upper("a.b(c)"), "A.B(C)");
  });
});

describe("usesVariable()", () => {
  it("finds variables, and no fields or texts of the same name", () => {
    assert.equal(usesVariable("self == oldSelf", "oldSelf"), true);
    assert.equal(usesVariable("self.oldSelf == 'oldSelf'", "oldSelf"), false);
  });
});

describe("escapeField()", () => {
  it("spells fields as expressions must", () => {
    assert.equal(escapeField("a-b.c/d"), "a__dash__b__dot__c__slash__d");
    assert.equal(escapeField("namespace"), "__namespace__");
    assert.equal(escapeField("a__b"), "a__underscores__b");
    assert.equal(escapeField("ünüsual"), undefined);
  });
});
