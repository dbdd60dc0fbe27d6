import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  addQuantities,
  formatQuantity,
  readQuantity,
  tidyQuantity,
} from "../../../../lib/kits/apiserver/formats/quantity.ts";

function read(text: string) {
  return readQuantity(text) ?? assert.fail(`${text} is no quantity`);
}

describe("formatQuantity()", () => {
  it("writes the shortest form with a unit of the same sort", () => {
    const forms: Record<string, string> = {
      "0": "0",
      "0Gi": "0",
      "1": "1",
      "1000": "1k",
      "1500": "1500",
      "1500m": "1500m",
      "0.1": "100m",
      "1.5G": "1500M",
      "1024": "1024",
      "1024Ki": "1Mi",
      "1.5Gi": "1536Mi",
      "1023Ki": "1023Ki",
      "0.5Ki": "512",
      "1e3": "1e3",
      "12e-1": "1200e-3",
      "-2Gi": "-2Gi",
      ".5": "500m",
      "1n": "1n",
    };
    for (const [text, written] of Object.entries(forms)) {
      assert.equal(formatQuantity(read(text)), written, text);
    }
  });

  it("reads what it has written as the same amount", () => {
    for (const text of ["123456789", "0.000000001", "7.25Ti", "3E", "1e18", "-1.5"]) {
      assert.equal(read(formatQuantity(read(text))).value, read(text).value, text);
    }
  });
});

describe("readQuantity()", () => {
  it("knows what is none", () => {
    for (const text of ["", "x", "1 Gi", "1KiB", "1e", "--1", "1.2.3", "Ki"]) {
      assert.equal(readQuantity(text), undefined, text);
    }
  });

  it("rounds up what is less than a billionth", () => {
    assert.equal(read("0.0000000001").value, 1n);
  });
});

describe("addQuantities()", () => {
  it("keeps the form of the first, unless that is zero", () => {
    const sum = (a: string, b: string) => formatQuantity(addQuantities(read(a), read(b)));
    assert.deepEqual([sum("1Gi", "1G"), sum("0", "2Gi"), sum("1500m", "1")], ["2073741824", "2Gi", "2500m"]);
  });
});

describe("tidyQuantity()", () => {
  it("rounds up to thousandths, and leaves alone what is no quantity", () => {
    assert.deepEqual(["0.0001", "1.0", "100u", "x"].map(tidyQuantity), ["1m", "1", "1m", "x"]);
  });
});
