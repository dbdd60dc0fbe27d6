/**
 * X.509 certificates made in the process: an authority, and what it issues to servers and clients (ECDSA P-256, SHA-256).
 *
 * For the in-process API server, for webhook servers that bring their own authority, and for the tests' control plane;
 * not for reading certificates (`X509Certificate` of `node:crypto` does that) nor for asking a cluster to sign one.
 * `node:crypto` makes keys and signatures, `@peculiar/asn1-x509` writes the structures of RFC 5280 as DER; only the
 * choice of fields is ours. NB: that package takes some 50 ms to load, so import this file lazily where a start counts.
 */

import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes as hostRandomBytes,
  sign,
} from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import * as x509 from "@peculiar/asn1-x509";

/** Parts of an authority. */
export interface AuthorityOptions {
  /** Its common name. */
  readonly name: string;
  /** How long its own certificate is valid, in days. Default: 3650. */
  readonly days?: number;
  /** The wall clock, in milliseconds since 1970. Default: the host's. */
  readonly now?: () => number;
  /** Returns that many bytes, for serial numbers. Default: the host's cryptographic source, which also makes all keys. */
  readonly randomBytes?: (length: number) => Uint8Array;
}

/** The content of a certificate. */
export interface CertificateOptions {
  /** The subject's name; where Kubernetes is the server, the user's. */
  readonly commonName: string;
  /** The subject's organizations; where Kubernetes is the server, the user's groups. */
  readonly organizations?: readonly string[];
  /** The names under which a server is reached, such as "localhost" or "*.example.com". */
  readonly dnsNames?: readonly string[];
  /** The addresses at which a server is reached: IPv4, or IPv6 without brackets. */
  readonly ipAddresses?: readonly string[];
  /** How long it is valid, in days, though never longer than its authority. Default: 365. */
  readonly days?: number;
  /** Whether clients may present it. Default: false. */
  readonly client?: boolean;
  /** Whether servers may present it. Default: false. */
  readonly server?: boolean;
}

/** A certificate with its private key. */
export interface IssuedCertificate {
  /** PEM. The authority's certificate is not appended. */
  readonly certificate: string;
  /** PEM, PKCS#8, not encrypted. */
  readonly key: string;
}

/** Signs certificates with a key that it gives to nobody. */
export interface Authority {
  /** Its own, self-signed certificate, which others are to trust. PEM. */
  readonly certificate: string;
  /**
   * Makes a new key and signs a certificate for it. It is valid from one hour ago, for clocks that go wrong.
   *
   * @throws {RangeError} If it is for neither clients nor servers, if a server has neither name nor address, or if an
   *   address is none.
   */
  issue(options: CertificateOptions): Promise<IssuedCertificate>;
}

/**
 * Makes an authority with a new key. What it signs are servers and clients, not further authorities.
 *
 * NB: keys are made at once, in a fraction of a millisecond: a thread would take longer, and a virtual clock does not wait for it.
 */
// deno-lint-ignore require-await -- a throw must become a rejection
export async function createAuthority(options: AuthorityOptions): Promise<Authority> {
  const { name, days = 3650, now = Date.now, randomBytes = hostRandomBytes } = options;
  const pair = createKeyPair();
  const issuer = { name: toName(name, []), pair };
  const start = now() - BACKDATING;
  const end = now() + days * DAY;
  const certificate = signCertificate(issuer, {
    subject: issuer.name,
    publicKey: pair.publicKey,
    serial: toSerial(randomBytes(16)),
    validity: toValidity(start, end),
    extensions: authorityExtensions(pair.publicKey),
  });

  // deno-lint-ignore require-await -- the same
  async function issue(wanted: CertificateOptions): Promise<IssuedCertificate> {
    checkCertificate(wanted);
    const { publicKey, privateKey } = createKeyPair();
    const signed = signCertificate(issuer, {
      subject: toName(wanted.commonName, wanted.organizations ?? []),
      publicKey,
      serial: toSerial(randomBytes(16)),
      validity: toValidity(
        Math.max(start, now() - BACKDATING),
        Math.min(end, now() + (wanted.days ?? 365) * DAY),
      ),
      extensions: holderExtensions(wanted, publicKey, pair.publicKey),
    });
    return { certificate: signed, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  }
  return { certificate, issue };
}

const DAY = 24 * 60 * 60 * 1000;
const BACKDATING = 60 * 60 * 1000;
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2"; // RFC 5758

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Issuer {
  readonly name: x509.Name;
  readonly pair: KeyPair;
}

interface CertificateFields {
  readonly subject: x509.Name;
  readonly publicKey: KeyObject;
  readonly serial: ArrayBuffer;
  readonly validity: x509.Validity;
  readonly extensions: x509.Extensions;
}

function createKeyPair(): KeyPair {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function checkCertificate(wanted: CertificateOptions): void {
  const { commonName, client, server, dnsNames = [], ipAddresses = [] } = wanted;
  if (!client && !server) {
    throw new RangeError(`Cannot issue a certificate for "${commonName}": set client, server or both`);
  }
  if (server && dnsNames.length + ipAddresses.length === 0) {
    throw new RangeError(
      `Cannot issue a certificate for "${commonName}": a server needs dnsNames or ipAddresses`,
    );
  }
  const wrong = ipAddresses.find((address) => isIP(address) === 0);
  if (wrong !== undefined) {
    throw new RangeError(`Cannot issue a certificate for "${commonName}": "${wrong}" is not an IP address`);
  }
}

function signCertificate(issuer: Issuer, fields: CertificateFields): string {
  const algorithm = new x509.AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const content = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: fields.serial,
    signature: algorithm,
    issuer: issuer.name,
    validity: fields.validity,
    subject: fields.subject,
    subjectPublicKeyInfo: toPublicKeyInfo(fields.publicKey),
    extensions: fields.extensions,
  });
  const signature = sign("sha256", new Uint8Array(AsnConvert.serialize(content)), issuer.pair.privateKey);
  const certificate = new x509.Certificate({
    tbsCertificate: content,
    signatureAlgorithm: algorithm,
    signatureValue: toArrayBuffer(signature),
  });
  return toPem(AsnConvert.serialize(certificate));
}

