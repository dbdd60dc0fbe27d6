import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { fromBase64, toBase64 } from "../../lib/model/base64.ts";

describe("toBase64()", () => {
  it("takes any text, long ones too, and fromBase64() gives it back", () => {
    for (const text of ["", "a", "äöü €", "😀".repeat(20_000)]) {
      assert.equal(toBase64(text), Buffer.from(text).toString("base64"));
      assert.equal(fromBase64(toBase64(text)), text);
    }
  });
});
