import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { byteLengthOf, digestOf, suffixOf, toBase64 } from "../../lib/model/encoding.ts";
import { Buffer } from "node:buffer";

describe("digestOf()", () => {
  it("gives the same 16 digits in each release and on each runtime", () => {
    // NB: digests are kept on objects; if these change, handlers run again after an upgrade.
    assert.equal(digestOf({ spec: { replicas: 3, name: "ü" } }), "1259f7c395df992f");
    assert.equal(digestOf(undefined), "b17dd80e96b131a8");
  });

  it("is the same for what means the same, and differs for the rest", () => {
    assert.equal(digestOf({ a: 1, b: { c: null } }), digestOf({ b: {}, a: 1 }));
    const values = [{}, [], 0, 1, true, false, "1", "", null, { a: 1 }, { a: true }, { a: "1" }, [1], {
      a: {},
    }];
    assert.equal(new Set(values.map(digestOf)).size, values.length);
  });
});

describe("suffixOf()", () => {
  it("gives Kopf's suffixes", () => {
    assert.equal(suffixOf("a".repeat(64)), "-5Keq3A");
    assert.equal(suffixOf("x".repeat(64)), "-SItAqA");
    assert.equal(suffixOf("fn".repeat(323)), "-Az-r.g");
  });
});

describe("byteLengthOf()", () => {
  it("counts UTF-8 bytes", () => assert.equal(byteLengthOf("aü€😀"), 1 + 2 + 3 + 4));
});

describe("toBase64()", () => {
  it("takes any text, long ones too", () => {
    for (const text of ["", "a", "äöü €", "😀".repeat(20_000)]) {
      assert.equal(toBase64(text), Buffer.from(text).toString("base64"));
    }
  });
});
