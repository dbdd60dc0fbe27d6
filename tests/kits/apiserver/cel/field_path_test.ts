import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldOfRule } from "../../../../lib/kits/apiserver/cel/field_path.ts";

const SCHEMA = {
  properties: {
    spec: { properties: { limits: { additionalProperties: { properties: { cpu: {} } } } } },
  },
};

describe("fieldOfRule()", () => {
  it("gives the field as errors name it", () => {
    assert.equal(fieldOfRule(".spec.limits['a.b'].cpu", SCHEMA), "spec.limits[a.b].cpu");
    assert.equal(fieldOfRule("['spec']", SCHEMA), "spec");
  });

  it("gives nothing for paths that lead nowhere", () => {
    for (const path of ["spec", ".nothing", ".spec.limits['a'].memory", ".spec[0]", "", undefined]) {
      assert.equal(fieldOfRule(path, SCHEMA), undefined);
    }
  });
});
