import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { compareVersions, findRuntime, ownName } from "./tools.ts";

describe("compareVersions()", () => {
  it("compares numbers, not texts", () => {
    assert.ok(compareVersions("1.10.0", "1.9.3") > 0);
    assert.ok(compareVersions("20.20.2", "24.0.0") < 0);
    assert.equal(compareVersions("2.9.6", "2.9.6"), 0);
  });
});

describe("findRuntime()", () => {
  it("gives the runtime that this runs on", () => {
    assert.equal(findRuntime(ownName()).path, process.execPath);
  });
});
