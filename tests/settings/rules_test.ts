import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearest, RULES } from "../../lib/settings/rules.ts";

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

const known = ["enabled", "loggers", "level", "reportingComponent", "errorDelays"];

describe("nearest()", () => {
  it("finds names with letters missing, swapped, wrong or too many", () => {
    for (const name of ["enabeld", "enabld", "enableed", "enablet", "Enabled"]) {
      assert.equal(nearest(name, known), "enabled", name);
    }
    assert.equal(nearest("reporting_component", known), "reportingComponent");
    assert.equal(nearest("elvel", known), "level");
    assert.equal(nearest("error-delays", known), "errorDelays");
  });

  it("finds nothing where nothing is near", () => {
    for (const name of ["", "x", "something", "delays", "constructor"]) {
      assert.equal(nearest(name, known), undefined, name);
    }
  });

  it("takes the nearest of several", () =>
    assert.equal(nearest("lodgers", ["badgers", "loggers"]), "loggers"));

  it("is quick with endless names", () => assert.equal(nearest("x".repeat(1_000_000), known), undefined));
});
