import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tidyBase64 } from "../../../../lib/kits/apiserver/formats/base64.ts";

describe("tidyBase64()", () => {
  it("takes line breaks out, and bits that mean nothing", () => {
    const tidied = [
      ["", ""],
      ["abcd", "abcd"],
      ["YQ==\n", "YQ=="],
      ["Y\r\nQ=\n=", "YQ=="],
      ["ab==", "aQ=="],
      ["abf=", "abc="],
    ];
    for (const [text = "", tidy] of tidied) assert.equal(tidyBase64(text), tidy, text);
    const long = "QUJD".repeat(500_000);
    assert.equal(tidyBase64(`${long}\n`), long);
  });

  it("finds what is wrong where Go finds it", () => {
    const faults: [string, number][] = [
      ["!!", 0],
      ["a", 0],
      ["abc", 0],
      ["abcde", 4],
      ["ab=", 3],
      ["ab=c", 2],
      ["a===", 1],
      ["=", 0],
      ["Y Q==", 1],
      ["-_-_", 0],
      ["ab==ab==", 4],
      ["ab\n==\nx", 6],
      ["abü", 2],
    ];
    for (const [text, place] of faults) assert.equal(tidyBase64(text), place, text);
  });
});
