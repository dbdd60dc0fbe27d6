import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ipErrors, readAddress } from "../../../../lib/kits/apiserver/formats/ip_address.ts";

describe("readAddress()", () => {
  it("reads addresses of both versions, and shows their canonical form", () => {
    for (
      const [text, canonical] of [["192.0.2.1", "192.0.2.1"], ["2001:DB8:0:0:1::1", "2001:db8::1:0:0:1"]]
    ) {
      assert.equal(String(readAddress(text ?? "")), canonical);
    }
    for (const text of ["", "1.2.3", "1.2.3.256", "1::2::3", "g::"]) {
      assert.equal(readAddress(text), undefined);
    }
  });
});

describe("ipErrors()", () => {
  it("takes canonical addresses alone", () => {
    for (const good of ["10.0.0.1", "::", "fe80::42:1dff:fe84:f9e2"]) assert.deepEqual(ipErrors(good), []);
    assert.match(String(ipErrors("010.0.0.1")), /leading 0s/);
    assert.match(String(ipErrors("::ffff:10.0.0.1")), /IPv4-mapped/);
    assert.match(String(ipErrors("FE80::1")), /canonical form \("fe80::1"\)/);
    assert.match(String(ipErrors("a")), /must be a valid IP address/);
  });
});
