import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sha256 } from "../../lib/runtime/digest.ts";

describe("sha256()", () => {
  it("digests the UTF-8 of a text", async () => {
    const text = "Lötse";
    const wanted = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    assert.deepEqual([...sha256(text)], [...new Uint8Array(wanted)]);
  });
});
