import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearest } from "../../lib/settings/nearest.ts";

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
