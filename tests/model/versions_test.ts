import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareVersions, isNewer } from "../../lib/model/versions.ts";

describe("compareVersions()", () => {
  it("compares as numbers of any length", () => {
    assert.equal(compareVersions("9", "10"), -1);
    assert.equal(compareVersions("10", "9"), 1);
    assert.equal(compareVersions("10", "10"), 0);
    assert.equal(compareVersions("90071992547409931234567890", "90071992547409931234567891"), -1);
    assert.equal(compareVersions("007", "7"), 0);
    assert.equal(compareVersions("0", "00"), 0);
  });

  it("gives undefined where there is no order", () => {
    for (const odd of [undefined, "", "abc", "1.5", "-1", "1e3", " 1"]) {
      assert.equal(compareVersions(odd, "1"), undefined, String(odd));
      assert.equal(compareVersions("1", odd), undefined, String(odd));
    }
  });
});

describe("isNewer()", () => {
  it("tells newer from the same and older, and undefined from both", () => {
    assert.equal(isNewer("11", "9"), true);
    assert.equal(isNewer("9", "9"), false);
    assert.equal(isNewer("9", "11"), false);
    assert.equal(isNewer("a", "11"), undefined);
  });
});
