import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Placeholders } from "../../../../lib/kits/testing/rehearsal/placeholders.ts";
import { byteLengthOf, fromBase64, toBase64 } from "../../../../lib/model/encoding.ts";

const placeholders = new Placeholders("salt");

describe("Placeholders", () => {
  it("keep length and alphabet, are equal for equal values, and tell nothing across copies", () => {
    const value = "Tr0ub4dor&3 für 日本 😀, postgres://me:s3cret@db:5432/x?y=1";
    const hidden = placeholders.text(value);
    assert.equal(hidden.length, value.length);
    assert.equal(byteLengthOf(hidden), byteLengthOf(value));
    assert.match(hidden, /^[A-Z][a-z]\d[a-z]{2}\d[a-z]{3}&\d /);
    assert.ok(!hidden.includes("s3cret") && !hidden.includes("日"));
    assert.equal(placeholders.text(value), hidden);
    assert.notEqual(placeholders.text("hunter3"), placeholders.text("hunter2"));
    assert.notEqual(new Placeholders("other").text("hunter2"), placeholders.text("hunter2"));
  });

  it("keep base64 of bytes, PEM and JSON recognisable", () => {
    const bytes = btoa(String.fromCharCode(0, 255, 254, 1, 200, 7));
    assert.equal(atob(placeholders.base64(bytes)).length, 6);
    assert.notEqual(placeholders.base64(bytes), bytes);
    const pem =
      "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0B\nAQEFAASC\n-----END PRIVATE KEY-----\n";
    const lines = placeholders.text(pem).split("\n");
    assert.deepEqual([lines[0], lines[3], lines[1]?.length], [
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      24,
    ]);
    assert.notEqual(lines[1], "MIIBVgIBADANBgkqhkiG9w0B");
    const json = { auths: { "https://r.example": { auth: btoa("me:pass"), port: 443, on: true, no: null } } };
    const { auths: { "https://r.example": entry } } = JSON.parse(placeholders.text(JSON.stringify(json)));
    assert.deepEqual(Object.keys(entry), ["auth", "port", "on", "no"]);
    assert.ok(Number.isInteger(entry.port) && entry.on === true && entry.no === null);
    assert.notEqual(entry.auth, btoa("me:pass"));
  });

  it("hide a Secret's values in its annotations as well, and nothing else of it", () => {
    const applied = JSON.stringify({ kind: "Secret", stringData: { password: "hunter2" }, type: "Opaque" });
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      type: "Opaque",
      metadata: {
        name: "a",
        uid: "u",
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": applied, owner: "team a" },
      },
      data: { password: toBase64("hunter2"), ["__proto__"]: toBase64("x") },
    };
    const hidden = placeholders.hideSecret(secret);
    const { metadata: { annotations = {} }, data } = hidden;
    assert.ok(
      !JSON.stringify(hidden).includes("hunter2") && !JSON.stringify(hidden).includes(toBase64("hunter2")),
    );
    assert.equal(annotations.owner, "team a");
    assert.equal(
      JSON.parse(annotations["kubectl.kubernetes.io/last-applied-configuration"] ?? "").stringData.password,
      fromBase64((data as Record<string, string>).password ?? ""),
    );
    assert.equal(hidden.metadata.uid, "u");
    assert.equal(Object.keys(data as object).length, 2 - Number(!Object.hasOwn(secret.data, "__proto__")));
  });
});
