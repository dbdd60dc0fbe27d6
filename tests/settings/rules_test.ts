import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RULES } from "../../lib/settings/rules.ts";

describe("RULES", () => {
  it("complain about each setting of the wrong type, and never throw", () => {
    const odd = [undefined, Symbol("x"), 1n, () => 1, Object.create(null)];
    for (const [name, rule] of Object.entries(RULES)) {
      const complaints = odd.filter((value) => rule(value) !== undefined);
      assert.ok(complaints.length >= odd.length - 1, name);
    }
  });

  it("tell wrong types from impossible values", () => {
    assert.equal(RULES["admission.server"]?.(() => {}), undefined);
    assert.equal(RULES["admission.server"]?.({ serve() {} }), undefined);
    assert.equal(RULES["admission.server"]?.({})?.kind, "type");
    assert.equal(RULES["admission.managed"]?.("lotse.example.com"), undefined);
    for (const bad of ["one", "Upper.case", "a..b", "-a.b", ""]) {
      assert.equal(RULES["admission.managed"]?.(bad)?.kind, "range", bad);
    }
    assert.equal(RULES["peering.lifetime"]?.("60")?.kind, "type");
    assert.equal(RULES["peering.lifetime"]?.(0)?.kind, "range");
    assert.equal(RULES["peering.lifetime"]?.(0.5), undefined);
  });
});
