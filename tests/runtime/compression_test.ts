import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compressText, decompressText } from "../../lib/runtime/compression.ts";

describe("compressText()", () => {
  it("makes texts short, in characters that any JSON takes as they are", () => {
    const text = '{"some":"ünï ☃"}'.repeat(1000);
    const compressed = compressText(text);
    assert.ok(compressed.length < text.length / 20, `${compressed.length}`);
    assert.match(compressed, /^[A-Za-z0-9+/]+=*$/);
    assert.equal(decompressText(compressed, 1e6), text);
  });
});

describe("decompressText()", () => {
  it("reads what other runtimes have compressed", () => {
    // Node 24's, Deno's and Bun's differ for longer texts.
    assert.equal(decompressText("S0xKTklNS8/IzMrOAQA=", 100), "abcdefghijkl");
  });

  it("gives nothing for what is no such text, or is cut off", () => {
    const compressed = compressText("a text that is long enough to be cut off in its middle");
    for (const broken of ["", "!!!", "AAAA", compressed.slice(0, 20)]) {
      assert.equal(decompressText(broken, 1000), undefined, broken);
    }
  });

  it("unpacks no more than the limit", () => {
    const bomb = compressText("a".repeat(10_000_000));
    assert.ok(bomb.length < 20_000);
    assert.equal(decompressText(bomb, 1_000_000), undefined);
  });
});
