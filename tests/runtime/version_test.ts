import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { VERSION } from "../../lib/runtime/version.ts";
import { readTree } from "../architecture/tree.ts";

describe("VERSION", () => {
  it("is that of the package", () => {
    assert.equal(VERSION, JSON.parse(readTree("deno.json")).version);
  });
});