function authorityExtensions(publicKey: KeyObject): x509.Extensions {
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  return new x509.Extensions([
    toExtension(
      x509.id_ce_basicConstraints,
      new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 }),
      true,
    ),
    toExtension(x509.id_ce_keyUsage, new x509.KeyUsage(keyCertSign | cRLSign | digitalSignature), true),
    toExtension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdentifier(publicKey))),
  ]);
}

function holderExtensions(wanted: CertificateOptions, own: KeyObject, issuer: KeyObject): x509.Extensions {
  const authority = new x509.AuthorityKeyIdentifier({
    keyIdentifier: new x509.KeyIdentifier(keyIdentifier(issuer)),
  });
  const purposes = [
    ...(wanted.server ? [x509.id_kp_serverAuth] : []),
    ...(wanted.client ? [x509.id_kp_clientAuth] : []),
  ];
  const names = [
    ...(wanted.dnsNames ?? []).map((dNSName) => new x509.GeneralName({ dNSName })),
    ...(wanted.ipAddresses ?? []).map((iPAddress) => new x509.GeneralName({ iPAddress })),
  ];
  const extensions = [
    toExtension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: false }), true),
    toExtension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature), true),
    toExtension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage(purposes)),
    toExtension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdentifier(own))),
    toExtension(x509.id_ce_authorityKeyIdentifier, authority),
  ];
  if (names.length > 0) {
    extensions.push(toExtension(x509.id_ce_subjectAltName, new x509.SubjectAlternativeName(names)));
  }
  return new x509.Extensions(extensions);
}

function toExtension(id: string, value: object, critical = false): x509.Extension {
  return new x509.Extension({
    extnID: id,
    critical,
    extnValue: new OctetString(AsnConvert.serialize(value)),
  });
}

/** RFC 5280, section 4.2.1.2: the SHA-1 digest of the key's bits. An identifier; nothing's safety hangs on it. */
function keyIdentifier(publicKey: KeyObject): ArrayBuffer {
  const bits = new Uint8Array(toPublicKeyInfo(publicKey).subjectPublicKey);
  return toArrayBuffer(createHash("sha1").update(bits).digest());
}

function toPublicKeyInfo(publicKey: KeyObject): x509.SubjectPublicKeyInfo {
  return AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), x509.SubjectPublicKeyInfo);
}

/** Go and OpenSSL want one attribute per set, and Kubernetes takes each organization as a group. */
function toName(commonName: string, organizations: readonly string[]): x509.Name {
  const attributes: [string, string][] = organizations.map((value) => ["2.5.4.10", value]);
  attributes.push(["2.5.4.3", commonName]);
  const sets = attributes.map(([type, utf8String]) => {
    const value = new x509.AttributeValue({ utf8String });
    return new x509.RelativeDistinguishedName([new x509.AttributeTypeAndValue({ type, value })]);
  });
  return new x509.Name(sets);
}

function toValidity(notBefore: number, notAfter: number): x509.Validity {
  return new x509.Validity({ notBefore: new Date(notBefore), notAfter: new Date(notAfter) });
}

/** An INTEGER in its shortest form is positive if its first bit is not set, and has no leading zero byte. */
function toSerial(bytes: Uint8Array): ArrayBuffer {
  const serial = Uint8Array.from(bytes);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.buffer;
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function toPem(der: ArrayBuffer): string {
  const lines = btoa(String.fromCharCode(...new Uint8Array(der))).match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
