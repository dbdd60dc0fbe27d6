import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { describe, it } from "node:test";
import { certificateFacts, decryptKey } from "../../lib/runtime/certificate_facts.ts";
import { createAuthority } from "../../lib/runtime/certificates.ts";

describe("certificateFacts()", () => {
  it("tells who it is about, who says so, and until when", async () => {
    const now = Date.UTC(2026, 0, 1);
    const authority = await createAuthority({ name: "some authority", now: () => now });
    const { certificate } = await authority.issue({
      commonName: "apiserver",
      organizations: ["system:masters", "others"],
      dnsNames: ["a.test"],
      client: true,
      days: 10,
    });
    const facts = certificateFacts(certificate);
    assert.deepEqual({ ...facts.subject }, { O: ["system:masters", "others"], CN: "apiserver" });
    assert.deepEqual({ ...facts.issuer }, { CN: "some authority" });
    assert.deepEqual([facts.notBefore, facts.notAfter], [
      "2025-12-31T23:00:00.000Z",
      "2026-01-11T00:00:00.000Z",
    ]);
    assert.match(facts.serialNumber, /^[0-9A-F]{32}$/);
    assert.equal(facts.subjectAltName, "DNS:a.test");
    assert.equal(facts.certificate, certificate);
  });

  it("refuses what is no certificate", () => {
    assert.throws(() => certificateFacts("nonsense"));
  });
});

describe("decryptKey()", () => {
  it("gives the key in plain form, to who knows the password", async () => {
    const authority = await createAuthority({ name: "any" });
    const { key } = await authority.issue({ commonName: "a", client: true });
    const encrypted = createPrivateKey(key).export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "secret",
    }).toString();
    assert.match(encrypted, /ENCRYPTED/);
    assert.equal(decryptKey(encrypted, "secret"), key);
    assert.throws(() => decryptKey(encrypted, "wrong"));
  });
});
