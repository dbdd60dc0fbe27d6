import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { confidentialFieldsOf } from "../../lib/settings/confidential.ts";
import { defaultSettings, mergeSettings } from "../../lib/settings/settings.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { PODS } from "../../lib/model/kinds.ts";

const SECRETS: Resource = {
  ...PODS,
  plural: "secrets",
  singular: "secret",
  kind: "Secret",
};

describe("confidentialFieldsOf()", () => {
  it("names the data of core Secrets in any case, and nothing else by default", () => {
    const { persistence } = defaultSettings();
    assert.deepEqual(confidentialFieldsOf(persistence, SECRETS), [["data"], ["stringData"]]);
    assert.deepEqual(confidentialFieldsOf(persistence, PODS), []);
    assert.deepEqual(confidentialFieldsOf(persistence, { ...SECRETS, group: "example.com" }), []);
  });

  it("adds what the settings name", () => {
    const confidential = { pods: ["spec.password", ["metadata", "annotations", "a.b/c"]], secrets: ["type"] };
    const { persistence } = mergeSettings(defaultSettings(), { persistence: { confidential } });
    assert.deepEqual(confidentialFieldsOf(persistence, PODS), [["spec", "password"], [
      "metadata",
      "annotations",
      "a.b/c",
    ]]);
    assert.deepEqual(confidentialFieldsOf(persistence, SECRETS).length, 3);
  });

  it("is refused where it is no list of fields", () => {
    for (
      const wrong of [{ pods: "spec.password" }, { pods: [""] }, { pods: [5] }, "pods", { pods: ["a..b"] }]
    ) {
      const settings = { persistence: { confidential: wrong as never } };
      assert.throws(() => mergeSettings(defaultSettings(), settings), TypeError, JSON.stringify(wrong));
    }
  });
});
