/** createAuthority(): read back with node:crypto, which shares no code with what wrote them, and used for real TLS. */

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { type Authority, type CertificateOptions, createAuthority } from "../../lib/runtime/certificates.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

describe("createAuthority()", () => {
  it("makes a self-signed authority", async () => {
    const authority = await createAuthority({ name: "test authority" });
    const certificate = new X509Certificate(authority.certificate);
    assert.equal(certificate.subject, "CN=test authority");
    assert.equal(certificate.issuer, certificate.subject);
    assert.equal(certificate.ca, true);
    assert.equal(certificate.verify(certificate.publicKey), true);
    assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
  });

  it("takes the time from its option, on both sides of 2050", async () => {
    const start = Date.UTC(2049, 11, 1);
    const authority = await createAuthority({ name: "a", days: 100, now: () => start });
    const { certificate } = await authority.issue({ commonName: "c", client: true, days: 10 });
    assert.deepEqual(validity(authority.certificate), [start - HOUR, start + 100 * DAY]);
    assert.deepEqual(validity(certificate), [start - HOUR, start + 10 * DAY]);
  });

  it("takes serial numbers from its option and keeps them positive", async () => {
    const authority = await createAuthority({
      name: "a",
      randomBytes: (length) => new Uint8Array(length).fill(0xff),
    });
    assert.equal(new X509Certificate(authority.certificate).serialNumber, "7F" + "FF".repeat(15));
    const zeros = await createAuthority({ name: "a", randomBytes: (length) => new Uint8Array(length) });
    assert.equal(new X509Certificate(zeros.certificate).serialNumber, "40" + "00".repeat(15));
  });

  it("gives each certificate its own serial number and key", async () => {
    const authority = await createAuthority({ name: "a" });
    const first = await authority.issue({ commonName: "c", client: true });
    const second = await authority.issue({ commonName: "c", client: true });
    assert.notEqual(first.key, second.key);
    assert.notEqual(
      new X509Certificate(first.certificate).serialNumber,
      new X509Certificate(second.certificate).serialNumber,
    );
  });
});

describe("issue()", () => {
  it("names a server by all its names and addresses", async () => {
    const authority = await createAuthority({ name: "a" });
    const issued = await authority.issue({
      commonName: "server",
      server: true,
      dnsNames: ["localhost", "*.example.com"],
      ipAddresses: ["127.0.0.1", "::1", "fe80::", "2001:db8::1:0:0:1", "::ffff:10.0.0.1"],
    });
    const certificate = new X509Certificate(issued.certificate);
    assert.equal(certificate.checkIssued(new X509Certificate(authority.certificate)), true);
    assert.equal(certificate.verify(new X509Certificate(authority.certificate).publicKey), true);
    assert.equal(certificate.ca, false);
    // NB: read as text, because Deno's checkHost() knows no wildcards.
    const names = certificate.subjectAltName?.split(", ").map((name) => name.toLowerCase());
    assert.deepEqual(names?.slice(0, 3), ["dns:localhost", "dns:*.example.com", "ip address:127.0.0.1"]);
    for (const address of ["127.0.0.1", "::1", "fe80::", "2001:db8::1:0:0:1"]) {
      assert.ok(certificate.checkIP(address), address);
    }
    assert.ok(certificate.checkHost("localhost"));
    assert.equal(certificate.checkHost("example.org"), undefined);
    assert.match(issued.key, /^-----BEGIN PRIVATE KEY-----\n/);
  });

  it("names a client by its user and groups, letters beyond ASCII included", async () => {
    const authority = await createAuthority({ name: "a" });
    const organizations = ["system:masters", "Lotsen für Häfen"];
    const { certificate } = await authority.issue({ commonName: "jürgen", organizations, client: true });
    const { subject } = new X509Certificate(certificate);
    assert.deepEqual(subject.split("\n"), ["O=system:masters", "O=Lotsen für Häfen", "CN=jürgen"]);
  });

  it("never outlives its authority", async () => {
    const authority = await createAuthority({ name: "a", days: 1 });
    const { certificate } = await authority.issue({ commonName: "c", client: true });
    assert.deepEqual(validity(certificate), validity(authority.certificate));
  });

  it("refuses what nobody could use", async () => {
    const authority = await createAuthority({ name: "a" });
    await assert.rejects(authority.issue({ commonName: "c" }), RangeError);
    await assert.rejects(authority.issue({ commonName: "c", server: true }), RangeError);
    await assert.rejects(
      authority.issue({ commonName: "c", server: true, ipAddresses: ["localhost"] }),
      RangeError,
    );
  });
});

describe("TLS with an authority's certificates", () => {
  it("connects a server and a client that trust the same authority", async () => {
    const authority = await createAuthority({ name: "a" });
    assert.equal(await handshake({ authority }), "hello admin of system:masters");
  });

  it("fails when the client trusts another authority of the same name", async () => {
    const authority = await createAuthority({ name: "a" });
    const trusted = await createAuthority({ name: "a" });
    await assert.rejects(handshake({ authority, trusted }));
  });

  it("fails when the server's certificate is for clients, or the client's for servers", async () => {
    const authority = await createAuthority({ name: "a" });
    await assert.rejects(handshake({ authority, server: { server: false, client: true } }));
    await assert.rejects(handshake({ authority, client: { server: true, client: false } }));
  });

  it("fails for another name than the certificate's", async () => {
    const authority = await createAuthority({ name: "a" });
    await assert.rejects(handshake({ authority, server: { dnsNames: ["example.com"], ipAddresses: [] } }));
  });

  it("fails after the certificate's end", async () => {
    const authority = await createAuthority({ name: "a", now: () => Date.now() - 2 * DAY });
    await assert.rejects(handshake({ authority, server: { days: 1 } }));
  });
});

function validity(pem: string): number[] {
  const { validFrom, validTo } = new X509Certificate(pem);
  return [Date.parse(validFrom), Date.parse(validTo)];
}

interface Handshake {
  readonly authority: Authority;
  /** Whom the client trusts. Default: the same. */
  readonly trusted?: Authority;
  /** What is different about the certificates. */
  readonly server?: Partial<CertificateOptions>;
  readonly client?: Partial<CertificateOptions>;
}

/** Connects a client to a server, each with a certificate, and returns the server's greeting. */
async function handshake({ authority, trusted = authority, ...different }: Handshake): Promise<string> {
  const names = { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  const own = await authority.issue({ commonName: "server", server: true, ...names, ...different.server });
  const admin = { commonName: "admin", organizations: ["system:masters"], client: true, ...names };
  const client = await authority.issue({ ...admin, ...different.client });
  const server = createServer(
    {
      cert: own.certificate,
      key: own.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (socket: TLSSocket) => {
      const { CN, O } = socket.getPeerCertificate().subject;
      socket.end(`hello ${CN} of ${O}`);
    },
  );
  server.on("tlsClientError", () => {}); // The client reports it.
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server's address is only a string for pipes.
  const { port } = server.address() as AddressInfo;
  const { certificate: cert, key } = client;
  const socket = connect({
    host: "127.0.0.1",
    servername: "localhost",
    port,
    ca: trusted.certificate,
    cert,
    key,
  });
  try {
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => text += part);
    await once(socket, "end");
    assert.notEqual(text, "", "closed without a greeting");
    return text;
  } finally {
    socket.destroy();
    server.close();
  }
}
