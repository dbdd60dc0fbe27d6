import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compressText, decompressText, TextPacker } from "../../lib/runtime/compression.ts";

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

describe("TextPacker", () => {
  it("returns each text as it was, in few bytes", () => {
    const packer = new TextPacker();
    const texts = Array.from({ length: 40 }, (_, number) => {
      // Different in each, and hard to make shorter.
      const digest = Array.from(
        { length: 64 },
        (_, place) => ((number * 7 + place * place * 31) % 16).toString(16),
      );
      return `{"name":"ünï-${number}","image":"registry.example.com/shop@sha256:${digest.join("")}"}`.repeat(
        number % 3 + 1,
      );
    });
    const packed = [...texts, "", "x".repeat(100_000)].map((text) => [text, packer.pack(text)] as const);
    for (const [text, bytes] of packed) assert.equal(packer.unpack(bytes), text);
    assert.ok(packed.at(-1)![1].length < 2000);
    assert.ok(
      packed[39]![1].length < texts[39]!.length / 1.2,
      `${packed[39]![1].length} of ${texts[39]!.length}`,
    );
  });

  it("keeps each text's long strings with that text, and none with the others", () => {
    const packer = new TextPacker();
    // An escaped quotation mark is in it.
    const secret = String.raw`q8Zr1\"vT0pXk7LmWc4NdYb2JhGf6SeUa9RiOo3PtQlEzVyHxKuMjCwBgAn5D`;
    const text = `{"kind":"Secret","key":"${secret}"}`;
    packer.pack(text);
    const again = packer.pack(text);
    assert.equal(packer.unpack(again), text);
    assert.ok(again.length >= secret.length * 0.75, `${again.length} bytes`);
  });
});
