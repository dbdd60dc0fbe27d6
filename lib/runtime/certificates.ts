/**
 * X.509 certificates made in the process: an authority, and the certificates that it issues to servers and clients (ECDSA P-256, SHA-256).
 *
 * For the in-process API server, for webhook servers that bring their own authority, and for the tests' control plane;
 * not for reading certificates (`X509Certificate` of `node:crypto` does that) nor for asking a cluster to sign one.
 * `node:crypto` makes keys and signatures, `@oslojs/asn1` writes DER; which fields a certificate has is ours, by RFC 5280.
 */

import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes as hostRandomBytes,
  sign,
} from "node:crypto";
import { isIP } from "node:net";
import {
  ASN1BitString,
  ASN1Boolean,
  ASN1Class,
  type ASN1Encodable,
  ASN1EncodableSequence,
  ASN1EncodableSet,
  ASN1Form,
  ASN1GeneralizedTime,
  ASN1Integer,
  ASN1ObjectIdentifier,
  ASN1OctetString,
  ASN1UTCTime,
  ASN1UTF8String,
  ASN1Value,
  encodeASN1,
  encodeObjectIdentifier,
  parseASN1NoLeftoverBytes,
} from "@oslojs/asn1";

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

/** Signs certificates with a key that it gives to no caller. */
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
 * Makes an authority with a new key. It signs certificates of servers and clients, not of further authorities.
 *
 * Keys are made at once, in a fraction of a millisecond: a thread would take longer, and a virtual clock does not wait for it.
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

/** RFC 5280, section 4.2.1 and appendix A. */
const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Issuer {
  readonly name: ASN1Encodable;
  readonly pair: KeyPair;
}

interface CertificateFields {
  readonly subject: ASN1Encodable;
  readonly publicKey: KeyObject;
  readonly serial: ASN1Encodable;
  readonly validity: ASN1Encodable;
  readonly extensions: readonly ASN1Encodable[];
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
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256));
  const content = sequence(
    tagged(0, new ASN1Integer(2n)), // version 3
    fields.serial,
    algorithm,
    issuer.name,
    fields.validity,
    fields.subject,
    publicKeyInfo(fields.publicKey),
    tagged(3, sequence(...fields.extensions)),
  );
  const signature = sign("sha256", encodeASN1(content), issuer.pair.privateKey);
  return toPem(encodeASN1(sequence(content, algorithm, bits(signature))));
}

function authorityExtensions(publicKey: KeyObject): ASN1Encodable[] {
  const constraints = sequence(new ASN1Boolean(true), new ASN1Integer(0n)); // an authority, of no others
  const usage = new ASN1BitString(Uint8Array.of(0b1000_0110), 7); // digitalSignature, keyCertSign, cRLSign
  return [
    extension(OID.basicConstraints, constraints, true),
    extension(OID.keyUsage, usage, true),
    extension(OID.subjectKeyIdentifier, new ASN1OctetString(keyIdentifier(publicKey))),
  ];
}

function holderExtensions(wanted: CertificateOptions, own: KeyObject, issuer: KeyObject): ASN1Encodable[] {
  const purposes = [
    ...(wanted.server ? [identifier(OID.serverAuth)] : []),
    ...(wanted.client ? [identifier(OID.clientAuth)] : []),
  ];
  const names = [
    ...(wanted.dnsNames ?? []).map((name) => implicit(2, new TextEncoder().encode(name))),
    ...(wanted.ipAddresses ?? []).map((address) => implicit(7, addressBytes(address))),
  ];
  const extensions = [
    extension(OID.basicConstraints, sequence(), true),
    extension(OID.keyUsage, new ASN1BitString(Uint8Array.of(0b1000_0000), 1), true), // digitalSignature
    extension(OID.extKeyUsage, sequence(...purposes)),
    extension(OID.subjectKeyIdentifier, new ASN1OctetString(keyIdentifier(own))),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(issuer)))),
  ];
  if (names.length > 0) extensions.push(extension(OID.subjectAltName, sequence(...names)));
  return extensions;
}

function extension(id: string, value: ASN1Encodable, critical = false): ASN1Encodable {
  const content = new ASN1OctetString(encodeASN1(value));
  return critical
    ? sequence(identifier(id), new ASN1Boolean(true), content)
    : sequence(identifier(id), content);
}

/** RFC 5280, section 4.2.1.2: the SHA-1 digest of the key's bits. An identifier; no safety hangs on it. */
function keyIdentifier(publicKey: KeyObject): Uint8Array {
  const { bytes } = publicKeyInfo(publicKey).sequence().at(1).bitString();
  return Uint8Array.from(createHash("sha1").update(bytes).digest());
}

function publicKeyInfo(publicKey: KeyObject): ASN1Value {
  return parseASN1NoLeftoverBytes(Uint8Array.from(publicKey.export({ type: "spki", format: "der" })));
}

/** Go and OpenSSL want one attribute per set, and Kubernetes takes each organization as a group. */
function toName(commonName: string, organizations: readonly string[]): ASN1Encodable {
  const attributes: [string, string][] = organizations.map((value) => [OID.organization, value]);
  attributes.push([OID.commonName, commonName]);
  const sets = attributes.map(([type, value]) => {
    const text = new ASN1UTF8String(new TextEncoder().encode(value));
    return new ASN1EncodableSet([sequence(identifier(type), text)]);
  });
  return sequence(...sets);
}

function toValidity(notBefore: number, notAfter: number): ASN1Encodable {
  return sequence(toTime(notBefore), toTime(notAfter));
}

/** RFC 5280, section 4.1.2.5: years have two digits until 2049, and four from then on. */
function toTime(time: number): ASN1Encodable {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
  const [hours, minutes, seconds] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  return year < 2050
    ? new ASN1UTCTime(year % 100, month, day, hours, minutes, seconds)
    : new ASN1GeneralizedTime(year, month, day, hours, minutes, seconds, 0);
}

/** An INTEGER in its shortest form is positive if its first bit is not set, and has no leading zero byte. */
function toSerial(bytes: Uint8Array): ASN1Encodable {
  const first = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  const digits = [first, ...bytes.subarray(1)].map((byte) => byte.toString(16).padStart(2, "0"));
  return new ASN1Integer(BigInt(`0x${digits.join("")}`));
}

/** A URL writes an address in one way only: groups in hexadecimal, and "::" for zeros. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split("."), Number);
  const [before = "", after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text = "") => text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(before), groups(after)];
  const zeros = new Array<number>(8 - head.length - tail.length).fill(0);
  return Uint8Array.from([...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 0xff]));
}

function sequence(...elements: ASN1Encodable[]): ASN1Encodable {
  return new ASN1EncodableSequence(elements);
}

function identifier(id: string): ASN1Encodable {
  return new ASN1ObjectIdentifier(encodeObjectIdentifier(id));
}

function bits(bytes: Uint8Array): ASN1Encodable {
  return new ASN1BitString(bytes, bytes.length * 8);
}

function tagged(tag: number, value: ASN1Encodable): ASN1Encodable {
  return new ASN1Value(ASN1Class.ContextSpecific, ASN1Form.Constructed, tag, encodeASN1(value));
}

function implicit(tag: number, content: Uint8Array): ASN1Encodable {
  return new ASN1Value(ASN1Class.ContextSpecific, ASN1Form.Primitive, tag, content);
}

function toPem(der: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...der)).match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
